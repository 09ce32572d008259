"""The second line of defence: writers that do not hold the lock leave no duplicates and no half-made table."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa

from brain_retrieval.home import Space
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.lance import lance_table
from tests.retrieval.stores.rows import DIM, chunks, indexed

DAY = "2026-01-05"
SCHEMA = index_schema(DIM)


def create(space: Space) -> Any:
    return lance_table.create(lance_table.connect(space.index), "t", SCHEMA)


def test_concurrent_first_writers_create_one_table_with_indexes(space: Space) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(create, [space] * 6))
    found = lance_table.connect(space.index).open_table("t").list_indices()
    assert sorted(index.name for index in found) == sorted(lance_table.INDEXES)


def test_unlocked_replacements_of_one_partition_leave_no_duplicates(space: Space) -> None:
    """The declared key catches two inserts of one id. Rows of different ids would stay side by side: hence the lock."""
    batches = [pa.Table.from_pylist(indexed(chunks("note", DAY, 9, text=mark)), schema=SCHEMA) for mark in "abcd"]

    def replace(batch: pa.Table) -> None:
        merge = create(space).merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.when_not_matched_by_source_delete(f"day = '{DAY}'").execute(batch)

    for _ in range(3):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(replace, batches))
        found = lance_table.connect(space.index).open_table("t").to_arrow()
        assert sorted(found.column("id").to_pylist()) == sorted(batches[0].column("id").to_pylist())
        create(space).delete("true")


def test_a_table_left_without_its_text_index_gets_it(space: Space) -> None:
    """A writer was killed between creating the table and its indexes."""
    lance_table.connect(space.index).create_table("t", schema=SCHEMA)
    assert len(create(space).list_indices()) == len(lance_table.INDEXES)


def test_names(space: Space) -> None:
    names: Sequence[str] = [lance_table.table_name("text-embedding-3/Large", 3072), lance_table.table_name("é" * 90, 8)]
    assert names[0].startswith("chunks_text_embedding_3_large_3072_")
    assert all(name.isascii() and len(name) < 80 for name in names)
