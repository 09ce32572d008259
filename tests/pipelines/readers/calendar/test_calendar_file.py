"""Calendar entries: recurrence rules in words, times and zones, damaged entries."""

import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from brain_pipelines.readers.calendar.calendar_file import read_file
from brain_pipelines.readers.calendar.calendar_parts import entries
from brain_pipelines.readers.calendar.calendar_rule import first_occurrences, rule_in_words
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits


def rule(text: str) -> dict[str, list[object]]:
    from icalendar.prop import vRecur

    return dict(vRecur.from_ical(text))


@pytest.mark.parametrize(
    ("text", "words", "days"),
    [
        ("FREQ=DAILY;COUNT=3", "every day 3 times", ["2026-01-07", "2026-01-08"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=4", "every 2 weeks on Tuesday and Thursday 4 times", None),
        ("FREQ=WEEKLY;UNTIL=20260120T100000Z", "every week until 20 January 2026", ["2026-01-13", "2026-01-20"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", "every month on the last Friday 2 times", ["2026-01-30", "2026-02-27"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=1", "every month on the last day of the month 1 times", ["2026-01-31"]),
        (
            "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1;COUNT=1",
            "every year on day 1 of the month in May 1 times",
            ["2026-05-01"],
        ),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "every year on day 30 of the month in February", []),
        ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "every second on day 30 of the month in February", []),
    ],
)
def test_recurrence_rule_in_words_and_its_occurrences(text: str, words: str, days: list[str] | None) -> None:
    began = time.process_time()
    assert rule_in_words(rule(text)) == words
    found = [day.isoformat() for day in first_occurrences(rule(text), datetime(2026, 1, 6, 10, tzinfo=UTC), set())]
    assert days is None or found == days
    assert time.process_time() - began < 5


def test_excluded_dates_are_not_occurrences() -> None:
    found = first_occurrences(rule("FREQ=DAILY;COUNT=4"), date(2026, 1, 6), {date(2026, 1, 7)})
    assert found == [date(2026, 1, 8), date(2026, 1, 9)]


def read(tmp_path: Path, *lines: str) -> tuple[str, list[str], dict[str, object]]:
    path = tmp_path / "c.ics"
    path.write_text("\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""]))
    found = read_file(path, Limits(), None)
    return "\n\n".join(block.text for block in found.blocks), found.repairs, found.attributes


def event(*lines: str) -> list[str]:
    return ["BEGIN:VEVENT", "UID:1", *lines, "END:VEVENT"]


@pytest.mark.parametrize(
    ("lines", "when"),
    [
        (
            ["DTSTART;TZID=Europe/Lisbon:20260706T093000", "DURATION:PT45M"],
            "Monday, 6 July 2026, 09:30 to 10:15 (Europe/Lisbon)",
        ),
        (
            ["DTSTART:20260706T093000Z", "DTEND:20260707T093000Z"],
            "Monday, 6 July 2026, 09:30 to Tuesday, 7 July 2026, 09:30 (UTC)",
        ),
        (["DTSTART:20260706T093000"], "Monday, 6 July 2026, 09:30 (UTC)"),
        (["DTSTART;VALUE=DATE:20260706", "DTEND;VALUE=DATE:20260707"], "Monday, 6 July 2026, all day"),
        (
            ["DTSTART;VALUE=DATE:20260706", "DTEND;VALUE=DATE:20260708"],
            "Monday, 6 July 2026 to Tuesday, 7 July 2026, all day",
        ),
        (["DTSTART;TZID=No/Where:20260706T093000"], "Monday, 6 July 2026, 09:30"),
    ],
)
def test_time_of_an_event_in_words(tmp_path: Path, lines: list[str], when: str) -> None:
    text, repairs, _ = read(tmp_path, *event("SUMMARY:x", *lines))
    assert f"When: {when}" in text and not repairs


def test_people_answers_and_rooms(tmp_path: Path) -> None:
    text, _, attributes = read(
        tmp_path,
        *event(
            "SUMMARY:x",
            "DTSTART:20260706T093000Z",
            'ORGANIZER;CN="Lee, Ann":mailto:ann@example.com',
            "ATTENDEE;PARTSTAT=DECLINED:MAILTO:bob@example.com",
            "ATTENDEE;CUTYPE=ROOM;CN=Room 1:mailto:room@example.com",
            "CATEGORIES:work,plans",
            "BEGIN:VALARM",
            "TRIGGER:-PT5M",
            "DESCRIPTION:an alarm",
            "END:VALARM",
        ),
    )
    assert "Organiser: Lee, Ann" in text and "Attendees: bob@example.com (declined)" in text
    assert "Room 1" not in text and "alarm" not in text
    assert attributes["categories"] == ["work", "plans"]


def test_broken_property_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    text, repairs, _ = read(tmp_path, *event("SUMMARY:x", "DTSTART:2026X1", "NO COLON"))
    assert text == "x" and repairs == ["DTSTART cannot be read and is left out"]


def test_broken_entry_does_not_affect_others() -> None:
    text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:never closed\nBEGIN:VEVENT\nUID:2\nSUM\n MARY:folded\n"
    assert [entry.value("UID") for entry in entries(text)] == ["1", "2"]
    assert [entry.value("SUMMARY") for entry in entries(text)] == ["never closed", "folded"]


@pytest.mark.parametrize("text", ["BEGIN:VCALENDAR\nEND:VCALENDAR\n", "BEGIN:VCALENDAR\nVERSION:2.0\n"])
def test_a_calendar_without_an_entry_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.ics"
    path.write_text(text)
    with pytest.raises(BadInputError, match="without an entry"):
        read_file(path, Limits(), None)


def test_large_calendar_is_split_in_linear_time() -> None:
    lines = ["BEGIN:VCALENDAR"] + event("SUMMARY:x", "DTSTART:20260706T093000Z") * 20_000 + ["BEGIN:X"] * 50_000
    began = time.process_time()
    assert len(list(entries("\n".join(lines)))) == 20_000
    assert time.process_time() - began < 5
