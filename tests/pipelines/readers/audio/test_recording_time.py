"""Start time of a recording: precedence of its sources, and the times in file names of recorders."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.readers.audio.recording_time import MOMENT, clock_in_name, locate_recording
from brain_pipelines.readers.contract import Delivery, Item
from brain_retrieval.settings import Limits
from tests.pipelines.readers.audio.recordings import record

BERLIN = ZoneInfo("Europe/Berlin")
MTIME, RECEIVED = datetime(2026, 2, 20, 12, tzinfo=UTC), datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Voice Memo 2026-01-05 10-11.m4a", "2026-01-05T09:11:00+00:00"),
        ("20260105_101112.m4a", "2026-01-05T09:11:12+00:00"),
        ("2026-01-05T10_11_12Z.wav", "2026-01-05T10:11:12+00:00"),
        ("GMT20260105-101112_Recording.m4a", "2026-01-05T10:11:12+00:00"),
        ("2026-01-05 at 10.11.12 PM.m4a", "2026-01-05T21:11:12+00:00"),
        ("Recording 2026-07-05 23.59.mp3", "2026-07-05T21:59:00+00:00"),
        ("2026-01-05.m4a", None),
        ("2026-01-05 99-99.m4a", None),
        ("PTT-20260105-WA0012.opus", None),
        ("memo 12.m4a", None),
    ],
)
def test_the_clock_in_a_name(name: str, expected: str | None) -> None:
    found = clock_in_name(name, BERLIN)
    assert (found.isoformat() if found else None) == expected


def locate(path: Path, name: str, given: datetime | None = None) -> Item:
    uri = f"inbox:///voice-memo/{name.replace(' ', '%20')}"
    return locate_recording(Delivery("alice", uri, path, path.stat().st_size, MTIME, RECEIVED, given), UTC, Limits())


@pytest.mark.parametrize(
    ("tags", "name", "day", "origin", "known"),
    [
        ({"creation_time": "2026-01-05T10:11:12Z"}, "2026-01-07 10-00.flac", 5, "metadata", True),
        ({"date": "2026-01-06"}, "2026-01-07 10-00.flac", 7, "name", True),
        ({"date": "2026-01-06"}, "2026-01-07.flac", 6, "metadata", False),
        ({"date": "2026"}, "2026-01-07.flac", 7, "name", False),
        ({"creation_time": "2031-01-05T10:11:12Z"}, "a.flac", 20, "file", False),
        ({"creation_time": "1970-01-01T00:00:00Z"}, "a.flac", 20, "file", False),
        ({}, "a.flac", 20, "file", False),
    ],
)
def test_time_of_a_recording_by_precedence(
    tmp_path: Path, tags: dict[str, str], name: str, day: int, origin: str, known: bool
) -> None:
    item = locate(record(tmp_path / "a.flac", 0.2, tags=tags), name)
    assert (item.event_at.day, item.event_from, MOMENT in item.meta) == (day, origin, known)


def test_unreadable_recording_gets_a_date(tmp_path: Path) -> None:
    (tmp_path / "a.m4a").write_bytes(b"\0\0\0\x18ftypM4A " + b"\xff" * 500)
    assert locate(tmp_path / "a.m4a", "2026-01-07 10-00.m4a").event_at == datetime(2026, 1, 7, 10, tzinfo=UTC)
    given = datetime(2026, 1, 1, 8, tzinfo=UTC)
    item = locate(tmp_path / "a.m4a", "2026-01-07.m4a", given)
    assert (item.event_at, item.event_from) == (given, "given")
