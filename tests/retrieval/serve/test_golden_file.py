"""Files of golden questions in three formats, and errors that name line and field and repeat no value."""

from datetime import date
from pathlib import Path

import pytest

from brain_retrieval.home import Home
from brain_retrieval.serve.evaluation.golden_file import GoldenFileError, find_golden, read_golden

YAML = """\
min_recall: 0.8
questions:
  - question: Who leads Phoenix?
    text: [Nina, Omar]
    as_of: 2026-01-31
  - question: secret words?
    source: "*bread*"
    recipe: fast
"""
TOML = """\
min_recall = 0.8
[[questions]]
question = "Who leads Phoenix?"
text = ["Nina", "Omar"]
as_of = 2026-01-31

[[questions]]
question = "secret words?"
source = "*bread*"
recipe = "fast"
"""
LINES = """\
{"question": "Who leads Phoenix?", "text": ["Nina", "Omar"], "as_of": "2026-01-31"}

{"question": "secret words?", "source": "*bread*", "recipe": "fast"}
"""


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("name", "text", "lines", "least"),
    [("g.yaml", YAML, (3, 6), 0.8), ("g.toml", TOML, (2, 7), 0.8), ("g.jsonl", LINES, (1, 3), None)],
)
def test_three_formats_say_the_same(
    tmp_path: Path, name: str, text: str, lines: tuple[int, ...], least: float | None
) -> None:
    found = read_golden(write(tmp_path, name, text))
    first, second = found.questions
    assert (first.question, first.text, first.source) == ("Who leads Phoenix?", ("Nina", "Omar"), ())
    assert str(first.as_of) == "2026-01-31" and first.known_at is None
    assert (second.source, second.recipe) == (("*bread*",), "fast")
    assert (found.lines, found.min_recall) == (lines, least)


def test_a_yaml_list_needs_no_head(tmp_path: Path) -> None:
    found = read_golden(write(tmp_path, "g.yml", "- question: a\n  text: b\n  as_of: 2026-01-31\n"))
    assert found.questions[0].as_of == date(2026, 1, 31)
    assert (found.lines, found.min_recall) == ((1,), None)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.yaml", YAML.replace("recipe: fast", "recipes: fast"), "g.yaml, line 8, `recipes`: unknown field; the f"),
        ("g.toml", TOML.replace("recipe =", "recipes ="), "g.toml, line 10, `recipes`: unknown field; the fields"),
        ("g.jsonl", LINES.replace('"recipe"', '"recipes"'), "g.jsonl, line 3, `recipes`: unknown field"),
        ("g.yaml", YAML.replace("2026-01-31", "secret"), "g.yaml, line 5, `as_of`: not an ISO 8601 date or time"),
        ("g.toml", TOML.replace("2026-01-31", "'secret'"), "g.toml, line 5, `as_of`: not an ISO 8601 date or time"),
        ("g.yaml", YAML.replace("[Nina, Omar]", "7"), "g.yaml, line 4, `text`: Input should be a valid tuple"),
        ("g.yaml", YAML.replace('    source: "*bread*"\n', ""), "g.yaml, line 6: neither `source` nor `text` says"),
        ("g.yaml", YAML.replace("question: secret", "quest: secret"), "line 6, `quest"),
        ("g.yaml", YAML.replace("0.8", "secret"), "g.yaml: `min_recall`: a number from 0 to 1"),
        ("g.yaml", "a: [secret", "g.yaml, line 1: expected ',' or ']'"),
        ("g.yaml", "just a text", "g.yaml: a list of questions"),
        ("g.yaml", "", "g.yaml: a list of questions"),
        ("g.yaml", "- secret", "g.yaml, line 1: not a question with its fields"),
        ("g.yaml", "least: 1\nquestions: []", "g.yaml: no question in it"),
        ("g.yaml", YAML.replace("min_recall", "least"), "g.yaml: `least`: unknown field"),
        ("g.toml", "questions = 3", "g.toml: each question is a table [[questions]]"),
        ("g.jsonl", LINES + "{secret", "g.jsonl, line 4: not JSON"),
        ("g.txt", "x", "g.txt: golden questions are a .yaml, .toml or .jsonl file"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_without_values(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(GoldenFileError) as caught:
        read_golden(write(tmp_path, name, text))
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(GoldenFileError, match=r"^there is no file '.*nothing\.toml'$"):
        read_golden(tmp_path / "nothing.toml")


def test_an_unknown_recipe_is_named_with_its_line(tmp_path: Path) -> None:
    found = read_golden(write(tmp_path, "g.yaml", YAML))
    found.check_recipes(("default", "fast"))
    with pytest.raises(GoldenFileError, match=r"line 8, `recipe`: unknown; the recipes are default$"):
        found.check_recipes(("default",))


def test_the_file_of_a_user_is_in_the_folder_of_the_user(tmp_path: Path) -> None:
    space = Home(tmp_path).space("alice").create()
    assert find_golden(space) is None
    toml = write(space.root, "golden.toml", TOML)
    assert find_golden(space) == toml
    assert find_golden(Home(tmp_path).space("bob").create()) is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.yaml", "- question: a\n  text: b\n  as_of: 2026-13-40\n", "line 3, `as_of`: not an ISO 8601 date or time"),
        ("g.yaml", "- question: a\n  text: b\n  known_at: 2026-02-30\n", "line 3, `known_at`: not an ISO 8601"),
        ("g.yaml", "- question: a\n  text: b\n  question: c\n", "line 3: a field is given twice"),
        ("g.yaml", "min_recall: 1\nmin_recall: 0\nquestions: []\n", "line 2: a field is given twice"),
        ("g.yaml", "questions: " + "[" * 3000, "line 1: not YAML"),
        ("g.jsonl", '{"question": "a", "text": "b", "text": "c"}', "line 1: a field is given twice"),
        ("g.jsonl", "[" * 100_000, "line 1: not JSON"),
    ],
)
def test_a_slip_of_the_pen_is_named_and_nothing_is_silently_left_out(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(GoldenFileError, match=f"^{name}, {message}"):
        read_golden(write(tmp_path, name, text))
