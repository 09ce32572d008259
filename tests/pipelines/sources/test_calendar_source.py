"""Items of calendar files: series, changed dates, zones, broken entries, growing files."""

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.samples.taking import Taken, take, take_one

BERLIN = ZoneInfo("Europe/Berlin")


def calendar(*events: str, head: str = "") -> str:
    bodies = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{bodies}END:VCALENDAR\n"


def land(tmp_path: Path, text: str, **options: object) -> list[Taken]:
    path = tmp_path / "a.ics"
    path.write_text(text, "utf-8")
    return take("calendar", path, **options)  # type: ignore[arg-type]


def test_one_item_per_event_and_per_changed_date(tmp_path: Path) -> None:
    found = land(
        tmp_path,
        calendar(
            "UID:w\nDTSTART:20260106T100000Z\nRRULE:FREQ=WEEKLY\nSUMMARY:Weekly",
            "UID:w\nRECURRENCE-ID:20260113T100000Z\nDTSTART:20260114T100000Z\nSUMMARY:Moved",
            "UID:w\nSEQUENCE:2\nDTSTART:20260106T110000Z\nRRULE:FREQ=WEEKLY\nSUMMARY:Later",
            "UID:w\nSEQUENCE:1\nDTSTART:20260106T120000Z\nSUMMARY:Older version",
        ),
    )
    assert [(one.item.fragment, one.document and one.document["title"]) for one in found] == [
        ("w", "Later"),
        ("w@20260113T100000Z", "Moved"),
    ]
    assert "Repeats: every week; after that 13 January 2026" in found[0].text
    assert "One date of a series" in found[1].text


@pytest.mark.parametrize(
    ("start", "at", "text"),
    [
        ("DTSTART:20260706T100000", "2026-07-06T08:00:00+00:00", "10:00 (Europe/Berlin)"),
        ("DTSTART:20260706T100000Z", "2026-07-06T10:00:00+00:00", "12:00 (Europe/Berlin)"),
        ("DTSTART;TZID=Europe/Lisbon:20260706T100000", "2026-07-06T09:00:00+00:00", "10:00 (Europe/Lisbon)"),
        ("DTSTART;VALUE=DATE:20260706", "2026-07-06T10:00:00+00:00", "all day"),
    ],
)
def test_times_and_zones(tmp_path: Path, start: str, at: str, text: str) -> None:
    (taken,) = land(tmp_path, calendar(f"UID:1\n{start}\nSUMMARY:x"), zone=BERLIN)
    assert taken.item.event_at.isoformat() == at and text in taken.text
    assert taken.segments[0]["time"] == taken.item.event_at


def test_a_zone_that_the_calendar_defines_itself(tmp_path: Path) -> None:
    zone = (
        "BEGIN:VTIMEZONE\nTZID:Office\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0300\n"
        "TZOFFSETTO:+0300\nEND:STANDARD\nEND:VTIMEZONE\n"
    )
    (taken,) = land(tmp_path, calendar("UID:1\nDTSTART;TZID=Office:20260106T100000\nSUMMARY:x", head=zone))
    assert taken.item.event_at == datetime(2026, 1, 6, 7, tzinfo=UTC) == taken.segments[0]["time"]
    assert "10:00 (Office)" in taken.text


def test_valid_events_of_a_broken_file_are_read(tmp_path: Path) -> None:
    text = calendar("UID:1\nDTSTART:20260106T100000Z\nSUMMARY:Good", "UID:2\nDTSTART:nonsense\nSUMMARY:Timeless")
    found = land(tmp_path, text.replace("END:VCALENDAR", "BEGIN:VEVENT\nUID:3\nDTSTART:20260107T100000Z\nSUMM"))
    assert [one.item.fragment for one in found] == ["1", "2", "3"]
    assert found[0].text.startswith("Good") and not found[0].reasons
    assert found[1].item.event_from == "file" and found[1].reasons == ["DTSTART cannot be read and is left out"]
    assert found[2].text.startswith("Untitled")


def test_an_unchanged_event_keeps_its_bytes_while_the_calendar_grows(tmp_path: Path) -> None:
    one = "UID:1\nDTSTART:20260106T100000Z\nSUMMARY:One"
    before = land(tmp_path, calendar(one))[0].item
    after = land(tmp_path, calendar("UID:2\nDTSTART:20260107T100000Z\nSUMMARY:Two", one))[1].item
    assert before == after


def test_cancellation_is_in_the_text(tmp_path: Path) -> None:
    (taken,) = land(tmp_path, calendar("UID:1\nDTSTART:20260106T100000Z\nSUMMARY:x", head="METHOD:CANCEL\n"))
    assert "Status: cancelled" in taken.text and taken.document is not None
    assert json.loads(taken.document["attributes"])["status"] == "cancelled"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "without an entry"),
        (b"Dear Ann, see you", "not read"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 99, "PNG"),
    ],
)
def test_invalid_calendar_is_refused_with_a_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "a.ics"
    path.write_bytes(data)
    assert reason in take_one("calendar", path).refusal


def test_an_invitation_in_a_mail_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    invitation = calendar("UID:1\nDTSTART:20260106T100000Z\nSUMMARY:Review of the plan", head="METHOD:REQUEST\n")
    head = "From: ann@example.com\nSubject: Invitation\nMIME-Version: 1.0\n"
    head += "Content-Type: multipart/alternative; boundary=b\n"
    plain = "--b\nContent-Type: text/plain\n\nPlease come.\n"
    path.write_text(f"{head}\n{plain}--b\nContent-Type: text/calendar\n\n{invitation}\n--b--\n")
    message, child = take("email", path)
    assert message.text == "Please come." and child.item.name == "attachment-1.ics"
    assert child.text.startswith("Review of the plan\n\nWhen: Tuesday, 6 January 2026, 10:00 (UTC)")
