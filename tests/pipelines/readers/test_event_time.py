"""Parsing of times in the formats of people and exports, and the precedence of event times."""

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.readers.event_time import date_in_folders, date_in_name, file_name, parse_time
from tests.samples import making
from tests.samples.taking import MTIME, take_one

FIRST, LAST = datetime.fromisoformat("1970-01-02"), datetime.fromisoformat("2199-12-30")
NEW_YORK = ZoneInfo("America/New_York")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-05T09:30:00Z", "2026-01-05T09:30"),
        ("2026-01-05T09:30:00.123456789+02:00", "2026-01-05T07:30:00.123456"),
        ("2026-01-05 09:30", "2026-01-05T09:30"),
        ("2026/1/5 9:30 PM", "2026-01-05T21:30"),
        ("2026-01-05", "2026-01-05T12:00"),
        ("2026-01-05T09:30+0530", "2026-01-05T04:00"),
        (1767600000, "2026-01-05T08:00"),
        (1767600000.5, "2026-01-05T08:00:00.5"),
        (1767600000000, "2026-01-05T08:00"),
        ("1767600000", "2026-01-05T08:00"),
        ("1767600000.000200", "2026-01-05T08:00:00.000200"),
        ("Mon, 05 Jan 2026 09:30:00 +0100", "2026-01-05T08:30"),
        ("5 January 2026", "2026-01-05T12:00"),
        ("January 5, 2026", "2026-01-05T12:00"),
        ("Jan 5, 2026 at 9:30 AM", "2026-01-05T09:30"),
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09"),
    ],
)
def test_time_formats_of_exports_are_parsed(value: object, expected: str) -> None:
    assert parse_time(value, UTC) == at(expected)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        0,
        "0",
        True,
        -5,
        "yesterday",
        "2026-13-40",
        "1.2.3",
        [],
        {},
        "9" * 40,
        1e30,
        float("nan"),
        "1066-10-14",
        10**400,
        "2026-01-05T10:00+99:99",
    ],
)
def test_invalid_time_gives_none(value: object) -> None:
    assert parse_time(value, UTC) is None


def test_time_without_offset_is_in_the_users_zone() -> None:
    assert parse_time("2026-01-05T22:00", NEW_YORK) == at("2026-01-06T03:00")
    assert parse_time("2026-01-05T22:00Z", NEW_YORK) == at("2026-01-05T22:00")


@given(st.datetimes(FIRST, LAST), st.integers(-14 * 60, 14 * 60))
def test_iso_times_round_trip(value: datetime, offset: int) -> None:
    aware = value.replace(tzinfo=timezone(timedelta(minutes=offset)))
    assert parse_time(aware.isoformat(), NEW_YORK) == aware


@given(st.text(max_size=120))
def test_no_text_raises(text: str) -> None:
    found = parse_time(text, NEW_YORK)
    assert found is None or found.tzinfo is UTC


@given(
    st.dates(FIRST.date(), LAST.date()),
    st.sampled_from(["UTC", "America/New_York", "Asia/Tokyo"]),
)
def test_a_date_keeps_its_day_in_the_users_zone(day: object, zone: str) -> None:
    found = parse_time(str(day), ZoneInfo(zone))
    assert found is not None and found.astimezone(ZoneInfo(zone)).date() == day


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2026-01-05 notes.md", "2026-01-05T12:00"),
        ("notes_20260105.md", "2026-01-05T12:00"),
        ("notes 2026_01_05.md", "2026-01-05T12:00"),
        ("Committee Meeting 2026 01 05.md", "2026-01-05T12:00"),
        ("IMG-20260105-WA0001.txt", "2026-01-05T12:00"),
        ("2026-13-45 or 2026-02-01.md", "2026-02-01T12:00"),
        ("call 555-2026-01.md", None),
        ("123456789012.md", None),
        ("99991231.md", None),
        ("28-01-2011.md", "2011-01-28T12:00"),
        ("Protokoll 07.02.2022.docx", "2022-02-07T12:00"),
        ("06-13-2019.pdf", "2019-06-13T12:00"),
        ("2024.01.02 lunch.md", "2024-01-02T12:00"),
        ("notulen-bestuursvergadering-2-maart-2018.md", "2018-03-02T12:00"),
        ("acta 3 de mayo de 2021.txt", "2021-05-03T12:00"),
        ("17 lutego 2020.md", "2020-02-17T12:00"),
        ("June 12, 2019.md", "2019-06-12T12:00"),
        ("v1.2.2023.md", None),
        ("report-10-2020.md", None),
        ("02-03-04-2024.md", None),
        ("31-02-2024.md", None),
    ],
)
def test_a_date_in_a_name(name: str, expected: str | None) -> None:
    assert date_in_name(name, UTC) == (at(expected) if expected else None)


def test_the_name_of_a_uri() -> None:
    assert file_name("inbox:note/a%20b/c%23d.md#s1") == "c#d.md"


def page(head: str) -> bytes:
    return f"<html><head>{head}</head><body><p>x</p></body></html>".encode()


PAGE = page('<meta property="article:published_time" content="2026-01-09T08:00:00Z">')
LD = page('<script type="application/ld+json">{"datePublished": "2026-01-08"}</script>')


@pytest.mark.parametrize(
    ("source", "name", "content", "expected", "origin"),
    [
        ("note", "2026-02-01 a.md", b"---\ndate: 2026-01-05\n---\nText.", "2026-01-05T12:00", "content"),
        ("note", "2026-02-01 a.md", b"---\ndate: soon\n---\nText.", "2026-02-01T12:00", "name"),
        ("note", "a.md", b"Text.", MTIME.replace(tzinfo=None).isoformat(), "file"),
        ("document", "2026-02-01.html", PAGE, "2026-01-09T08:00", "content"),
        ("document", "page.html", LD, "2026-01-08T12:00", "content"),
        ("document", "2026-02-01.pdf", making.pdf("x"), "2026-01-07T10:00", "metadata"),
        ("document", "VE_2026_01_02_v1.1.pdf", making.pdf("x"), "2026-01-02T12:00", "name"),  # printed days later
        # Either way round: the reading that lies before the day it was printed, and nearest to it.
        ("document", "03-01-2026.pdf", making.pdf("x"), "2026-01-03T12:00", "name"),
        ("document", "01-03-2026.pdf", making.pdf("x"), "2026-01-03T12:00", "name"),
        ("note", "21-08-2014.md", b"---\ntitle: Notulen 20 augustus 2014\n---\nTekst.", "2014-08-20T12:00", "content"),
        ("document", "a.json", b'{"date": "2026-01-06", "x": 1}', "2026-01-06T12:00", "content"),
        ("note", "2024/plans.md", b"# Plans", "2024-12-31T18:00", "name"),  # the copy is younger than its folder
        ("note", "2018/28/index.md", b"# Notes", "2018-07-15T18:00", "name"),
        ("note", "2018/09/index.md", b"# Week 9", "2018-03-04T18:00", "name"),
        ("note", "2018/09/index.md", b"# Notes", "2018-09-30T18:00", "name"),
        ("note", "2026/plans.md", b"# Plans", "2026-02-20T12:00", "file"),
        ("document", "2026-02-01.docx", making.docx(sections={"": ["x"]}), "2026-02-01T12:00", "name"),
    ],
)
def test_precedence_of_event_times(
    tmp_path: Path, source: str, name: str, content: bytes, expected: str, origin: str
) -> None:
    path = tmp_path / "blob"
    path.write_bytes(content)
    item = take_one(source, path, name=name).item
    assert (item.event_at, item.event_from) == (at(expected), origin)
    given = take_one(source, path, name=name, given=at("2026-02-03T04:05")).item
    assert (given.event_at, given.event_from) == (at("2026-02-03T04:05"), "given")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("inbox:note/board/2026/board-07-17.md", "2026-07-17T12:00"),
        ("inbox:note/2026-01/05.txt", "2026-01-05T12:00"),
        ("inbox:note/2026/01/05%20a%20walk.md", "2026-01-05T12:00"),
        ("inbox:note/2026/01-January/05.md", "2026-01-05T12:00"),
        ("inbox:note/2026/13-45.md", None),
        ("inbox:note/2026/chapter-11.md", None),
        ("inbox:note/drafts/01/05.md", None),
        ("inbox:note/07-17.md", None),
    ],
)
def test_a_day_below_the_folder_of_its_year_or_month(uri: str, expected: str | None) -> None:
    assert date_in_folders(uri, UTC) == (at(expected) if expected else None)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("1904-05-12.txt", date(1904, 5, 12)),
        ("Brief vom 1888-11-02.md", date(1888, 11, 2)),
        ("1904-01-01.txt", date(1904, 1, 1)),
        ("order 18450312.txt", None),
        ("scan 1234-05-06.txt", None),
    ],
)
def test_names_of_old_diaries_have_days(name: str, day: date | None) -> None:
    found = date_in_name(name, UTC)
    assert (found.date() if found else None) == day


@pytest.mark.parametrize("value", ["1601-01-01T00:00:00Z", "1899-12-30", "1904-01-01", "1970-01-01", "0001-01-01"])
def test_zeros_of_systems_are_no_times(value: str) -> None:
    assert parse_time(value, UTC) is None
    assert parse_time("1913-03-12", UTC) == datetime(1913, 3, 12, 12, tzinfo=UTC)
