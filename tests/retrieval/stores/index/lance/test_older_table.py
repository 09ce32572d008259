"""A table made before there were codes of words is searched as it is, and gets their column with the next write."""

import pytest

from brain_retrieval.home import Space
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.index_rows import index_digest
from brain_retrieval.stores.index.lance import lance_table
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from tests.retrieval.stores.rows import DIM, chunks, indexed, vector_of

DAY, NEXT = "2026-01-05", "2026-01-06"
SCHEMA = index_schema(DIM)
OLD = SCHEMA.remove(SCHEMA.get_field_index(WORD_CODES))
COLUMNS = ["id", "text", WORD_CODES]


@pytest.fixture
def older(space: Space) -> LanceIndex:
    """An index whose table lacks the column, with four rows."""
    index = LanceIndex(space, model="test-model", dim=DIM)
    table = lance_table.connect(space.index).create_table(index.name, schema=OLD)
    for name in lance_table.INDEXES:
        column = name.removesuffix("_idx")
        table.create_index(column, config=lance_table._config(name, "en"), replace=False)
    rows = [{key: value for key, value in row.items() if key != WORD_CODES} for row in indexed(chunks("note", DAY, 4))]
    table.add(rows)
    return index


def test_every_way_of_reading_gives_null(older: LanceIndex) -> None:
    ids = {row["id"] for row in indexed(chunks("note", DAY, 4))}
    for _ in range(3):  # in LanceDB first, then in memory
        near = older.search_vectors(vector_of("x"), limit=10, columns=COLUMNS).rows
        words = older.search_text("note", limit=10, columns=COLUMNS).rows
        fetched = older.fetch(ids, columns=COLUMNS)
        within = older.search_vectors(vector_of("x"), within=IndexFilter(days=[DAY]), limit=9, columns=COLUMNS).rows
        for found in (near, words, fetched, within, older.read(columns=COLUMNS), older.read().select(COLUMNS)):
            assert found.column_names == COLUMNS
            assert set(found["id"].to_pylist()) == ids
            assert found[WORD_CODES].null_count == 4
    assert {one.word_codes for one in older.known_vectors("note", [DAY]).values()} == {None}
    assert sum(batch.num_rows for batch in older.batches(SCHEMA.names)) == 4


def test_its_digest_is_that_of_rows_without_the_column(older: LanceIndex, space: Space) -> None:
    before = older.digest()
    other = LanceIndex(space, model="other", dim=DIM)
    other.replace("note", [DAY], [row | {WORD_CODES: None} for row in indexed(chunks("note", DAY, 4))])
    assert before == other.digest() == index_digest(other.read())


def test_a_write_adds_the_column_and_keeps_the_rows(older: LanceIndex) -> None:
    older.search_vectors(vector_of("x"), limit=10, columns=COLUMNS)
    older.search_vectors(vector_of("x"), limit=10, columns=COLUMNS)
    fresh = indexed(chunks("note", NEXT, 2))
    older.replace("note", [NEXT], fresh)
    expected = {row["id"]: None for row in indexed(chunks("note", DAY, 4))}
    expected |= {row["id"]: row[WORD_CODES] for row in fresh}
    for _ in range(3):
        found = older.search_vectors(vector_of("x"), limit=10, columns=COLUMNS).rows
        assert dict(zip(found["id"].to_pylist(), found[WORD_CODES].to_pylist(), strict=True)) == expected
    older.replace("note", [DAY], indexed(chunks("note", DAY, 4)))
    found = older.search_vectors(vector_of("x"), limit=10, columns=COLUMNS).rows
    assert found[WORD_CODES].null_count == 0
    assert older.check() is None
