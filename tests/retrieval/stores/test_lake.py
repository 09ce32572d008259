"""The lake in one process: replacing, reading, digests, and what happens when files are lost or rows do not fit."""

import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home, Space
from brain_retrieval.schemas.names import ORIGIN_NAMES, PLACE_NAMES, SOURCE_NAMES
from brain_retrieval.schemas.tables import ORIGIN_COLUMNS, PLACE, SOURCE_COLUMNS, TABLES
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.retrieval.stores.rows import chunk, chunks, document

DAY, NEXT = "2026-01-05", "2026-01-06"


def on_disk(space: Space) -> list[Path]:
    return sorted(path for path in space.lake.rglob("*") if path.is_file())


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_lake_reads_as_an_empty_table(lake: Lake, table: str) -> None:
    assert lake.read(table).schema == TABLES[table]
    assert lake.read(table, source="note", days=[DAY], columns=["day"]).num_rows == 0
    assert lake.replace(table, "note", DAY, []) == ""
    assert lake.digest() == {}


def test_rows_come_back_as_they_went_in(lake: Lake) -> None:
    documents = [document("note", DAY, item, "text 🙂 \x01 'quoted'") for item in ("b", "a")]
    lake.replace("text", "note", DAY, documents)
    found = lake.read("text")
    assert found.schema == TABLES["text"]
    assert found.to_pylist() == sorted(documents, key=lambda row: row["source_id"])


def test_a_replacement_leaves_neither_duplicates_nor_orphans(lake: Lake) -> None:
    lake.replace("chunks", "note", DAY, chunks("note", DAY, 10))
    lake.replace("chunks", "note", NEXT, chunks("note", NEXT, 4))
    lake.replace("chunks", "mail", DAY, chunks("mail", DAY, 3))
    lake.replace("chunks", "note", DAY, chunks("note", DAY, 6, text="new"))
    assert lake.read("chunks", source="note", days=[DAY]).to_pylist() == sorted(
        chunks("note", DAY, 6, text="new"), key=lambda row: row["chunk_id"]
    )
    assert lake.read("chunks").num_rows == 13
    lake.replace("chunks", "note", DAY, [])
    assert set(lake.digest()) == {("chunks", "mail", DAY), ("chunks", "note", NEXT)}
    assert lake.read("chunks", days=[DAY], columns=["source"]).column("source").unique().to_pylist() == ["mail"]


def test_a_span_is_replaced_at_once_and_unchanged_days_get_no_new_file(lake: Lake, space: Space) -> None:
    days = {DAY: chunks("note", DAY, 3), NEXT: chunks("note", NEXT, 2)}
    first = lake.replace_many("chunks", "note", days)
    before = on_disk(space)
    shuffled = {day: random.Random(1).sample(rows, len(rows)) for day, rows in days.items()}
    assert lake.replace_many("chunks", "note", shuffled) == first
    assert on_disk(space) == before
    assert lake.replace_many("chunks", "note", {DAY: days[DAY], NEXT: []}) == {DAY: first[DAY], NEXT: ""}
    assert list(lake.digest()) == [("chunks", "note", DAY)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=6), seed=st.integers(0, 9))
def test_the_digest_is_that_of_the_content(lake: Lake, texts: list[str], seed: int) -> None:
    rows = [chunk("note", DAY, number, text=text) for number, text in enumerate(texts)]
    shuffled = random.Random(seed).sample(rows, len(rows))
    as_table = pa.Table.from_pylist(shuffled, schema=TABLES["chunks"])
    first = lake.replace("chunks", "note", DAY, rows)
    lake.replace("chunks", "note", DAY, [])
    assert lake.replace("chunks", "note", DAY, as_table) == first
    assert lake.verify() == {}
    if rows:
        assert lake.replace("chunks", "note", DAY, [{**rows[0], "text": texts[0] + "."}, *rows[1:]]) != first


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"day": NEXT}, NEXT),
        ({"source": "mail"}, "mail"),
        ({"text": None}, "null in columns .* text"),
        ({"token_count": "many"}, "many"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_changes(lake: Lake, change: dict, message: str) -> None:
    lake.replace("chunks", "note", DAY, chunks("note", DAY, 2))
    before = lake.digest()
    with pytest.raises((ValueError, TypeError), match=message):
        lake.replace_many("chunks", "note", {NEXT: chunks("note", NEXT, 1), DAY: [{**chunk("note", DAY, 0), **change}]})
    assert lake.digest() == before


@pytest.mark.parametrize(
    ("table", "source", "day"),
    [
        ("chunk", "note", DAY),
        ("chunks", "../bob", DAY),
        ("chunks", "", DAY),
        ("chunks", "A", DAY),
        ("chunks", "note", "x/.."),
    ],
)
def test_keys_that_could_leave_the_lake_are_refused(lake: Lake, table: str, source: str, day: str) -> None:
    with pytest.raises(ValueError, match=r"table|source|isoformat"):
        lake.replace(table, source, day, [])


@pytest.mark.parametrize("missing", ["chunk_id", "message_ids"])
def test_a_table_without_a_column_is_refused(lake: Lake, missing: str) -> None:
    rows = pa.Table.from_pylist(chunks("note", DAY, 2), schema=TABLES["chunks"]).drop_columns([missing])
    with pytest.raises(ValueError, match=missing):
        lake.replace("chunks", "note", DAY, rows)


def test_lost_file_error_names_partition_and_rerun_repairs_it(lake: Lake, space: Space) -> None:
    days = {DAY: chunks("note", DAY, 3), NEXT: chunks("note", NEXT, 2)}
    digests = lake.replace_many("chunks", "note", days)
    (space.lake / lake.catalog.lake_files(days=[DAY])[0].path).unlink()
    with pytest.raises(StoreError, match=f"re-run the note partitions of {DAY}"):
        lake.read("chunks")
    assert lake.lost("chunks", "note", [DAY, NEXT, "2026-01-07"]) == {DAY, "2026-01-07"}
    assert list(lake.verify()) == [("chunks", "note", DAY)]
    assert lake.read("chunks", days=[NEXT]).num_rows == 2
    assert lake.replace_many("chunks", "note", days) == digests
    assert lake.verify() == {}


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"x" * 5000])
def test_a_damaged_file_names_the_partition(lake: Lake, space: Space, damage: bytes) -> None:
    lake.replace("chunks", "note", DAY, chunks("note", DAY, 3))
    (space.lake / lake.catalog.lake_files()[0].path).write_bytes(damage)
    with pytest.raises(StoreError, match=f"re-run the note partitions of {DAY}"):
        lake.read("chunks")


def test_a_home_can_be_moved(lake: Lake, space: Space, tmp_path: Path) -> None:
    lake.replace("chunks", "note", DAY, chunks("note", DAY, 3))
    lake.catalog.close()
    space.home.rename(tmp_path / "moved")
    moved = Home(tmp_path / "moved").space("alice")
    with Catalog(moved) as catalog:
        assert Lake(moved, catalog).read("chunks").num_rows == 3


def test_the_names_of_columns_are_those_of_the_tables() -> None:
    for names, columns in ((SOURCE_NAMES, SOURCE_COLUMNS), (PLACE_NAMES, PLACE), (ORIGIN_NAMES, ORIGIN_COLUMNS)):
        assert names == tuple(column.name for column in columns)
