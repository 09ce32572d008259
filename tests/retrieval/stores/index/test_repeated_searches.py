"""A store may keep rows in memory once it is searched again: its answers are the same, and never older than a write.

Part of the contract of a search index, so each test runs on every store.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from brain_retrieval.home import Space
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.build import OpensIndex
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.lance.resident import LEFT_OUT
from brain_retrieval.stores.index.protocol import SearchIndex
from tests.retrieval.stores.rows import DIM, chunk, indexed, source_columns

DAY, NEXT = "2026-01-05", "2026-01-06"
QUERY = np.array([0.3, -1.0, 2.0, 0.5, 0.0, 0.1, -0.7, 1.1])
COLUMNS = [name for name in index_schema(DIM).names if name not in LEFT_OUT]
SOURCES = [source_columns("note", DAY, f"item{number}")["source_id"] for number in range(5)]
FILTERS = [
    EVERYTHING,
    IndexFilter(days=[DAY]),
    IndexFilter(speakers=["O'Brien"]),
    IndexFilter(sources=[]),
    IndexFilter(day_from=NEXT, sensitivity=["private"]),
    IndexFilter(titles=["Plan 1", "Plan 3", "Plan 9"]),
    IndexFilter(titles=["Plan 1"], day_from=NEXT),
    IndexFilter(titles=["Plan", "Plan 4 (old)"]),
    IndexFilter(stretches=[]),
    IndexFilter(stretches=[Stretch(SOURCES[0], 0, 1), Stretch(SOURCES[3], -2, 40), Stretch("O'Brien", 0, 9)]),
    IndexFilter(stretches=[Stretch(source, 0, 40) for source in SOURCES], titles=["Plan 1"]),
]


def rows_of(count: int, day: str = DAY, salt: str = "", **options: Any) -> list[dict[str, Any]]:
    texts = ["the quarterly budget", "budget of the zebra", "zebra"]
    rows = indexed([chunk("note", day, n, **{"text": texts[n % 3], "salt": salt} | options) for n in range(count)])
    titles = ["Plan (of 2026)", *(f"Plan {n}" for n in range(1, 5))]
    return [row | {"title": titles[n % 5]} for n, row in enumerate(rows)]


def nearest(index: SearchIndex, within: IndexFilter = EVERYTHING, limit: int = 100) -> list[str]:
    found = index.search_vectors(QUERY, within=within, limit=limit, columns=["id", "day"])
    return found.rows.column("id").to_pylist()


def ids(rows: list[dict[str, Any]]) -> set[str]:
    return {row["id"] for row in rows}


def warm(index: SearchIndex) -> None:
    """Search until a store that keeps rows in memory does so."""
    for _ in range(3):
        nearest(index)
    assert not isinstance(index, LanceIndex) or index._memory._kept is not None


@pytest.mark.parametrize("within", FILTERS, ids=range(len(FILTERS)))
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_answers_are_equal_before_and_after_a_store_keeps_its_rows(
    opens: OpensIndex, index: SearchIndex, space: Space, within: IndexFilter, limit: int
) -> None:
    index.replace("note", [DAY, NEXT], rows_of(20) + rows_of(20, NEXT))
    stretch = Stretch(index.read(columns=["source_id"]).to_pylist()[0]["source_id"], 0, 2)

    def answers(asked: SearchIndex) -> list[Any]:
        some = sorted(ids(rows_of(5)))
        by_text = asked.search_text("zebra budget", within=within, limit=limit, columns=COLUMNS)
        places = [(-match.score, match.row["id"]) for match in by_text]
        assert places == sorted(places)  # equal scores by id, whatever the order in which threads find them
        fetched = asked.fetch(some, stretches=[stretch], within=within, columns=COLUMNS)
        assert fetched.schema == asked.fetch([], columns=COLUMNS).schema
        by_vector = asked.search_vectors(QUERY, within=within, limit=limit, columns=COLUMNS)
        scores = (by_vector.scores.tolist(), by_text.scores.tolist())
        best = (by_vector.best("id", 3), by_text.best("id", 3))
        return [by_vector.rows.to_pylist(), by_text.rows.to_pylist(), fetched.to_pylist(), *scores, *best]

    fresh = opens(space, model="test-model", dim=DIM)
    first = answers(fresh)
    warm(fresh)
    assert answers(fresh) == first
    assert len(first[0]) == min(limit, index.count(within))


def test_a_write_is_seen_at_once(opens: OpensIndex, index: SearchIndex, space: Space) -> None:
    """By the handle that wrote and by one that did not; by vector, by words and by id."""
    reader = opens(space, model="test-model", dim=DIM)
    index.replace("note", [NEXT], rows_of(2, NEXT, text="other words"))
    written = rows_of(6)
    for rows in (written, rows_of(3, salt="new"), written[:4], [], rows_of(1)):
        for handle in (index, reader):
            warm(handle)
        index.replace("note", [DAY], rows)
        for handle in (reader, index):
            assert ids(handle.fetch(ids(written) | ids(rows), columns=["id"]).to_pylist()) == ids(rows)
            by_text = handle.search_text("budget zebra", limit=100, columns=["id"])
            assert set(by_text.rows.column("id").to_pylist()) == ids(rows)
            assert set(nearest(handle, IndexFilter(days=[DAY]))) == ids(rows)
            assert len(nearest(handle)) == len(rows) + 2


def test_what_a_row_says_is_that_of_the_last_write(index: SearchIndex) -> None:
    row = rows_of(1)[0]
    for title in ("first", "second", "third"):
        index.replace("note", [DAY], [row | {"title": title}])
        for _ in range(3):
            assert index.search_vectors(QUERY, limit=1, columns=["title"]).rows.to_pylist() == [{"title": title}]
            assert index.search_text("budget", limit=1, columns=["title"]).rows.to_pylist() == [{"title": title}]
            assert index.fetch([row["id"]], columns=["title"]).to_pylist() == [{"title": title}]


def test_a_table_dropped_and_made_again_is_another(opens: OpensIndex, index: SearchIndex, space: Space) -> None:
    """Its commits are counted from the start, so its number may be that of the rows in memory."""
    reader = opens(space, model="test-model", dim=DIM)
    for salt in ("one", "two", "three"):
        rows = rows_of(3, salt=salt)
        index.replace("note", [DAY], rows)
        for handle in (reader, index):
            assert set(nearest(handle)) == ids(rows)
            warm(handle)
            assert set(handle.fetch(ids(rows), columns=["id"]).column("id").to_pylist()) == ids(rows)
        index.drop()


def test_equal_vectors_are_ordered_by_id(index: SearchIndex) -> None:
    rows = [row | {"vector": rows_of(1)[0]["vector"]} for row in rows_of(30)]
    index.replace("note", [DAY], rows)
    for _ in range(3):
        found = index.search_vectors(QUERY, limit=100, columns=["id"])
        assert found.rows.column("id").to_pylist() == sorted(ids(rows))
        assert len(set(found.scores.tolist())) == 1


def test_columns_that_are_not_kept_in_memory_are_there_too(index: SearchIndex) -> None:
    rows = rows_of(3)
    index.replace("note", [DAY], rows)
    for _ in range(3):
        for names in (["search_text", "id"], ["vector", "strategy"], index_schema(DIM).names):
            by_vector = index.search_vectors(QUERY, limit=3, columns=names).rows
            by_text = index.search_text("budget", limit=3, columns=names).rows
            fetched = index.fetch(ids(rows), columns=names)
            assert by_vector.column_names == by_text.column_names == fetched.column_names == list(names)


def test_an_index_that_was_cleared_answers_with_nothing(index: SearchIndex) -> None:
    index.replace("note", [DAY], rows_of(3))
    index.replace("note", [DAY], [])
    within = IndexFilter(speakers=["Ana"], days=[DAY])
    for _ in range(3):
        assert nearest(index) == nearest(index, within) == []
        assert len(index.search_text("budget", within=within, limit=5, columns=["id"])) == 0
        assert index.fetch(["x"], stretches=[Stretch("s", 0, 9)], columns=["id"]).num_rows == 0


def test_stretches_end_where_they_say_and_at_the_ends_of_the_source(index: SearchIndex) -> None:
    index.replace("note", [DAY], rows_of(12))  # sources of four passages
    source_id = chunk("note", DAY, 4)["source_id"]
    for _ in range(2):
        for first, last, expected in ((4, 5, [4, 5]), (-9, 4, [4]), (6, 99, [6, 7]), (5, 4, []), (8, 8, [])):
            found = index.fetch([], stretches=[Stretch(source_id, first, last)], columns=["position"])
            assert sorted(found.column("position").to_pylist()) == expected
        two = index.fetch([], stretches=[Stretch(source_id, 4, 5), Stretch(source_id, 5, 6)], columns=["position"])
        assert sorted(two.column("position").to_pylist()) == [4, 5, 6]
        warm(index)


def test_searches_beside_a_writer_never_see_half_a_partition(space: Space) -> None:
    """LanceDB alone: the exact index writes its file in place. The partition alternates between two sets of rows."""
    index = LanceIndex(space, model="test-model", dim=DIM)
    common = rows_of(2, text="budget zebra")
    versions = [common + rows_of(9, salt=salt, text="budget zebra")[2:] for salt in ("even", "odd")]
    index.replace("note", [DAY], versions[0])
    allowed = [frozenset(ids(rows)) for rows in versions]
    everything = allowed[0] | allowed[1]
    writing = True

    def search(ask: int) -> set[frozenset[str]]:
        seen = set()
        while writing:
            if ask == 0:
                found = nearest(index)
            elif ask == 1:
                found = index.search_text("zebra", limit=50, columns=["id", "title"]).rows.column("id").to_pylist()
            else:
                found = index.fetch(everything, columns=["id"]).column("id").to_pylist()
            seen.add(frozenset(found))
        return seen

    with ThreadPoolExecutor(4) as pool:
        searching = [pool.submit(search, ask % 3) for ask in range(4)]
        try:
            for turn in range(12):
                index.replace("note", [DAY], versions[(turn + 1) % 2])
                warm(index)
        finally:
            writing = False
        for seen in (one.result(timeout=300) for one in searching):
            assert seen <= set(allowed)
