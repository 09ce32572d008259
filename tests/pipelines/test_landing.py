"""Landing: what is recorded when bytes arrive, and which days become dirty."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.blobs import FileChangedError, drop_into_inbox
from brain_pipelines.inbox import FileState
from brain_pipelines.landing import Landing
from brain_pipelines.outbox import REARM_AFTER
from brain_pipelines.plan import DirtyDay
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


def test_a_landed_file_is_kept_byte_for_byte(bench, space: Space) -> None:
    path = bench.drop("alice", "note", "a.md", "hello")
    assert bench.land(path) == {"2026-01-05"}
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2026-01-05")
    assert bench.space().blob(item.sha256).read_bytes() == b"hello"
    assert (item.uri, item.received_at, item.event_from) == ("inbox:note/a.md", NOW, "file")


def test_an_untouched_file_makes_nothing_dirty(bench) -> None:
    path = bench.drop("alice", "note", "a.md", "hello")
    bench.land(path)
    path.touch()  # a new mtime is a new event time for a note without a date
    assert bench.land(bench.drop("alice", "note", "a.md", "hello")) == set()


def test_an_edit_that_moves_the_event_makes_both_days_dirty(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2026-01-05\n---\nhello"))
    assert bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2026-02-07\n---\nhello")) == {
        "2026-01-05",
        "2026-02-07",
    }


def test_received_at_is_that_of_the_first_arrival_under_any_name(bench) -> None:
    first = bench.drop("alice", "note", "a.md", "hello")
    bench.land(first, now=NOW)
    bench.remove(first)
    bench.land(bench.drop("alice", "note", "renamed.md", "hello"), now=NOW + timedelta(days=3))
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2026-01-05")
    assert (item.uri, item.received_at) == ("inbox:note/renamed.md", NOW)


def test_events_before_the_first_day_are_clamped_and_keep_their_time(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 1999-05-01\n---\nold"))
    with open_landing(bench.space()) as landing:
        (item,) = landing.items("note", "2024-01-01")
        assert landing.days("note") == ["2024-01-01"]
    assert item.event_at.date() == date(1999, 5, 1)


def test_events_in_the_future_land_on_the_day_of_receipt(bench) -> None:
    assert bench.land(bench.drop("alice", "note", "a.md", "---\ndate: 2031-05-01\n---\nlater")) == {"2026-03-01"}


def test_the_day_is_that_of_the_users_time_zone(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_TIME_ZONE", "America/New_York")
    message = {"role": "user", "content": "late", "timestamp": "2026-01-06T02:00:00+00:00", "session": "s"}
    assert bench.land(bench.drop("alice", "conversation", "c.jsonl", json.dumps(message))) == {"2026-01-05"}


def test_a_growing_conversation_touches_only_its_new_session(bench) -> None:
    def line(session: str, day: str) -> str:
        return json.dumps({"role": "user", "content": f"on {day}", "timestamp": f"{day}T10:00:00Z", "session": session})

    first = line("s1", "2026-01-05")
    bench.land(bench.drop("alice", "conversation", "c.jsonl", first + "\n"))
    bench.run(source="conversation")
    second = bench.drop("alice", "conversation", "c.jsonl", first + "\n" + line("s2", "2026-01-09") + "\n")
    assert bench.land(second) == {"2026-01-09"}


def test_a_file_outside_any_source_is_refused_by_name(landing: Landing, space: Space) -> None:
    path = space.inbox / "carrier-pigeon" / "a.txt"
    path.parent.mkdir(parents=True)
    path.write_text("coo")
    assert landing.land(state_of(space, path)) == set()
    ((uri, reason),) = landing.refused()
    assert uri == "inbox:carrier-pigeon/a.txt" and "no source type is named 'carrier-pigeon'" in reason


def test_a_file_written_to_meanwhile_waits(landing: Landing, space: Space) -> None:
    path = space.inbox / "note" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("half")
    stale = state_of(space, path)
    path.write_text("half and more")
    with pytest.raises(FileChangedError):
        landing.land(stale)
    assert landing.landed() == {} and not [p for p in space.blobs.rglob("*") if p.is_file()]


def test_a_link_swapped_in_after_listing_is_not_followed(landing: Landing, space: Space, tmp_path: Path) -> None:
    secret = tmp_path / "bob-secret"
    secret.write_text("bob's")
    path = space.inbox / "note" / "a.md"
    path.parent.mkdir(parents=True)
    path.symlink_to(secret)
    with pytest.raises(OSError):
        landing.land(FileState.of(path, space.inbox, secret.stat()))


def test_dropping_is_by_rename_and_keeps_the_mtime(space: Space, tmp_path: Path) -> None:
    origin = tmp_path / "näme with space.md"
    origin.write_text("x")
    target = drop_into_inbox(space, "note", origin)
    assert target.read_text() == "x" and target.stat().st_mtime_ns == origin.stat().st_mtime_ns
    assert [p.name for p in target.parent.iterdir()] == [origin.name]


class TestOutbox:
    """Which days are offered for a run."""

    @pytest.fixture
    def day(self, bench) -> DirtyDay:
        bench.land(bench.drop("alice", "note", "a.md", "hello"))
        with open_landing(bench.space()) as landing:
            (day,) = landing.dirty()
        return day

    def test_a_queued_day_is_not_offered_twice(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1)
            assert landing.dirty(accepted=1) == []

    def test_a_lost_tick_is_offered_again(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1)  # Dagster never stored the cursor "1"
            assert landing.dirty(accepted=0) == [day]

    def test_a_day_whose_run_never_came_is_offered_again_after_hours(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1, now=NOW)
            assert landing.dirty(accepted=1, now=NOW + REARM_AFTER / 2) == []
            assert landing.dirty(accepted=1, now=NOW + REARM_AFTER * 1.1) == [day]

    def test_a_change_while_queued_is_offered_again(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.queue([day], 1)
        bench.land(bench.drop("alice", "note", "a.md", "hello again"))
        with open_landing(bench.space()) as landing:
            (again,) = landing.dirty(accepted=1)
        assert again.content != day.content

    def test_a_run_settles_exactly_what_it_saw(self, bench, day: DirtyDay) -> None:
        with open_landing(bench.space()) as landing:
            landing.settle("note", {day.day: "other content"})
            assert landing.dirty() == [day]
            landing.settle("note", {day.day: day.content})
            assert landing.dirty() == []
