"""Function words of a language: spaCy's lists, read without its tokenisers."""

import subprocess
import sys
from importlib import import_module

import pytest

from brain_pipelines.stages.enrichment.words import function_words

LOADED = """import sys
from brain_pipelines.stages.enrichment.words import function_words
assert "nous" in function_words("fr")
print(*[name for name in sys.modules if name.partition(".")[0] == "spacy"])"""


@pytest.mark.parametrize(
    ("language", "package"), [("de", "de"), ("pt", "pt"), ("zh", "zh"), ("no", "nb"), ("nn", "nb")]
)
def test_the_words_are_those_that_spacy_keeps_for_the_language_and_for_english(language: str, package: str) -> None:
    kept = [import_module(f"spacy.lang.{code}.stop_words").STOP_WORDS for code in (package, "en")]
    assert function_words(language) == {word.lower() for words in kept for word in words}


@pytest.mark.parametrize("language", ["xx", "fr-FR", "English", "../lang/fr", "/fr", "fr\0", "stop_words"])
def test_what_names_no_language_of_spacy_has_those_of_english(language: str) -> None:
    assert function_words(language) == function_words(None) != function_words("fr")


def test_neither_spacy_nor_a_tokeniser_is_loaded() -> None:
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert not run.stdout.split()
