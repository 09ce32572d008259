"""What has ended single memories: by the clocks, whatever was asked before, as a comparison of every pair has it."""

from datetime import UTC, datetime

import numpy as np
import polars as pl

from brain_retrieval.knowledge.memories.endings import Endings, Moment, inside
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.supersession import SURE, Known, ending
from tests.retrieval.knowledge.memories.rows import day, row
from tests.retrieval.knowledge.memories.test_index import NOW, history, index_of
from tests.retrieval.knowledge.memories.test_screening import varied

LATER = Moment(NOW)
ALWAYS = datetime(9999, 1, 1, tzinfo=UTC)


def lives(key: str, where: str, said: str) -> dict:
    named = [{"name": "Jana", "role": "subject"}]
    slot = {"slot_subject": "Jana", "slot_attribute": "lives_in", "slot_value": where}
    return row(key, f"Jana lives in {where}", said, entities=named, **slot)


def chain() -> tuple[Endings, dict[str, int]]:
    rows = [lives("a", "Jena", "2025-01-01"), lives("b", "Kiel", "2025-02-01"), lives("c", "Bonn", "2025-03-01")]
    index = index_of(rows)
    return Endings(index), {key: number for number, key in enumerate(index.rows["memory_id"].to_list())}


def test_what_holds_instead_is_the_end_of_the_chain() -> None:
    endings, rows = chain()
    assert list(endings.holders(rows["a"], LATER)) == [rows["c"]]
    assert endings.holders(rows["c"], LATER) == {}


def test_as_of_a_day_what_held_then_is_found() -> None:
    endings, rows = chain()
    assert endings.holders(rows["a"], Moment(day("2025-01-15"))) == {}
    assert list(endings.holders(rows["a"], Moment(day("2025-02-15")))) == [rows["b"]]
    assert list(endings.holders(rows["a"], LATER)) == [rows["c"]]  # kept endings are compared with each moment


def test_what_does_not_count_ends_nothing() -> None:
    endings, rows = chain()
    without = np.ones(3, bool)
    without[rows["c"]] = False
    assert list(endings.holders(rows["a"], Moment(NOW, without))) == [rows["b"]]
    assert not endings.begun(rows["c"], Moment(NOW, without))


def test_no_ending_among_those_compared_is_left_out() -> None:
    index = index_of(varied(120))
    endings, count = Endings(index), 0
    known = Known(frequent=endings._frequent)
    for place, facet in enumerate(endings.facets(range(index.rows.height))):
        compared = [row for row in endings._comparable(place, facet) if row != place]
        every = {row for row in compared if ending(facet, endings.facet(row), ALWAYS, known)}
        assert {one.row for one in endings.of(place, Moment(ALWAYS))} == every
        count += len(every)
    assert count > 100


def test_sure_endings_are_those_of_a_comparison_of_every_pair() -> None:
    index = index_of(history(40))
    endings, facets = Endings(index), [Facet(one) for one in index.rows.to_dicts()]
    known, count = Known(frequent=endings._frequent), 0
    for place, facet in enumerate(facets):
        every = {number for number, other in enumerate(facets) if ending(facet, other, NOW, known) in SURE}
        assert {one.row for one in endings.of(place, LATER) if one.sure} == every
        count += len(every)
    assert count > 5


def test_the_order_in_which_memories_are_asked_for_does_not_matter() -> None:
    forward, backward = Endings(index_of(history(60))), Endings(index_of(history(60)))
    one = {place: forward.holders(place, LATER) for place in range(60)}
    other = {place: backward.holders(place, LATER) for place in reversed(range(60))}
    assert one == other
    assert any(one.values())


def test_memories_lie_in_a_passage_if_their_whole_evidence_does() -> None:
    spans = [(0, 10), (10, 20), (15, 25)]
    rows = [row(f"m{n}", "x", "2025-01-01", source_id="s", start=a, end=b) for n, (a, b) in enumerate(spans)]
    rows.append(row("other", "x", "2025-01-01", source_id="t", start=0, end=5))
    index = MemoryIndex.of(pl.DataFrame(rows, infer_schema_length=None))
    found = index.rows["memory_id"].gather(inside(index, "s", 0, 20)).to_list()
    assert sorted(found) == ["m0", "m1"]
    assert len(inside(index, "unknown", 0, 99)) == 0


def test_a_memory_of_the_future_has_not_begun() -> None:
    endings, rows = chain()
    assert not endings.begun(rows["c"], Moment(datetime(2025, 1, 15, tzinfo=UTC)))
    assert endings.begun(rows["c"], LATER)
