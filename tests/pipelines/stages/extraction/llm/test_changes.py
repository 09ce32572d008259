"""Words of an answer that replace words of a stored line."""

import pytest

from brain_pipelines.stages.extraction.llm.changes import changed
from brain_pipelines.stages.extraction.llm.prompt import EXAMPLE, Change, MemoryAnswer

LINE = "Ruth: She pays it to the club, and she hates it."


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, LINE),
        ({"She": "Vera"}, "Ruth: Vera pays it to the club, and she hates it."),
        ({"and she": "and Vera"}, "Ruth: She pays it to the club, and Vera hates it."),
        ({"it": "the fee"}, "Ruth: She pays the fee to the club, and she hates the fee."),
        ({"SHE PAYS": "Vera pays"}, "Ruth: Vera pays it to the club, and she hates it."),
        (
            {"She": "Vera", "it to the club": "the fee to the club"},
            "Ruth: Vera pays the fee to the club, and she hates it.",
        ),
        ({"the": "the rowing", "the club": "the choir"}, "Ruth: She pays it to the choir, and she hates it."),
        ({"": "Vera pays the fee."}, "Vera pays the fee."),
        ({" She  pays ": " Vera\npays "}, "Ruth: Vera pays it to the club, and she hates it."),
        ({"the club.": "the choir."}, "Ruth: She pays it to the choir, and she hates it."),
        ({'"She"': '"Vera"'}, "Ruth: Vera pays it to the club, and she hates it."),
        ({", and she hates it": ""}, "Ruth: She pays it to the club."),
    ],
)
def test_words_replace_words(changes: dict[str, str], line: str) -> None:
    assert changed(LINE, [Change(a=old, b=new) for old, new in changes.items()]) == line


@pytest.mark.parametrize("words", ["lub", "Hannes", "she pays it to the choir"])
def test_words_that_are_not_in_the_line_fit_nowhere(words: str) -> None:
    assert changed(LINE, [Change(a=words, b="Vera")]) is None


def test_words_that_were_replaced_before_need_no_place() -> None:
    line = "Ruth rows on Monday [2026-03-09]."
    assert changed(line, [Change(a="I", b="Ruth"), Change(a="Monday", b="Monday [2026-03-09]")]) is not None
    assert changed(line, [Change(a="I", b="Ruth")]) == line


def test_a_whole_line_in_the_place_of_a_word_is_the_line() -> None:
    whole = "Vera pays it to the club, and she hates it."
    assert changed(LINE, [Change(a="She", b=whole)]) == whole


def test_changes_that_change_nothing_are_none() -> None:
    assert changed(LINE, [Change(a="", b=""), Change(a="She", b="She")]) == LINE


def test_words_of_other_scripts() -> None:
    assert changed("彼は来る。", [Change(a="彼", b="健")]) == "健は来る。"
    assert (
        changed("Él vive aquí.", [Change(a="aquí", b="en Cádiz"), Change(a="Él", b="Íñigo")]) == "Íñigo vive en Cádiz."
    )


def test_the_example_of_the_instructions_is_an_answer() -> None:
    entries = {one.i: one for one in MemoryAnswer.model_validate_json(EXAMPLE).entries()}
    assert sorted(entries) == [1, 2, 4, 5] and entries[2].k == "event" and entries[1].n[0].v == "2026-08"
    stored = "He no longer works at Orbit, maybe he will join Nova."
    assert changed(stored, entries[4].words) == "Salim no longer works at Orbit, maybe Salim will join Nova."
