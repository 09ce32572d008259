"""An empty database is made once, kept for later processes, and made again if the kept one is damaged or of old."""

import sqlite3
from pathlib import Path

import pytest

from brain_pipelines.orchestration import empty_databases
from brain_pipelines.orchestration.empty_databases import copy_empty

made: list[Path] = []


def make(path: Path) -> None:
    made.append(path)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE log (entry)")
    connection.close()


def tables(path: Path) -> list[tuple[str]]:
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT name FROM sqlite_master").fetchall()


@pytest.fixture(autouse=True)
def _new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    monkeypatch.setattr(empty_databases, "_made", {})


def test_a_later_process_copies_what_an_earlier_one_has_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.db", "b.db"):
        copy_empty(tmp_path / name, "run", make, keeps=True)
    monkeypatch.setattr(empty_databases, "_made", {})
    copy_empty(tmp_path / "c.db", "run", make, keeps=True)
    assert len(made) == 1
    assert [tables(tmp_path / f"{name}.db") for name in "abc"] == [[("log",)]] * 3
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["a.db", "b.db", "c.db"]
    assert len([*tmp_path.iterdir()]) == 4


def test_a_damaged_or_older_one_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_empty(tmp_path / "a.db", "run", make, keeps=True)
    [kept] = tmp_path.glob(".empty-*")
    kept.write_bytes(kept.read_bytes()[:-7])
    monkeypatch.setattr(empty_databases, "_made", {})
    copy_empty(tmp_path / "b.db", "run", make, keeps=True)
    assert len(made) == 2 and tables(tmp_path / "b.db") == [("log",)]
    monkeypatch.setattr(empty_databases, "_made", {})
    monkeypatch.setattr(empty_databases, "dagster_version", "9.9")
    copy_empty(tmp_path / "c.db", "run", make, keeps=True)
    assert len(made) == 3 and len([*tmp_path.glob(".empty-*")]) == 1


def test_one_of_a_kind_of_which_there_is_one_is_not_kept(tmp_path: Path) -> None:
    copy_empty(tmp_path / "index.db", "index", make)
    assert [path.name for path in tmp_path.iterdir()] == ["index.db"]
