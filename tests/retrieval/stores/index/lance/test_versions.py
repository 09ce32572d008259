"""How long replaced versions of a table stay, and how many rows a write may leave out of the text index."""

import time
from datetime import timedelta

import pytest

from brain_retrieval.home import Space
from brain_retrieval.stores.index.lance import lance_table, versions
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from tests.retrieval.stores.rows import DIM, chunks, indexed

DAYS = [f"2026-01-{day:02d}" for day in range(1, 7)]


@pytest.fixture
def index(space: Space) -> LanceIndex:
    return LanceIndex(space, model="m", dim=DIM)


def write(index: LanceIndex) -> None:
    for day in DAYS:
        index.replace("note", [day], indexed(chunks("note", day, 60)))


def test_replaced_versions_stay_for_readers_while_they_are_small(index: LanceIndex) -> None:
    write(index)
    folder = index._folder
    assert len(index._open().list_versions()) == index.version()
    assert versions.grace(index._open(), folder, before=time.time() + 9) == versions.READER_GRACE


def test_replaced_versions_that_take_more_than_the_table_go_with_the_next_write(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if minutes had passed since: an import must not leave a copy of the table for each write. Readers go on."""
    monkeypatch.setattr(versions, "SPARE_BYTES", 0)
    monkeypatch.setattr(versions, "SHORT_GRACE", timedelta(milliseconds=1))
    monkeypatch.setattr(versions, "last_change", lambda _: time.time() + 9)
    index.replace("note", DAYS[:1], indexed(chunks("note", DAYS[0], 60)))
    reader = LanceIndex(index.space, model="m", dim=DIM)
    assert len(reader.search_text("budget", limit=360, columns=["id"])) == 60
    write(index)
    assert len(reader.search_text("budget", limit=360, columns=["id"])) == reader.count() == 60 * len(DAYS)
    assert len(index._open().list_versions()) <= 3


def test_the_version_before_a_write_stays_until_the_write_is_on_the_disk(
    index: LanceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "SPARE_BYTES", 0)
    write(index)
    yesterday = time.time() - 86_400
    assert versions.grace(index._open(), index._folder, before=yesterday) > timedelta(days=1)


@pytest.mark.parametrize(
    ("rows", "allowed"), [(100, 50), (2_000, 200), (5_000, 500), (50_000, 500), (200_000, 2_000), (1_000_000, 10_000)]
)
def test_a_write_leaves_a_bounded_share_out_of_the_text_index(rows: int, allowed: int) -> None:
    """A fixed number would have a large table written again for each few hundred rows: quadratic in its rows."""
    assert lance_table.allowed_tail(rows) == allowed
