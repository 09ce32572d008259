"""The upkeep call: does what is due, nothing twice, and changes no content."""

from datetime import timedelta

import pytest

from brain_retrieval.home import Space
from brain_retrieval.stores import maintenance
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.lance import lance_index, lance_table
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.lance.versions import stored_bytes
from brain_retrieval.stores.index.migration import after_write
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.maintenance import maintain
from tests.retrieval.stores.rows import chunks, indexed, vector_of

DAYS = [f"2024-01-{day:02}" for day in range(1, 29)]
NOTHING = {"compacted_months": 0, "optimized_indexes": 0, "dropped_indexes": 0, "removed_files": 0}


def test_maintenance_of_an_empty_space(space: Space) -> None:
    assert maintain(space) == NOTHING


@pytest.mark.filterwarnings("ignore:optimize")
def test_maintenance_does_what_is_due_and_keeps_contents(
    space: Space, catalog: Catalog, lake: Lake, index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "COMMITS", 8)
    for day in DAYS[:6]:
        rows = chunks("note", day, 2)
        lake.replace("chunks", "note", day, rows)
        index.replace("note", [day], indexed(rows))
        after_write(space, catalog, lake, index)
    digests = lake.digest(), index.digest()
    files = len(list(space.index.rglob("*")))
    assert maintain(space, keep=timedelta(0)) == {
        **NOTHING,
        "compacted_months": 1,
        "optimized_indexes": 1,
        "removed_files": 6,
    }
    assert (lake.digest(), index.digest()) == digests
    assert len(list(space.index.rglob("*"))) < files
    assert maintain(space) == NOTHING
    assert maintain(space, force=True)["optimized_indexes"] == 1
    assert index.search_text("budgets", limit=20, columns=["id"]).scores[0] > 0
    assert lake.verify() == {}


def test_rows_beyond_the_text_index_are_a_reason_to_optimise(space: Space, catalog: Catalog, index: LanceIndex) -> None:
    catalog.set_meta("active_index", "test-model|8")
    index.replace("note", DAYS[:1], indexed(chunks("note", DAYS[0], 3)))
    assert index.unindexed() == 3
    found = index.search_text("budgets", limit=20, columns=["id"])
    assert maintain(space)["optimized_indexes"] == 1
    assert index.unindexed() == 0
    again = index.search_text("budgets", limit=20, columns=["id"])
    assert (again.rows, again.scores.tolist()) == (found.rows, found.scores.tolist())
    assert maintain(space) == NOTHING


def test_replaced_versions_that_take_most_of_the_space_are_a_reason_once(
    space: Space, catalog: Catalog, index: LanceIndex
) -> None:
    catalog.set_meta("active_index", "test-model|8")
    for day in DAYS[:9]:
        index.replace("note", [day], indexed(chunks("note", day, 3)))
    assert maintain(space)["optimized_indexes"] == 1  # for its text index; readers may still use the replaced versions
    full, digest = stored_bytes(space.index), index.digest()
    assert maintain(space) == NOTHING
    assert maintain(space, keep=timedelta(0))["optimized_indexes"] == 1
    assert stored_bytes(space.index) < full / 2 and index.digest() == digest
    assert maintain(space, keep=timedelta(0)) == NOTHING


def test_above_the_limit_an_approximate_index_is_built_and_searched(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_index, "EXACT_ROWS", 300)
    rows = indexed([row for day in DAYS for row in chunks("note", day, 20)])
    index.replace("note", DAYS, rows)
    index.compact()
    index.compact()
    columns = [found.columns for found in index._open().list_indices()]
    assert columns.count(["vector"]) == 1
    target = rows[77]["id"]
    for within in (IndexFilter(), IndexFilter(sources=["note"]), IndexFilter(days=[rows[77]["day"]])):
        hits = list(index.search_vectors(vector_of(target), within=within, limit=10, columns=["id"]))
        assert (hits[0].row["id"], len(hits)) == (target, 10)
        assert hits[0].score == pytest.approx(1, abs=1e-5)


def test_parts_of_the_approximate_index_are_merged_before_they_are_many(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write that reaches the text index adds one, which every search looks through."""
    monkeypatch.setattr(lance_index, "EXACT_ROWS", 300)
    index.replace("note", DAYS, indexed([row for day in DAYS for row in chunks("note", day, 20)]))
    index.compact()
    table, seen = index._open(), list[int]()
    for number in range(1, lance_table.MOST_PARTS + 2):
        index.replace(
            "mail", [f"2024-02-{number:02}"], indexed(chunks("mail", f"2024-02-{number:02}", lance_table.TAIL_ROWS))
        )
        seen.append(table.index_stats("vector_idx").num_indices)
    assert max(seen) > lance_table.MOST_PARTS
    before = index.digest()
    index.compact()
    assert table.index_stats("vector_idx").num_indices == table.stats()["fragment_stats"]["num_fragments"] == 1
    assert index.digest() == before
    target = indexed(chunks("mail", "2024-02-03", lance_table.TAIL_ROWS))[7]["id"]
    hits = list(index.search_vectors(vector_of(target), limit=10, columns=["id"]))
    assert (hits[0].row["id"], len(hits)) == (target, 10)
