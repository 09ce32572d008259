"""Near duplicates: by containment of three-word shingles, or by overlap of spans."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.query.duplicates import DuplicateFilter, containment, shingles, span_overlap
from brain_retrieval.query.hits import Hit, SourceRef, TemporalContext, WhyRanked

NOW = datetime(2026, 1, 5, tzinfo=UTC)


def hit(text: str, source_id: str = "s", span: tuple[int, int] = (0, 10)) -> Hit:
    ref = SourceRef(source_id, "note", "inbox:note/a.md", span, "c")
    why = WhyRanked({}, "weighted", 0.5, 0.5, 0.5, {}, 0.5)
    return Hit(1, 0.5, text, ref, why, TemporalContext(NOW, NOW, "2026-01-05"))


def repeats(new: str, *taken: str) -> int | None:
    """Return the citation, from 1, of the passage of another source that `new` repeats."""
    seen = DuplicateFilter()
    for citation, text in enumerate(taken, start=1):
        seen.add(hit(text, f"s{citation}"), citation)
    return seen.twin(hit(new, "new"))


def test_shingles_are_runs_of_three_words_whatever_the_case() -> None:
    assert shingles("Ann met Bob, twice!") == {("ann", "met", "bob"), ("met", "bob", "twice")}
    assert shingles("ann MET bob") == {("ann", "met", "bob")}
    assert shingles("Yes, please") == {("yes", "please")}


def test_containment_is_the_share_of_the_new_passage() -> None:
    long, short = shingles("a b c d e f"), shingles("a b c d")
    assert containment(short, long) == 1.0
    assert containment(long, short) == 0.5


def test_containment_of_four_fifths_is_a_duplicate() -> None:
    assert repeats("a b c d e f g", "x a b c d e f") == 1  # 4 of 5 runs
    assert repeats("a b c d e f", "x a b c d e") is None  # 3 of 4


def test_a_longer_passage_says_more_than_the_one_it_contains() -> None:
    short, long = "the launch is in april", "the launch is in april and the party is in may in the old harbour"
    assert repeats(short, long) == 1
    assert repeats(long, short) is None


def test_the_first_passage_repeated_is_named() -> None:
    assert repeats("one two three four", "five six seven", "one two three four", "one two three four five") == 2
    assert repeats("one two three four") is None


def test_passages_without_words_repeat_only_the_same_signs() -> None:
    assert repeats("👍", "👎") is None
    assert repeats("?!", "…", "?!") == 2
    assert repeats("👍", "we agreed 👍") is None


@pytest.mark.parametrize(
    ("one", "two", "share"),
    [
        ((0, 10), (0, 10), 1.0),
        ((0, 10), (5, 15), 0.5),
        ((6, 16), (0, 10), 0.4),
        ((0, 100), (90, 110), 0.5),  # of the shorter
        ((0, 100), (40, 60), 1.0),
        ((0, 1), (0, 10), 1.0),
        ((0, 10), (10, 20), 0.0),
        ((0, 10), (30, 40), 0.0),
        ((5, 5), (0, 10), 0.0),
    ],
)
def test_overlap_is_a_share_of_the_shorter_span(one: tuple[int, int], two: tuple[int, int], share: float) -> None:
    assert span_overlap(hit("a", span=one), hit("b", span=two)) == share
    assert span_overlap(hit("a", span=two), hit("b", span=one)) == share
    assert span_overlap(hit("a", span=one), hit("b", "other", span=two)) == 0.0


def test_half_of_a_span_is_a_repetition_in_the_same_source_only() -> None:
    seen = DuplicateFilter()
    seen.add(hit("some words of this passage", span=(0, 10)), 4)
    assert seen.twin(hit("quite other words stand here", span=(5, 15))) == 4
    assert seen.twin(hit("quite other words stand here", span=(6, 16))) is None
    assert seen.twin(hit("quite other words stand here", "other", span=(5, 15))) is None
