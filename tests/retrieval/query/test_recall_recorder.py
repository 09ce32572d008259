"""Searching leaves a trace in the access log, and never fails because of it."""

import sqlite3
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings
from brain_retrieval.stores.access_log import AccessLog
from tests.retrieval.library import fill, note_rows, talk_rows


@pytest.fixture
def home(tmp_path: Path) -> Path:
    fill(tmp_path, "alice", [*talk_rows(), *note_rows()])
    return tmp_path


def logged(home: Path) -> dict[str, set[str]]:
    with AccessLog(Home(home).space("alice")) as log:
        rows = log.recalls()
    return {kind: set(rows.filter(item=kind)["item_id"]) for kind in ("source", "chunk")}


def test_hits_are_recalled_once_a_session(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        for _ in range(3):
            found = brain.search("Who leads Project Phoenix?", k=2, session="s1")
        assert found.warnings == []
        brain.search("Who leads Project Phoenix?", k=2, session="s2")
    assert logged(home)["source"] == {hit.source_ref.source_id for hit in found}
    assert logged(home)["chunk"] >= {hit.source_ref.chunk_id for hit in found}
    with AccessLog(Home(home).space("alice")) as log:
        assert log.recalls().filter(item="source").height == 2 * len(found)


def test_of_a_context_only_what_is_packed(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        pack = brain.context("Who leads Project Phoenix?", max_tokens=150)
    assert pack.dropped
    assert logged(home)["source"] == {item.hit.source_ref.source_id for item in pack.items}


def test_log_false_records_nothing(home: Path) -> None:
    quiet = Settings().model_copy(update={"memory": Settings().memory.model_copy(update={"log_access": False})})
    with Brain.open(home, user="alice") as brain:
        assert brain.search("Phoenix", log=False)
        assert brain.context("Phoenix", log=False).items
    with Brain.open(home, user="alice", settings=quiet) as brain:
        assert brain.search("Phoenix")
    assert not (home / "users/alice/access.sqlite").exists()


@pytest.mark.parametrize("trouble", ["locked", "damaged", "directory"])
def test_unwritable_log_warns_once(home: Path, trouble: str) -> None:
    path = home / "users/alice/access.sqlite"
    other = None
    if trouble == "locked":
        with AccessLog(Home(home).space("alice")) as log:
            log.checkpoint()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
    elif trouble == "damaged":
        path.write_bytes(b"this is no database, whatever its name says. " * 50)
    else:
        path.mkdir()
    with Brain.open(home, user="alice") as brain:
        first, second = brain.search("Phoenix"), brain.context("Phoenix")
    assert "Phoenix" in first[0].text
    assert second.items
    assert [w for w in first.warnings if "not recorded" in w]
    assert not [w for w in second.warnings if "not recorded" in w]
    if other is not None:
        other.close()
