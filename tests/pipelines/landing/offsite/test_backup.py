"""Backups at a destination: identical when restored, never half visible, and honest about what is damaged."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from brain_pipelines.landing.archive import importing
from brain_pipelines.landing.archive.importing import UserHasDataError
from brain_pipelines.landing.offsite import cleaning, leases
from brain_pipelines.landing.offsite.backing_up import OtherWriterError, UnfinishedRestoreError, back_up_user
from brain_pipelines.landing.offsite.cleaning import check, clean, prune, to_keep
from brain_pipelines.landing.offsite.heads import Head, NoBackupError, choose, heads_of
from brain_pipelines.landing.offsite.leases import LeaseError, cleaning_lease, writing_lease
from brain_pipelines.landing.offsite.objects import DestinationError, Objects, open_objects
from brain_pipelines.landing.offsite.restoring import restore_user
from brain_pipelines.landing.offsite.state import read_state
from brain_retrieval.brain import Brain
from brain_retrieval.errors import BadInputError, InvalidSettingsError
from brain_retrieval.home import Home
from brain_retrieval.settings import BackupSettings, load_settings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from tests.pipelines.conftest import Bench
from tests.pipelines.landing.offsite.conftest import NOTES, clone
from tests.servers import s3
from tests.victims import run_until_killed


def back_up(bench: Bench, objects: Objects, **options):
    return back_up_user(bench.space(), bench.settings, objects, **options)


def restore(bench: Bench, objects: Objects, **options):
    return restore_user(bench.home, bench.settings, objects, "alice", **options)


def stores(bench: Bench) -> list[object]:
    graph = EmbeddedGraph(bench.space())
    try:
        return [bench.digests(), graph.digest(), sorted(path.name for path in bench.space().blobs.glob("*/*"))]
    finally:
        graph.close()


def test_restored_user_has_the_same_digests_and_unchanged_files_are_not_stored_again(filled, other, either) -> None:
    first = back_up(filled, either)
    assert first.changed and first.files > 20 and first.head.number == 1
    again = back_up(filled, either)
    assert not again.changed and (again.files, again.bytes, again.head) == (0, 0, first.head)

    restored = restore(other, either)
    assert restored.whole and not restored.done.forgotten
    assert stores(other) == stores(filled)
    with Brain.open(other.home.path, user="alice") as brain:
        assert list(brain.search("Who leads Phoenix?"))

    filled.land(filled.drop("alice", "note", "new.md", "Priya orders a marzipan cake.", day="2026-01-09"))
    filled.run()
    changed = back_up(filled, either)
    assert changed.changed and changed.head.number == 2 and 0 < changed.files < first.files / 2
    assert restore(other, either, replacing=True).head.number == 2
    assert stores(other) == stores(filled)
    assert restore(other, either, at="1", replacing=True).head.number == 1
    assert "inbox:note/new.md" not in other.texts()
    assert not check(either, "alice", heads_of(either, "alice"))
    assert not either.under("alice/leases") and not list((other.home.path / "users").glob(".*"))


def test_backup_without_what_is_derived_is_computed_again(filled, other, objects, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_BACKUP__DERIVED", "false")
    head = back_up(filled, objects).head
    assert not head.derived
    assert not restore(other, objects).whole
    assert not list(other.space().lake.rglob("*.parquet"))
    other.run()
    assert other.digests() == filled.digests()


def test_two_homes_that_back_up_at_once_both_appear(filled, either, tmp_path) -> None:
    back_up(filled, either)
    benches = [clone(filled, tmp_path / name) for name in ("one", "two")]
    for bench in benches:
        (bench.space().root / "backup-state.json").unlink()
        bench.land(bench.drop("alice", "note", "own.md", f"Written in {bench.home.path.name}."))
    with pytest.raises(OtherWriterError, match="another home"):
        back_up(benches[0], either)
    with ThreadPoolExecutor(2) as threads:
        made = [one.head for one in threads.map(lambda bench: back_up(bench, either, take_over=True), benches)]
    assert {one.number for one in made} == {2, 3} and [one.number for one in heads_of(either, "alice")] == [1, 2, 3]
    assert not check(either, "alice", made) and made[0].manifest != made[1].manifest


def die(*_args: object, **_options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def victim_of_backup(home: Path, destination: str, moment: str) -> None:
    if moment == "contents":
        stored = Objects.put

        def put(self: Objects, key: str, content: Any) -> Any:
            if "/blobs/" in key and self.under("alice/blobs"):  # some are there, not all
                die()
            return stored(self, key, content)

        Objects.put = put
    else:
        Objects.create = die
    settings = load_settings(home)
    objects = open_objects(BackupSettings(destination=destination))
    back_up_user(Home(home).space("alice"), settings, objects)


@pytest.mark.parametrize("moment", ["contents", "entry"])
def test_killed_backup_is_not_visible_and_the_next_one_is_whole(filled, objects, other, folder, moment) -> None:
    run_until_killed(victim_of_backup, filled.home.path, folder.as_uri(), moment)
    assert objects.under("alice/blobs") and objects.under("alice/leases")
    with pytest.raises(NoBackupError):
        restore(other, objects)
    assert back_up(filled, objects).head.number == 1
    assert not objects.under("alice/leases") and not check(objects, "alice", heads_of(objects, "alice"))
    prune(objects, filled.space(), filled.settings.backup)
    named = {one.key.rpartition("/")[2] for one in objects.under("alice/blobs")}
    assert named == set(cleaning.contents_of(objects, heads_of(objects, "alice")))


def victim_of_restore(home: Path, destination: str, moment: str) -> None:
    setattr(importing, moment, die)
    objects = open_objects(BackupSettings(destination=destination))
    restore_user(Home(home), load_settings(home), objects, "alice", replacing=moment == "_move_away")


@pytest.mark.parametrize("moment", ["sync_changes", "_move_away", "_move_inbox"])
def test_killed_restore_leaves_all_or_nothing(filled, objects, other, folder, moment) -> None:
    back_up(filled, objects)
    if moment == "_move_away":
        other.land(other.drop("alice", "note", "mine.md", "My own words."))
    run_until_killed(victim_of_restore, other.home.path, folder.as_uri(), moment)
    if moment == "sync_changes":
        assert other.home.users() == [] and not other.space().inbox.exists()
    elif moment == "_move_away":
        assert (other.space().inbox / "note" / "mine.md").is_file() and other.home.users() == ["alice"]
    if moment == "_move_inbox":
        with pytest.raises(UnfinishedRestoreError):
            back_up(other, objects)
    restore(other, objects, replacing=moment == "_move_away")
    assert stores(other) == stores(filled)
    names = {path.name for path in other.space().inbox.rglob("*.md")}
    assert names == {*NOTES, *(["mine.md"] if moment == "_move_away" else [])}  # files of the inbox are never removed


def test_damaged_content_is_named_restored_nowhere_and_can_be_replaced(filled, other, objects, folder) -> None:
    head = back_up(filled, objects).head
    place = sorted(filled.space().blobs.glob("*/*"))[0]
    stored = folder / "alice" / "blobs" / place.name[:2] / place.name
    content = bytearray(stored.read_bytes())
    content[0] ^= 1
    stored.write_bytes(content)
    assert check(objects, "alice", [head], quick=True) == []
    [*faults] = check(objects, "alice", [head])
    assert {one.path for one in faults} == {f"user/raw/blobs/{place.name[:2]}/{place.name}", *inbox_of(filled, place)}
    with pytest.raises(BadInputError, match=r"raw/blobs|inbox/note"):
        restore(other, objects)
    assert other.home.users() == [] and not list((other.home.path / "users").iterdir())
    with pytest.raises(BadInputError):
        restore(filled, objects, replacing=True)
    back_up(filled, objects, full=True)
    assert check(objects, "alice", heads_of(objects, "alice")) == []
    stored.unlink()
    assert {one.what for one in check(objects, "alice", [head], quick=True)} == {"missing"}


def inbox_of(bench: Bench, blob: Path) -> set[str]:
    files = (path for path in bench.space().inbox.rglob("*") if path.is_file())
    same = [path for path in files if path.read_bytes() == blob.read_bytes()]
    return {f"inbox/{path.relative_to(bench.space().inbox).as_posix()}" for path in same}


def test_restore_never_overwrites_unless_told(filled, objects) -> None:
    back_up(filled, objects)
    before = stores(filled)
    with pytest.raises(UserHasDataError, match="--replace"):
        restore(filled, objects)
    assert stores(filled) == before


def test_wrong_credentials_are_named_without_secrets(s3_server: s3.Server) -> None:
    wrong = {**s3_server.settings("x"), "secret_access_key": "a-secret-of-mine"}
    for values in (wrong, {**wrong, "access_key_id": "unknown-key-id"}, {**wrong, "destination": "s3://missing/x"}):
        settings = BackupSettings(**values)
        assert "a-secret-of-mine" not in repr(settings)
        with pytest.raises(DestinationError) as raised:
            heads_of(open_objects(settings), "alice")
        said = str(raised.value)
        assert "refuses the credentials" in said
        assert not any(secret in said for secret in ("a-secret-of-mine", "unknown-key-id", s3_server.access_key_id))
    closed = {**wrong, "endpoint": "http://127.0.0.1:1"}
    with pytest.raises(DestinationError, match="no answer"):
        open_objects(BackupSettings(**closed)).create("alice/x", b"")


def test_destination_without_credentials_or_of_another_kind_is_refused(monkeypatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(DestinationError, match="there are no credentials"):
        open_objects(BackupSettings(destination="s3://bucket/x"))
    with pytest.raises(InvalidSettingsError, match=r"backup\.destination"):
        open_objects(BackupSettings())
    for wrong in ("/tmp/x", "s3:///x", "https://host/x", "s3://key:secret@bucket/x", "file://host/x"):
        with pytest.raises(ValidationError):
            BackupSettings(destination=wrong)
    with pytest.raises(ValidationError, match="in the clear"):
        BackupSettings(endpoint="http://storage.example.org")


def head_of(number: int, made: datetime) -> Head:
    return Head(number, "alice", made.isoformat(), "w", "m", True, 1, 1, 1, 1)


def test_days_and_weeks_are_kept() -> None:
    first = datetime(2026, 1, 1, 6, tzinfo=UTC)
    heads = [head_of(number + 1, first + timedelta(hours=12 * number)) for number in range(120)]
    kept = to_keep(heads, BackupSettings(keep_daily=3, keep_weekly=4))
    made = sorted(heads[number - 1].made_at[:13] for number in kept)
    assert made == [
        *("2026-02-08T18", "2026-02-15T18", "2026-02-22T18"),  # Sundays
        *("2026-02-27T18", "2026-02-28T18", "2026-03-01T06", "2026-03-01T18"),  # all of the newest day
    ]
    assert to_keep([], BackupSettings()) == set()
    assert choose(heads, "alice", "2026-01-02").number == 4 and choose(heads, "alice", "7").number == 7
    with pytest.raises(NoBackupError):
        choose(heads, "alice", "2025-12-31")


def test_nothing_is_removed_while_a_backup_is_written(objects, monkeypatch) -> None:
    with writing_lease(objects, "alice", "writer") as lease:
        with pytest.raises(LeaseError, match="is being written"), cleaning_lease(objects, "alice", wait_seconds=0):
            pass
        lease.renew()
        monkeypatch.setattr(leases, "LIFETIME", timedelta(seconds=-1))  # its process was killed an hour ago
        with pytest.raises(LeaseError, match="too long"):
            lease.renew()
        with cleaning_lease(objects, "alice", wait_seconds=0):
            monkeypatch.undo()
            waits = writing_lease(objects, "alice", "other", wait_seconds=0)
            with pytest.raises(LeaseError, match="being removed"), waits:
                pass
    assert objects.under("alice/leases") == []


def test_damaged_entry_of_a_backup_is_named(filled, objects, folder) -> None:
    back_up(filled, objects)
    [path] = (folder / "alice" / "backups").iterdir()
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "files": 1}))
    with pytest.raises(BadInputError, match=r"alice/backups/0000000001\.json is damaged"):
        heads_of(objects, "alice")
    with pytest.raises(BadInputError):
        clean(objects, "alice", lambda _: set())
    assert objects.under("alice/blobs") and read_state(filled.space()).number == 1
