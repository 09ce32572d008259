"""The catalog: ledger, quarantine and attempts behave as keyed rows, and damage is reported as what it is."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog, LedgerRow, QuarantineRow

ROW = LedgerRow(
    source="note",
    stage="chunks",
    day="2026-01-05",
    state="ok",
    input_hash="i",
    code_version="1",
    config_hash="c",
    output_hash="o",
    rows=3,
    error="",
    run_id="r1",
    started_at=datetime(2026, 1, 6, 3, 30, tzinfo=UTC),
    seconds=0.25,
)


def test_a_ledger_row_replaces_the_one_of_its_key(catalog: Catalog) -> None:
    failed = replace(ROW, state="failed", error="out of memory", run_id="r2")
    catalog.put_ledger(ROW, replace(ROW, day="2026-01-06"))
    catalog.put_ledger(failed)
    assert catalog.get_ledger("note", "chunks", "2026-01-05") == failed
    assert [row.day for row in catalog.ledger(source="note")] == ["2026-01-05", "2026-01-06"]
    assert catalog.ledger(state="failed") == [failed]
    assert catalog.ledger(days=["2026-01-06", "x'y"], stage="chunks") == [replace(ROW, day="2026-01-06")]
    assert catalog.get_ledger("note", "text", "2026-01-05") is None


def test_filters_take_more_days_than_sqlite_takes_parameters(catalog: Catalog) -> None:
    catalog.put_ledger(ROW)
    assert catalog.ledger(days=[*map(str, range(40_000)), ROW.day]) == [ROW]
    assert catalog.ledger(days=[]) == []


def test_quarantine_is_replaced_by_key(catalog: Catalog) -> None:
    one = QuarantineRow("note", "text", "2026-01-05", "src_1", "inbox:note/a.md", "not 'UTF-8'", "rejected")
    two = replace(one, source_id="src_2", kind="repaired")
    other = replace(one, day="2026-01-06")
    catalog.replace_quarantine("note", "text", "2026-01-05", [two, one, one])
    catalog.replace_quarantine("note", "text", "2026-01-06", [other])
    assert catalog.quarantine("note", "text", "2026-01-05") == [one, two]
    catalog.replace_quarantine("note", "text", "2026-01-05", [])
    assert catalog.quarantine() == [other]
    with pytest.raises(ValueError, match="another key"):
        catalog.replace_quarantine("note", "text", "2026-01-05", [other])


def test_attempts_are_counted_by_run_and_input(catalog: Catalog) -> None:
    key = ("note", "text", "2026-01-05", "src_1", "hash")
    for run in ("r1", "r1", "r2"):
        catalog.record_attempt(*key, run_id=run, error="timed out")
    catalog.record_attempt("note", "text", "2026-01-05", "src_2", "hash", run_id="r3", error="timed out")
    assert catalog.attempts(*key) == 2
    assert catalog.attempts("note", "text", "2026-01-05", "src_1", "new hash") == 0
    assert catalog.failures("note", "text", "2026-01-05", "hash") == 3


def test_meta(catalog: Catalog) -> None:
    catalog.set_metas({"a:1": "x", "a:2": "y", "b": "z"})
    catalog.set_meta("a:2", None)
    assert (catalog.get_meta("b"), catalog.get_meta("a:2"), catalog.meta("a:")) == ("z", None, {"a:1": "x"})


def test_a_transaction_that_raises_changes_nothing(catalog: Catalog) -> None:
    with pytest.raises(RuntimeError), catalog.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('k', 'v')")
        raise RuntimeError
    assert catalog.get_meta("k") is None


def test_first_openers_in_many_threads_agree(space: Space) -> None:
    def open_and_write(number: int) -> None:
        with Catalog(space) as catalog:
            catalog.set_meta(f"k{number}", "v")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(open_and_write, range(24)))
    with Catalog(space) as catalog:
        assert len(catalog.meta("k")) == 24


@pytest.mark.parametrize("damage", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_catalog_says_what_to_do(space: Space, damage: bytes) -> None:
    space.catalog.write_bytes(damage)
    with pytest.raises(StoreError, match="the next run moves it aside"):
        Catalog(space).lake_files()


def test_a_catalog_damaged_later_says_what_to_do(space: Space) -> None:
    with Catalog(space) as catalog:
        catalog.put_ledger(*(replace(ROW, stage=f"stage{number}") for number in range(2000)))
    data = bytearray(space.catalog.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)
    space.catalog.write_bytes(data)
    with pytest.raises(StoreError, match="the next run moves it aside"):
        Catalog(space).ledger()


def test_the_state_changes_with_each_write_of_any_connection_and_with_nothing_else(space: Space) -> None:
    with Catalog(space) as own, Catalog(space) as other:
        other.set_meta("a", "1")
        before = own.state()
        own.get_meta("a")
        assert own.state() == before
        other.set_meta("a", "2")
        after = own.state()
        own.set_meta("a", "3")
        states = [before, after, own.state(), other.state()]
        own.close()
        states.append(own.state())  # opened again
    assert len(set(states)) == len(states)
