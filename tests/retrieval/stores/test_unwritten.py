"""A database of a home that is mounted read-only is read without anything being written beside it."""

import shutil
from pathlib import Path

import pytest

from brain_retrieval.errors import ReadOnlyHomeError
from brain_retrieval.home import Space
from brain_retrieval.stores import sqlite
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.unwritten import open_unwritten


@pytest.fixture
def mounted_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "is_read_only", lambda _: True)


def test_a_closed_catalog_is_read_and_not_written(space: Space, mounted_read_only: None) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sqlite, "is_read_only", lambda _: False)
        with Catalog(space) as catalog:
            catalog.set_meta("active_index", "minilm")
    before = space.catalog.read_bytes()
    with Catalog(space) as catalog:
        assert catalog.get_meta("active_index") == "minilm"
        with pytest.raises(ReadOnlyHomeError):
            catalog.set_meta("active_index", "other")
    assert space.catalog.read_bytes() == before


def test_what_is_only_in_the_log_is_read_from_a_copy(tmp_path: Path, space: Space, catalog: Catalog) -> None:
    catalog.set_meta("active_index", "minilm")  # in the log, as the catalog stays open
    left = tmp_path / "left"
    left.mkdir()
    for name in ("catalog.sqlite", "catalog.sqlite-wal"):
        shutil.copy(space.catalog.with_name(name), left)
    (left / "catalog.sqlite-shm").mkdir()  # SQLite can make no index of the log here, as on a read-only disk
    connection = open_unwritten(left / "catalog.sqlite")
    assert connection.execute("SELECT value FROM meta WHERE key = 'active_index'").fetchall() == [("minilm",)]
    connection.close()
    assert sorted(one.name for one in left.iterdir()) == ["catalog.sqlite", "catalog.sqlite-shm", "catalog.sqlite-wal"]
