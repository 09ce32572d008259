"""What answers a question without a word of it comes after what has some: beside it, about the same, or alike."""

import random

import pytest

from brain_retrieval.knowledge.memories.asked.lines import FILLED, MOST_ENDED, in_order
from brain_retrieval.knowledge.memories.asked.related import LEAST_ALIKE, related
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import match_all, topic_words
from brain_retrieval.knowledge.memories.seen import BESIDE, CURRENT, OUTDATED, Seen
from brain_retrieval.knowledge.memories.view import answered, judged
from tests.retrieval.knowledge.memories.rows import day, row

QUESTION = row("q", "Eetu: Who takes Oskar then?", "2025-02-26", source_id="talk", modality="question")
REPLY = row("r", "Jonna: Ms Baptiste, the one with the guitar", "2025-02-26", source_id="talk", start=40)
SKODA = row("s", "Owen bought a car, the Skoda.", "2025-03-01")
GONE = row("g", "A guy from Leeds took the Skoda for 1,100.", "2025-05-01")
LANE = row("l", "We sleep at Harbour Lane from tonight.", "2025-06-01")
AT = day("2025-12-01")


def near(about: str, rows: list[dict], meaning: dict[str, float] | None = None) -> list[str]:
    facets = sorted(map(Facet, rows), key=lambda facet: facet.order)
    found = related(facets, match_all(about, facets), topic_words(about), meaning or {})
    return [facet.row["memory_id"] for facet, _ in found]


@pytest.mark.parametrize(
    ("about", "expected"), [("who takes Oskar", ["r"]), ("Owen's car", ["g"]), ("where do we live", [])]
)
def test_what_stands_beside_a_match_or_shares_a_rare_word_with_it_is_related(about: str, expected: list[str]) -> None:
    rows = [QUESTION, REPLY, SKODA, GONE, LANE]
    for _ in range(3):
        random.Random(len(rows)).shuffle(rows)
        assert near(about, rows) == expected


def test_what_means_the_same_is_related_from_a_cosine_on() -> None:
    assert near("where do we live", [SKODA, LANE], {"l": LEAST_ALIKE, "s": LEAST_ALIKE - 0.01}) == ["l"]


def test_a_sentence_of_another_source_does_not_stand_beside_a_match() -> None:
    assert near("who takes Oskar", [QUESTION, {**REPLY, "source_id": "other"}]) == []


def test_related_memories_come_last_and_only_when_asked_for() -> None:
    facets = [Facet(one) for one in (SKODA, GONE, LANE)]
    alone = [one.row["memory_id"] for one in judged(facets, "Owen's car", at=AT)]
    filled = list(judged(facets, "Owen's car", at=AT, meaning={"l": 0.9}))
    assert alone == ["s"]
    assert filled[0].row["memory_id"] == "s"
    assert {one.row["memory_id"] for one in filled if BESIDE in one.parts} == {"g", "l"}


def test_to_a_mere_name_nothing_is_only_related() -> None:
    oskar = [{"name": "Oskar", "type": "Person", "role": "object"}]
    rows = [{**QUESTION, "entities": oskar}, REPLY]
    assert [one.row["memory_id"] for one in answered(rows, "Oskar", at=AT)] == ["q"]
    assert [one.row["memory_id"] for one in answered(rows, "who takes Oskar", at=AT)] == ["q", "r"]


def line(number: int, match: float, status: str = CURRENT, *, beside: bool = False) -> Seen:
    parts = {BESIDE: match} if beside else {"word": match}
    return Seen(row(str(number), "Timo earns 820.", "2025-01-01"), status, score=match, parts=parts)


def ids(lines: list[Seen], limit: int, *, filled: bool = True) -> list[int]:
    return [int(one.row["memory_id"]) for one in in_order(lines, lambda _: True, limit, filled=filled)]


def test_what_fits_and_may_have_ended_comes_before_what_fits_worse() -> None:
    lines = [line(1, 1.0, OUTDATED), *(line(n, 0.4) for n in range(2, 8))]
    assert ids(lines, 5) == [1, 2, 3, 4, 5]
    ended = [line(n, 1.0, OUTDATED) for n in range(MOST_ENDED + 2)]
    assert ids([*ended, line(9, 0.4)], 5)[: MOST_ENDED + 1] == [*range(MOST_ENDED), 9]


def test_related_lines_fill_up_a_short_answer_and_no_long_one() -> None:
    own, beside = [line(n, 1.0) for n in range(3)], [line(n, 0.5, beside=True) for n in range(10, 20)]
    assert len(ids([*own, *beside], 10)) == FILLED
    assert ids([*own, *beside], 10)[:3] == [0, 1, 2]
    many = [line(n, 1.0) for n in range(FILLED + 2)]
    assert ids([*many, *beside], 10) == list(range(FILLED + 2))
    assert ids([*own, line(9, 0.5, OUTDATED, beside=True)], 10) == [0, 1, 2]


def test_what_shares_only_a_concept_is_shown_where_little_is_known() -> None:
    lines = [line(1, 1.0), line(2, 0.5)]
    has_word = {"1"}.__contains__
    for filled, expected in ((True, ["1", "2"]), (False, ["1"])):
        found = in_order(lines, lambda one: has_word(one.row["memory_id"]), 5, filled=filled)
        assert [one.row["memory_id"] for one in found] == expected
