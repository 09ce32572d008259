"""Cutting a passage to the sentences about a question, counted in words: what is kept, and what a mark stands for."""

import pytest

from brain_retrieval.query.packs.excerpts import Excerpt, excerpt, word_weights

LINES = [
    "# The storm",
    "Nina rode to Bern. The old pier broke in the storm of March.",
    "It rained. Omar mended the pier in April.",
]
LONG = "one two three four five six seven eight nine ten pier twelve"


def words(text: str) -> int:
    return len(text.split())


def cut(question: str, room: int, lines: list[str] = LINES, *, required: bool = True) -> Excerpt | None:
    return excerpt(lines, word_weights(question, [" ".join(lines)]), room, words, required=required)


@pytest.mark.parametrize(
    ("question", "room", "lines"),
    [
        ("Which storm broke the pier?", 13, ("… The old pier broke in the storm of March. …",)),
        ("Who mended the pier in April?", 10, ("… Omar mended the pier in April.",)),
        ("Who rode to Bern, who mended the pier?", 15, ("… Nina rode to Bern.", "… Omar mended the pier in April.")),
        # the sentence beside what was chosen needs no further mark
        ("Who mended the pier in April?", 13, ("… It rained. Omar mended the pier in April.",)),
    ],
)
def test_the_sentences_that_cover_the_question_are_kept_in_their_order(
    question: str, room: int, lines: tuple[str, ...]
) -> None:
    found = cut(question, room)
    assert found is not None
    assert found.lines == lines
    assert sum(map(words, found.lines)) <= room


def test_a_sentence_without_a_word_of_the_question_is_kept_only_if_any_will_do() -> None:
    assert cut("giraffe", 20) is None
    found = cut("giraffe", 7, required=False)
    assert found is not None
    assert found.lines[0].startswith("# The storm")
    assert cut("storm", 20, []) is None


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (8, "…eight nine ten pier twelve"),  # up to the end, then backwards
        (6, None),  # fewer than four words say nothing
        (20, LONG),
    ],
)
def test_a_long_sentence_is_cut_around_the_first_word_of_the_question(room: int, text: str | None) -> None:
    found = cut("pier", room, [LONG])
    assert (found and found.lines) == ((text,) if text else None)


def test_what_was_cut_is_counted() -> None:
    found = cut("Who mended the pier in April?", 10)
    assert found is not None
    assert (found.kept, found.total, found.reason) == (1, 5, "cut to 1 of 5 sentences")
