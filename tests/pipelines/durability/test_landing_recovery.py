"""The landing record: backed up, and recovered from the backup and the lake with the times of receipt."""

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from brain_pipelines.commands.status import status
from brain_pipelines.engine.landing_recovery import ensure_landing, recover
from brain_pipelines.landing.backup import back_up, backups, newest_sound, put_back
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration import sensors
from brain_pipelines.orchestration.doctor import check_up
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.stores.access_log import AccessLog
from tests.pipelines.conftest import RECEIVED, Bench

DAYS = ("2026-01-05", "2026-01-06")
LATER = RECEIVED + timedelta(days=3)
LINES = [
    {
        "session": "one",
        "timestamp": "2026-01-05T09:00:00Z",
        "speaker": "Alice Chen",
        "text": "The launch is on 30 March.",
    },
    {
        "session": "two",
        "timestamp": "2026-01-06T09:00:00Z",
        "speaker": "Priya Nair",
        "text": "The launch is on 6 April.",
    },
]


def chat(count: int) -> str:
    return "".join(json.dumps(line) + "\n" for line in LINES[:count])


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with a chat that grew and a note; backed up before the second session and the note came."""
    bench = Bench(Home(tmp_path_factory.mktemp("stored") / "home"))
    bench.land(bench.drop("alice", "conversation", "launch.jsonl", chat(1)))
    back_up(bench.space(), kept=14, now=RECEIVED)
    bench.land(bench.drop("alice", "conversation", "launch.jsonl", chat(2)), now=LATER)
    bench.land(bench.drop("alice", "note", "a.md", "Alice Chen leads the redesign.\n"), now=LATER)
    bench.run(source="conversation")
    bench.run()
    return bench


@pytest.fixture
def copied(bench: Bench, stored: Bench) -> Bench:
    shutil.copytree(stored.home.path, bench.home.path, dirs_exist_ok=True)
    return bench


def receipts(bench: Bench) -> dict[str, tuple[str, str, str]]:
    with open_landing(bench.space(), bench.settings) as landing:
        return {item.uri: (item.received_at.isoformat(), item.sha256, item.hash) for item in landing.all_items()}


def lose(bench: Bench, content: bytes | None = None) -> None:
    for path in bench.space().landing.parent.glob("landing.sqlite*"):
        path.unlink()
    if content is not None:
        bench.space().landing.write_bytes(content)


@pytest.mark.parametrize("with_backup", [True, False])
def test_a_lost_record_keeps_every_receipt_time(copied: Bench, stored: Bench, *, with_backup: bool) -> None:
    lose(copied)
    if not with_backup:
        shutil.rmtree(copied.space().backups)
    sensors.tick(copied.home, copied.settings, None)
    assert receipts(copied) == receipts(stored)
    assert {at for at, *_ in receipts(copied).values()} == {RECEIVED.isoformat(), LATER.isoformat()}
    found = status(copied.home)["users"][0]["recovered"]
    assert (found["of_backup"], found["of_lake"]) == ((1, 2) if with_backup else (0, 3))
    copied.run(source="conversation")
    copied.run()
    assert copied.digests() == stored.digests()
    assert ensure_landing(copied.space(), copied.settings) is None


def test_the_doctor_restores_a_damaged_record(copied: Bench, stored: Bench) -> None:
    lose(copied, b"not a database" * 100)
    health = check_up(copied.space(), copied.settings)
    assert [one.place for one in health.healed] == ["raw/landing.sqlite"] and health.remaining == []
    assert receipts(copied) == receipts(stored)
    assert copied.digests() == stored.digests()
    assert [path for path in copied.space().damaged.iterdir() if path.name.endswith("landing.sqlite")]


def test_a_record_older_than_the_lake_is_noticed_and_completed(copied: Bench, stored: Bench) -> None:
    [backup] = backups(copied.space())
    put_back(copied.space(), backup)
    health = check_up(copied.space(), copied.settings, heal=False)
    assert [one.what.partition(" were")[0] for one in health.remaining] == ["older than the lake: 2 items"]
    assert check_up(copied.space(), copied.settings).remaining == []
    assert receipts(copied) == receipts(stored)


def test_backups_are_rotated_and_a_damaged_one_is_not_used(copied: Bench) -> None:
    space = copied.space()
    for day in range(1, 5):
        assert back_up(space, kept=3, now=LATER + timedelta(days=day))
    newest, middle, oldest = backups(space)
    copies = {(one.folder / "landing.sqlite").stat().st_ino for one in (newest, middle, oldest)}
    assert len(copies) == 1  # nothing changed between them
    (newest.folder / "landing.sqlite").unlink()
    (newest.folder / "landing.sqlite").write_bytes(b"damaged")
    assert newest_sound(space) == middle
    lose(copied, b"damaged")
    with pytest.raises(sqlite3.DatabaseError):
        back_up(space, kept=3, now=LATER + timedelta(days=9))
    assert backups(space)[0] == newest


def test_what_was_forgotten_does_not_come_back_from_a_backup(copied: Bench) -> None:
    space = copied.space()
    back_up(space, kept=14, now=LATER)
    with open_landing(space, copied.settings) as landing:
        [note] = landing.items("note", DAYS[0])
    with closing(sqlite3.connect(space.landing)) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS tombstone(digest TEXT PRIMARY KEY, at TEXT) WITHOUT ROWID")
        stone = content_id("forgotten", "uri", note.source_id)
        connection.execute("INSERT INTO tombstone VALUES (?, ?)", (stone, LATER.isoformat()))
        connection.execute("DELETE FROM item WHERE file = ?", (note.file,))
        connection.commit()
    recover(space, copied.settings)
    assert note.uri not in receipts(copied) and len(receipts(copied)) == 2


def test_the_doctor_restores_a_damaged_access_log(copied: Bench) -> None:
    space = copied.space()
    with AccessLog(space) as log:
        log.record([("source", "source_1")], at=LATER)
    back_up(space, kept=14, now=LATER)
    for path in space.root.glob("access.sqlite*"):
        path.unlink()
    (space.root / "access.sqlite").write_bytes(b"not a database" * 100)
    assert [one.place for one in check_up(space, copied.settings).healed] == ["access.sqlite"]
    with AccessLog(space) as log:
        assert log.count() == 1
