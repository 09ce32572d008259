"""Landing: what is recorded when a file arrives, and which days become dirty."""

import json
import sqlite3
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.landing.blobs import FileChangedError, drop_into_inbox
from brain_pipelines.landing.dirty_days import REARM_AFTER
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import Landing
from brain_pipelines.landing.run_planning import DirtyDay
from brain_pipelines.readers.contract import Delivery, Item
from brain_pipelines.sources import note
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.brain import Brain
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Limits

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def open_landing(space: Space, *, first_day: str = "2024-01-01", zone: str = "UTC") -> Landing:
    return Landing(space, first_day=date.fromisoformat(first_day), zone=ZoneInfo(zone), limits=Limits())


def state_of(space: Space, path: Path) -> FileState:
    return FileState.of(path, space.inbox)


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Home(tmp_path).space("alice")


@pytest.fixture
def landing(space: Space):
    with open_landing(space) as landing:
        yield landing


def test_landed_file_is_stored_byte_for_byte(bench, space: Space) -> None:
    path = bench.drop("alice", "note", "a.md", "hello")
    assert bench.land(path) == {"2026-01-05"}
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2026-01-05")
    assert bench.space().blob(item.sha256).read_bytes() == b"hello"
    assert (item.uri, item.received_at, item.event_from) == ("inbox:note/a.md", NOW, "file")


def test_unchanged_file_makes_no_day_dirty(bench) -> None:
    path = bench.drop("alice", "note", "a.md", "hello")
    bench.land(path)
    path.touch()  # a new mtime is a new event time for a note without a date
    assert bench.land(bench.drop("alice", "note", "a.md", "hello")) == set()


def test_edit_that_moves_event_makes_both_days_dirty(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2026-01-05\n---\nhello"))
    assert bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2026-02-07\n---\nhello")) == {
        "2026-01-05",
        "2026-02-07",
    }


def test_received_at_is_first_arrival_under_any_name(bench) -> None:
    first = bench.drop("alice", "note", "a.md", "hello")
    bench.land(first, now=NOW)
    bench.remove(first)
    bench.land(bench.drop("alice", "note", "renamed.md", "hello"), now=NOW + timedelta(days=3))
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2026-01-05")
    assert (item.uri, item.received_at) == ("inbox:note/renamed.md", NOW)


def test_events_before_first_day_are_clamped_and_keep_their_time(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 1999-05-01\n---\nold"))
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2024-01-01")
        assert landing.days("note") == ["2024-01-01"]
    assert item.event_at.date() == date(1999, 5, 1)


def test_future_events_are_stored_on_day_of_receipt(bench) -> None:
    assert bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2031-05-01\n---\nlater")) == {"2026-03-01"}


def test_day_is_in_configured_time_zone(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_TIME_ZONE", "America/New_York")
    message = {"role": "user", "content": "late", "timestamp": "2026-01-06T02:00:00+00:00", "session": "s"}
    assert bench.land(bench.drop("alice", "conversation", "c.jsonl", json.dumps(message))) == {"2026-01-05"}


def test_growing_conversation_changes_only_new_session(bench) -> None:
    def line(session: str, day: str) -> str:
        return json.dumps({"role": "user", "content": f"on {day}", "timestamp": f"{day}T10:00:00Z", "session": session})

    first = line("s1", "2026-01-05")
    bench.land(bench.drop("alice", "conversation", "c.jsonl", first + "\n"))
    bench.run(source="conversation")
    second = bench.drop("alice", "conversation", "c.jsonl", first + "\n" + line("s2", "2026-01-09") + "\n")
    assert bench.land(second) == {"2026-01-09"}


def test_file_outside_any_source_is_refused_with_reason(landing: Landing, space: Space) -> None:
    path = space.inbox / "carrier-pigeon" / "a.txt"
    path.parent.mkdir(parents=True)
    path.write_text("coo")
    assert landing.land(state_of(space, path)) == set()
    ((uri, reason),) = landing.refused()
    assert uri == "inbox:carrier-pigeon/a.txt" and "no source type is named 'carrier-pigeon'" in reason


def test_file_modified_during_copy_waits(landing: Landing, space: Space) -> None:
    path = space.inbox / "note" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("half")
    stale = state_of(space, path)
    path.write_text("half and more")
    with pytest.raises(FileChangedError):
        landing.land(stale)
    assert landing.landed() == {} and not [p for p in space.blobs.rglob("*") if p.is_file()]


def test_link_swapped_in_after_listing_is_not_followed(landing: Landing, space: Space, tmp_path: Path) -> None:
    secret = tmp_path / "bob-secret"
    secret.write_text("bob's")
    path = space.inbox / "note" / "a.md"
    path.parent.mkdir(parents=True)
    path.symlink_to(secret)
    with pytest.raises(OSError):
        landing.land(FileState.of(path, space.inbox, secret.stat()))


def test_drop_into_inbox_renames_and_keeps_mtime(space: Space, tmp_path: Path) -> None:
    origin = tmp_path / "näme with space.md"
    origin.write_text("x")
    target = drop_into_inbox(space, "note", origin)
    assert target.read_text() == "x" and target.stat().st_mtime_ns == origin.stat().st_mtime_ns
    assert [p.name for p in target.parent.iterdir()] == [origin.name]


class TestDirtyDays:
    """Which dirty days are offered for a run."""

    @pytest.fixture
    def day(self, bench) -> DirtyDay:
        bench.land(bench.drop("alice", "note", "a.md", "hello"))
        with open_landing(bench.space()) as landing:
            (day,) = landing.dirty()
        return day

    def test_queued_day_is_not_offered_twice(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1)
            assert landing.dirty(accepted=1) == []

    def test_days_of_lost_tick_are_offered_again(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1)  # Dagster never stored the cursor "1"
            assert landing.dirty(accepted=0) == [day]

    def test_day_whose_run_was_lost_is_offered_again_after_timeout(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1, now=NOW)
            assert landing.dirty(accepted=1, now=NOW + REARM_AFTER / 2) == []
            assert landing.dirty(accepted=1, now=NOW + REARM_AFTER * 1.1) == [day]

    def test_day_changed_while_queued_is_offered_again(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1)
        bench.land(bench.drop("alice", "note", "a.md", "hello again"))
        with open_landing(bench.space()) as landing:
            (again,) = landing.dirty(accepted=1)
        assert again.content != day.content

    def test_run_clears_only_content_it_processed(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.settle("note", {day.day: "other content"})
            assert landing.dirty() == [day]
            landing.settle("note", {day.day: day.content})
            assert landing.dirty() == []


CHILD = b"the bytes of a child"


@pytest.fixture
def notes_with_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patch the note source: a first line "with NAME" yields a child item, "of URI" makes the note a child itself."""

    def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
        items = note.SOURCE.locate(delivery, zone, limits)
        word, _, rest = delivery.path.read_text().splitlines()[0].partition(" ")
        if word == "of":
            return [replace(items[0], parent=rest)]
        if word == "with":
            child = Item(rest, items[0].event_at, "content", content=CHILD, name=rest, parent=delivery.uri)
            return [*items, replace(child, meta={"url": "https://example.org/a", "fetched_at": "2026-01-06T10:00:00Z"})]
        return items

    monkeypatch.setitem(SOURCES_BY_NAME, "note", replace(note.SOURCE, locate=locate))


def test_embedded_child_has_own_bytes_name_and_parent(bench, notes_with_children: None) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "with b.txt\nhello"))
    with open_landing(bench.space()) as landing:
        parent, child = sorted(landing.items("note", "2026-01-05"), key=lambda item: item.fragment)
    assert (child.uri, child.name, child.parent_id) == ("inbox:note/a.md#b.txt", "b.txt", parent.source_id)
    assert bench.space().blob(child.sha256).read_bytes() == CHILD and child.bytes == len(CHILD)
    assert parent.parent_id is None and parent.name == "a.md"
    bench.run()
    texts = bench.texts()
    assert texts["inbox:note/a.md#b.txt"] == CHILD.decode() and "hello" in texts["inbox:note/a.md"]
    hits = Brain.open(bench.home.path, user="alice").search("bytes of a child")
    (hit,) = [hit for hit in hits if hit.source_ref.source_id == child.source_id]
    assert hit.source_ref.parent_id == parent.source_id and hit.source_ref.url == "https://example.org/a"
    assert hit.source_ref.fetched_at == datetime(2026, 1, 6, 10, tzinfo=UTC)


def test_embedded_child_is_removed_with_parent(bench, notes_with_children: None) -> None:
    path = bench.drop("alice", "note", "a.md", "with b.txt\nhello")
    bench.land(path)
    bench.run()
    bench.remove(path)
    bench.run()
    assert bench.texts() == {}


def test_child_files_are_removed_with_parent_and_do_not_return(bench, notes_with_children: None) -> None:
    root = bench.drop("alice", "note", "root.md", "plain\nroot")
    page = bench.drop("alice", "note", "page.md", "of inbox:note/root.md\npage", day="2026-01-06")
    leaf = bench.drop("alice", "note", "leaf.md", "of inbox:note/page.md\nleaf", day="2026-01-07")
    other = bench.drop("alice", "note", "other.md", "plain\nother", day="2026-01-08")
    for path in (leaf, page, root, other):
        bench.land(path)
    assert bench.remove(root) == {"2026-01-05", "2026-01-06", "2026-01-07"}
    assert [p.exists() for p in (page, leaf, other)] == [False, False, True]
    bench.run()
    assert list(bench.texts()) == ["inbox:note/other.md"]


def test_cyclic_parents_terminate(bench, notes_with_children: None) -> None:
    one = bench.drop("alice", "note", "one.md", "of inbox:note/two.md\n1")
    bench.land(one)
    bench.land(bench.drop("alice", "note", "two.md", "of inbox:note/one.md\n2"))
    bench.remove(one)
    bench.run()
    assert bench.texts() == {}


def test_database_from_before_child_items_is_migrated(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello"))
    connection = sqlite3.connect(bench.space().landing)
    for column in ("name", "parent_id", "meta"):
        connection.execute("DROP INDEX IF EXISTS item_parent")
        connection.execute(f"ALTER TABLE item DROP COLUMN {column}")
    connection.close()
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2026-01-05")
    assert (item.name, item.parent_id, dict(item.meta)) == ("a.md", None, {})
