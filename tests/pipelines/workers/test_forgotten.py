"""What was forgotten is in no object of the workers' storage once the receipt says so."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.knowledge.forgetting.forget import forget, preview
from brain_pipelines.knowledge.forgetting.plan import Scope
from brain_pipelines.knowledge.forgetting.receipts import FOLDER, WAITING, receipts
from brain_pipelines.landing.offsite.heads import blob_key
from brain_pipelines.landing.offsite.objects import DestinationError, Objects, open_objects
from brain_pipelines.orchestration.workers import session
from brain_pipelines.orchestration.workers.copying import needed_by
from brain_pipelines.orchestration.workers.forgotten import STORE, waits
from tests.pipelines.workers.conftest import Machines
from tests.pipelines.workers.test_worker_command import records_in

KEPT, SECRET = "The well is behind the barn.", "Quillfeather hid the marzipan in the observatory."


@pytest.fixture
def filled(machines: Machines) -> Machines:
    """Two notes that a worker has computed, and what a run that was never committed left in the storage."""
    machines.land("kept.md", KEPT)
    machines.land("secret.md", SECRET)
    machines.run(machines.first, run_id="run")
    stored(machines).put(blob_key("alice", "ab" * 32), SECRET.encode())
    return machines


def stored(machines: Machines) -> Objects:
    home = machines.home
    return open_objects(home.settings.backup, home.settings.workers.destination)


def forget_in_session(machines: Machines, scope: Scope) -> dict[str, Any]:
    """Forget as the job in the home does; return the receipt as it is before the commit."""
    home = machines.home.home
    with machines.session(machines.home):
        return forget(home, preview(home, "alice", scope, command="test"))


def keys_needed(machines: Machines) -> set[str]:
    with machines.fence() as fence:
        copy = fence.copy("alice")
    assert copy
    return {blob_key("alice", one) for one in needed_by(stored(machines), "alice", copy)}


def keys_stored(machines: Machines) -> set[str]:
    return {one.key for one in stored(machines).under("alice")}


def test_the_storage_holds_only_what_is_left(filled: Machines) -> None:
    before = keys_stored(filled)
    first = forget_in_session(filled, Scope("source", "note/secret.md"))
    assert first["complete"] and STORE in first[WAITING]
    assert keys_stored(filled) == keys_needed(filled)
    [receipt] = receipts(filled.home.home, "alice")
    assert STORE not in receipt[WAITING] and "disks of the workers" in receipt[WAITING]
    assert receipt["removed_at_workers"] >= len(before - keys_stored(filled)) > 1
    assert not waits(filled.home.space())
    with filled.session(filled.first):  # a worker's disk follows with its next run
        assert list(filled.first.texts().values()) == [KEPT]
    files = [path for path in filled.first.space().root.rglob("*") if path.is_file()]
    assert files and not any(b"marzipan" in path.read_bytes() for path in files)


def test_upkeep_removes_what_uncommitted_runs_left_a_day_ago(filled: Machines, monkeypatch) -> None:
    left = blob_key("alice", "ab" * 32)
    with filled.session(filled.home, sweeping=True):
        pass
    assert left in keys_stored(filled)  # it may be of a run that does not know yet that it lost its lock
    monkeypatch.setattr(session, "UNCOMMITTED_FOR", timedelta())
    with filled.session(filled.home, sweeping=True):
        pass
    assert keys_stored(filled) == keys_needed(filled)
    with filled.session(filled.second):
        assert set(filled.second.texts().values()) == {KEPT, SECRET}


def test_a_storage_that_fails_is_emptied_by_the_next_session(filled: Machines, monkeypatch) -> None:
    def fail(*_args: object) -> None:
        raise DestinationError("the storage is away")

    with monkeypatch.context() as broken:
        broken.setattr(session, "purge", fail)
        forget_in_session(filled, Scope("source", "note/secret.md"))
    assert waits(filled.home.space()) and keys_stored(filled) > keys_needed(filled)
    with filled.session(filled.home):
        pass
    assert not waits(filled.home.space()) and keys_stored(filled) == keys_needed(filled)


def test_a_forgotten_user_has_nothing_in_the_storage(filled: Machines, monkeypatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(session, "_tidy", lambda *_args, **_options: None)  # as if killed right after the commit
        forget_in_session(filled, Scope("user"))
    assert keys_stored(filled)
    [path] = (filled.home.home.path / FOLDER).glob("receipt_*.json")
    assert STORE in json.loads(Path(path).read_text())[WAITING]
    with filled.session(filled.home, ["bob"]):
        pass
    assert not keys_stored(filled)
    assert STORE not in json.loads(Path(path).read_text())[WAITING]


def test_the_command_forgets_where_workers_compute(filled: Machines) -> None:
    """Also what the job cannot be given: the name of a person."""
    home = filled.home.home
    records_in(home, filled.database)
    asked = ["forget", "mentions", "Quillfeather", "--user", "alice", "--yes", "--home", str(home.path)]
    answer = CliRunner().invoke(app, asked)
    assert answer.exit_code == 0, answer.output
    assert "contents removed from the object storage" in answer.output and "disks of the workers" in answer.output
    assert keys_stored(filled) == keys_needed(filled)
    with filled.session(filled.second):
        assert list(filled.second.texts().values()) == [KEPT]
