"""Lexicon files: the format, what is refused, and that a language is no more than a folder."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brain_retrieval.language.lexicon import SHARED, LexiconError, Lexicons, alternatives

ROOT = Path(__file__).parents[3]
PACKAGES = ("brain_retrieval", "brain_pipelines")
FOLDERS = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("lexicons"))


def lexicons(tmp_path: Path, **files: str) -> Lexicons:
    """Return lexicons of files given as `en_days="…"`."""
    for name, content in files.items():
        language, _, subject = name.partition("_")
        (tmp_path / language).mkdir(exist_ok=True)
        (tmp_path / language / f"{subject}.toml").write_text(content, "utf-8")
    return Lexicons(tmp_path)


def test_words_arrays_and_tables(tmp_path: Path) -> None:
    words = lexicons(tmp_path, en_days='a = """\n  x y\n  z\n"""\nb = ["of the", "to"]\n[c]\none = 1\n').read("days")
    assert words.listed("a") == ("x", "y", "z")
    assert words.words("b") == {"of the", "to"}
    assert words.table("c") == {"one": 1}
    assert words.pattern("a", "b") == r"of\ the|to|x|y|z"


def test_a_pattern_of_no_words_matches_nothing(tmp_path: Path) -> None:
    words = lexicons(tmp_path, en_days="a = []").read("days")
    assert words.pattern("a") == words.expression("a") == alternatives(()) == "(?!)"


@pytest.mark.parametrize(
    ("english", "german", "said"),
    [
        ('a = "x"', 'b = "y"', "unknown key b"),
        ('a = "x"', "[a]\ny = 1", "a is a table"),
        ('a = "x"', 'a = "', "cannot be read"),
        ('a = "x"', "a = 3", "something else than words"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_it(tmp_path: Path, english: str, german: str, said: str) -> None:
    with pytest.raises(LexiconError, match=said) as error:
        lexicons(tmp_path, en_days=english, de_days=german).read("days", "de")
    assert str(Path("de") / "days.toml") in str(error.value)


def test_a_key_that_no_file_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match=r"no key 'b'; it has a"):
        lexicons(tmp_path, en_days='a = "x"').read("days").words("b")
    with pytest.raises(LexiconError, match="no lexicon"):
        lexicons(tmp_path).read("months")


def test_another_language_may_leave_keys_out_and_all_together_are_a_union(tmp_path: Path) -> None:
    both = lexicons(tmp_path, en_days='a = "x"\nb = "y"', de_days='a = "z x"')
    assert both.read("days", "de").listed("b") == ()
    assert both.every_language("days").listed("a") == ("x", "z")
    assert both.languages("days") == ("en", "de")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_lexicon_of_the_project_is_valid(folder: Path) -> None:
    found = Lexicons(folder)
    subjects = {path.stem for path in folder.glob("*/*.toml")}
    assert subjects
    for subject in subjects:
        for language in found.languages(subject):
            found.read(subject, language)


NEW_LANGUAGE = """
from brain_pipelines.stages.extraction.llm.checks import denials
from brain_retrieval.language.sentences import sentences
from brain_retrieval.language.stop_words import question_words
from brain_retrieval.query.analysis import content_words, find_dates

print(
    "the" in question_words("xx"),
    content_words("where is the car", "xx"),
    denials("Bob nix owns the car.", "xx") == 1,
    len(sentences("He met Hrn. Mueller.", language="xx")),
    find_dates("in floreal", "xx")[0].month,
)
"""


def test_a_new_language_is_a_folder(tmp_path: Path) -> None:
    """Copies the packages, adds `xx` as a copy of `en` with other words, and changes no line of Python."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package)
    for folder in [path for package in PACKAGES for path in (tmp_path / package).rglob("lexicons")]:
        shutil.copytree(folder / "en", folder / "xx")
    shared = tmp_path / "brain_retrieval" / "language" / "lexicons" / "xx"
    changes = {
        shared / "negation.toml": ('"not never', '"nix not never'),
        shared / "dates.toml": ("april may", "april floreal"),
        shared / "abbreviations.toml": ("mr mrs", "hrn mr mrs"),
    }
    for path, (old, new) in changes.items():
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
    result = subprocess.run(
        [sys.executable, "-c", NEW_LANGUAGE],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.stdout.split() == ["True", "car", "True", "1", "5"], result.stderr


def test_english_and_german_have_the_shared_files() -> None:
    for subject in ("abbreviations", "dates", "negation", "stop_words"):
        assert {"en", "de"} <= set(SHARED.languages(subject))
