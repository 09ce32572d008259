"""Moving to another embedding model: built beside, swapped when complete, the old table dropped later."""

from datetime import timedelta

import pytest

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Space
from brain_retrieval.settings import IndexSettings, Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.build import STORES, build_index
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.migration import active_index, after_write, drop_retired, missing
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from tests.retrieval.stores.index.exact_index import ExactIndex
from tests.retrieval.stores.rows import DIM, chunks, indexed

DAYS = ["2026-01-05", "2026-01-06"]


def embed(lake: Lake, index: SearchIndex, source: str, days: list[str]) -> bool:
    """Do what the embeddings stage does; return whether the index is active then."""
    rows = lake.read("chunks", source=source, days=days).to_pylist()
    index.replace(source, days, indexed(rows, index.dim))
    return after_write(lake.space, lake.catalog, lake, index)


def active_name(space: Space, catalog: Catalog) -> str | None:
    index = active_index(space, catalog)
    return index.name if index else None


def test_a_rebuild_swaps_when_complete(space: Space, catalog: Catalog, lake: Lake) -> None:
    old, new = LanceIndex(space, model="small", dim=DIM), LanceIndex(space, model="large", dim=2 * DIM)
    for source in ("note", "mail"):
        lake.replace_many("chunks", source, {day: chunks(source, day, 3) for day in DAYS})
    assert active_index(space, catalog) is None
    assert embed(lake, old, "note", DAYS)
    assert embed(lake, old, "mail", DAYS)
    assert not embed(lake, new, "note", DAYS)
    assert not embed(lake, new, "mail", DAYS[:1])
    assert active_name(space, catalog) == old.name
    assert embed(lake, new, "mail", DAYS[1:])
    assert active_name(space, catalog) == new.name
    assert drop_retired(space, catalog) == 0
    assert old.count() == 12
    assert drop_retired(space, catalog, older_than=timedelta(0)) == 1
    assert (old.exists(), new.count()) == (False, 12)


def test_stale_ids_keep_a_rebuild_from_being_complete(space: Space, catalog: Catalog, lake: Lake) -> None:
    old, new = LanceIndex(space, model="small", dim=DIM), LanceIndex(space, model="large", dim=DIM)
    lake.replace_many("chunks", "note", {day: chunks("note", day, 3) for day in DAYS})
    embed(lake, old, "note", DAYS)
    embed(lake, new, "note", DAYS[:1])
    lake.replace("chunks", "note", DAYS[0], chunks("note", DAYS[0], 3, salt="edited"))
    assert not embed(lake, new, "note", DAYS[1:])
    assert missing(lake, new) == {("note", DAYS[0])}
    assert embed(lake, new, "note", DAYS[:1])
    assert missing(lake, new) == set()


def test_going_back_reuses_the_retired_table_and_clears_what_vanished(
    space: Space, catalog: Catalog, lake: Lake
) -> None:
    old, new = LanceIndex(space, model="small", dim=DIM), LanceIndex(space, model="large", dim=DIM)
    lake.replace_many("chunks", "note", {day: chunks("note", day, 3) for day in DAYS})
    embed(lake, old, "note", DAYS)
    embed(lake, new, "note", DAYS)
    assert active_name(space, catalog) == new.name
    lake.replace("chunks", "note", DAYS[1], [])
    embed(lake, new, "note", DAYS[1:])
    assert embed(lake, old, "note", DAYS[:1])
    assert active_name(space, catalog) == old.name
    assert old.counts("note", DAYS) == {DAYS[0]: 3}
    assert drop_retired(space, catalog, older_than=timedelta(0)) == 1
    assert (old.exists(), new.exists()) == (True, False)


def test_a_move_to_another_store_is_a_rebuild_like_any_other(
    space: Space, catalog: Catalog, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STORES, "exact", ExactIndex)
    settings = Settings(index=IndexSettings(store="exact"))
    lake.replace_many("chunks", "note", {day: chunks("note", day, 3) for day in DAYS})
    old, new = (build_index(space, one, model="small", dim=DIM) for one in (Settings(), settings))
    embed(lake, old, "note", DAYS)
    assert not embed(lake, new, "note", DAYS[:1])
    assert isinstance(active_index(space, catalog), LanceIndex)
    assert embed(lake, new, "note", DAYS[1:])
    found = active_index(space, catalog)
    assert isinstance(found, ExactIndex)
    assert (found.model, found.dim, found.digest()) == ("small", DIM, old.digest())
    assert drop_retired(space, catalog, older_than=timedelta(0)) == 1
    assert (old.exists(), found.exists()) == (False, True)


def test_a_store_that_is_not_known_is_named(space: Space) -> None:
    with pytest.raises(InvalidSettingsError, match=r"'lancdb'; known are lancedb"):
        build_index(space, Settings(index=IndexSettings(store="lancdb")), model="m", dim=DIM)
