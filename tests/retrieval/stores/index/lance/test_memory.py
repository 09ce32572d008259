"""Which tables are kept in memory, and that the newest commit is recognised without asking LanceDB."""

from datetime import timedelta

import numpy as np
import pytest

from brain_retrieval.home import Space
from brain_retrieval.stores.index.lance import lance_table, memory
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.lance.memory import newest_version, stamp_of
from brain_retrieval.stores.index.lance.resident import Resident
from tests.retrieval.stores.rows import DIM, chunk, chunks, indexed

DAYS = ["2026-01-05", "2026-01-06"]
QUERY = np.ones(DIM)


@pytest.fixture
def index(space: Space) -> LanceIndex:
    index = LanceIndex(space, model="test-model", dim=DIM)
    index.replace("note", DAYS[:1], indexed(chunks("note", DAYS[0], 12)))
    return index


def search(index: LanceIndex, times: int = 1) -> list[list[str]]:
    return [index.search_vectors(QUERY, limit=5, columns=["id"]).rows.column("id").to_pylist() for _ in range(times)]


def test_a_large_table_is_read_by_a_thread_while_searches_go_on(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "AT_ONCE", 10)
    first = search(index, 2)
    assert index._memory._reader is None
    assert search(index) == first[:1]
    index._memory.wait()
    kept = index._memory._kept
    assert kept is not None and len(kept) == 12
    assert search(index) == first[:1]
    index.replace("note", DAYS[1:], indexed(chunks("note", DAYS[1], 3)))
    assert len(index.search_vectors(QUERY, limit=50, columns=["id"])) == 15
    assert index._memory._kept is None
    search(index, 2)
    index._memory.wait()
    assert index._memory._kept is not None and len(index._memory._kept) == 15


def test_a_small_table_that_was_kept_is_read_again_at_once_after_a_write(index: LanceIndex) -> None:
    search(index)
    assert index._memory._kept is None
    search(index)
    index.replace("note", DAYS[1:], indexed(chunks("note", DAYS[1], 3)))
    assert len(index.search_vectors(QUERY, limit=50, columns=["id"])) == 15
    assert index._memory._kept is not None and len(index._memory._kept) == 15


def state(kept: Resident) -> tuple[list[dict], list, list[int]]:
    return kept.rows.to_pylist(), kept.vectors.tolist(), kept.numbered(np.arange(1 << 10, dtype=np.uint64)).tolist()


def test_rows_that_are_known_are_not_read_again(index: LanceIndex) -> None:
    index.replace("note", DAYS[1:], indexed(chunks("note", DAYS[1], 8)))
    table, writer = index._open(), another(index)
    before = Resident.of(table, stamp_of(table, index._folder))
    asked: list[list[int]] = []

    class Counted:
        search = table.search

        def take_row_ids(self, numbers: list[int]) -> object:
            asked.append(numbers)
            return table.take_row_ids(numbers)

    for rows in (indexed(chunks("note", DAYS[1], 8)), indexed(chunks("note", DAYS[1], 3)), [], harvest(5)):
        writer.replace("note", DAYS[1:], rows)
        stamp = stamp_of(table, index._folder)
        after = before.renewed(Counted(), stamp)
        assert after is not None and after.stamp == stamp
        assert state(after) == state(Resident.of(table, stamp))
        before = after
    assert [len(numbers) for numbers in asked] == [8, 3, 5]  # all rows of the day that is written; none of the other
    assert before.renewed(table, (0, 0, stamp[2])) is None  # dropped and made again
    index.compact(keep=timedelta(0))
    assert before.renewed(table, stamp_of(table, index._folder)) is None  # all have other numbers


def test_a_commit_while_new_rows_are_read_lets_all_be_read(index: LanceIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "KNOWN", 1)
    search(index, 2)
    index.replace("note", DAYS[1:], indexed(chunks("note", DAYS[1], 3)))
    real = Resident.renewed

    def beside_a_writer(kept: Resident, table: object, stamp: tuple[int, int, int]) -> Resident | None:
        found = real(kept, table, stamp)
        another(index).replace("note", DAYS[1:], indexed(chunks("note", DAYS[1], 2)))
        return found

    monkeypatch.setattr(Resident, "renewed", beside_a_writer)
    assert len(index.search_vectors(QUERY, limit=50, columns=["id"])) == 14


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_OF_ALL"])
def test_tables_beyond_the_room_are_not_kept(index: LanceIndex, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(memory, limit, 11)
    assert search(index, 4)[0] == search(LanceIndex(index.space, model="test-model", dim=DIM))[0]
    assert index._memory._kept is None and index._memory._reader is None


def test_the_newest_version_is_that_of_lancedb(index: LanceIndex) -> None:
    for count in (3, 5, 0):
        index.replace("note", DAYS[1:], indexed(chunks("note", DAYS[1], count)))
        assert newest_version(index._open(), index._folder) == index.version()
    index.compact(keep=timedelta(0))
    assert newest_version(index._open(), index._folder) == index.version()


def by_words(index: LanceIndex) -> tuple[list[dict], list[float]]:
    found = index.search_text("harvest", limit=5, columns=["id", "text", "vector"])
    return found.rows.to_pylist(), found.scores.tolist()


def harvest(count: int) -> list[dict]:
    """Return index rows that hold the word, each of another length, so that no two have the same score."""
    return indexed([chunk("note", DAYS[1], n, text="harvest" + " plan" * n) for n in range(count)])


def another(index: LanceIndex) -> LanceIndex:
    return LanceIndex(index.space, model="test-model", dim=DIM)


def test_words_find_the_same_rows_whether_they_are_in_memory_or_not(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.replace("note", DAYS[1:], harvest(6))
    search(index, 2)
    assert index._memory._kept is not None
    assert by_words(index) == by_words(another(index))
    assert len(by_words(index)[0]) == 5

    # A write between the check of the rows in memory and the query: LanceDB's row numbers are those of other rows.
    real, calls = lance_table.matches, []

    def after_a_write(*arguments: object) -> object:
        calls.append(arguments[-1])
        if len(calls) == 1:
            another(index).replace("note", DAYS[1:], harvest(4))
        return real(*arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(lance_table, "matches", after_a_write)
    found = by_words(index)
    assert calls == [["_rowid"], ["id", "text", "vector"]]
    assert found == by_words(another(index))
