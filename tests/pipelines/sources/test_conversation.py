"""conversation: the items of a file, their days, and the spans of their turns."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.readers.contract import Item
from brain_pipelines.sources import conversation
from brain_pipelines.sources.conversation import fragment_of
from tests.samples.taking import MTIME, take, take_one


def write(tmp_path: Path, *rows: dict[str, Any] | str, name: str = "chat.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows))
    return path


def row(at: str | None, session: str | None = None, content: str = "Hello.", speaker: str = "Ann") -> dict[str, Any]:
    values = {"speaker": speaker, "content": content, "timestamp": at, "session": session}
    return {key: value for key, value in values.items() if value is not None}


def days(path: Path, zone: str = "UTC") -> dict[str, str]:
    found = take("conversation", path, zone=ZoneInfo(zone))
    return {t.item.fragment: t.item.event_at.astimezone(ZoneInfo(zone)).date().isoformat() for t in found}


def test_each_session_lands_on_its_own_day(tmp_path: Path) -> None:
    path = write(
        tmp_path, row("2026-01-05T10:00:00Z", "a"), row("2026-02-07T10:00:00Z", "b"), row("2026-01-06T00:10:00Z", "a")
    )
    assert days(path) == {"a": "2026-01-05", "b": "2026-02-07"}


def test_session_across_midnight_is_one_item(tmp_path: Path) -> None:
    path = write(tmp_path, row("2026-01-05T23:59:00Z", "late"), row("2026-01-06T00:01:00Z", "late"))
    taken = take_one("conversation", path)
    assert taken.item.event_at == datetime(2026, 1, 5, 23, 59, tzinfo=UTC) and len(taken.segments) == 2


def test_log_without_sessions_is_split_at_midnight_in_the_users_zone(tmp_path: Path) -> None:
    path = write(tmp_path, row("2026-01-06T02:00:00Z"), row("2026-01-06T12:00:00Z"), row(None, content="And?"))
    assert days(path) == {"2026-01-06": "2026-01-06"}
    assert days(path, "America/New_York") == {"2026-01-05": "2026-01-05", "2026-01-06": "2026-01-06"}
    found = take("conversation", path, zone=ZoneInfo("America/New_York"))
    assert [len(taken.segments) for taken in found] == [1, 2]


def test_times_without_an_offset_are_the_users(tmp_path: Path) -> None:
    taken = take_one(
        "conversation", write(tmp_path, row("2026-01-05T22:00:00", "s")), zone=ZoneInfo("America/New_York")
    )
    assert taken.item.event_at == datetime(2026, 1, 6, 3, tzinfo=UTC)
    assert taken.segments[0]["time"] == taken.item.event_at


def test_name_then_modification_time_without_message_times(tmp_path: Path) -> None:
    assert take_one("conversation", write(tmp_path, row(None))).item.event_at == MTIME
    named = take_one("conversation", write(tmp_path, row(None)), name="2026-01-05 chat.jsonl").item
    assert (named.event_at.date().isoformat(), named.event_from, named.fragment) == ("2026-01-05", "name", "")


def test_given_time_applies_to_every_session(tmp_path: Path) -> None:
    given = datetime(2026, 1, 1, tzinfo=UTC)
    path = write(tmp_path, row("2026-01-05T10:00:00Z", "a"), row("2026-02-07T10:00:00Z", "b"))
    assert {(t.item.event_at, t.item.event_from) for t in take("conversation", path, given=given)} == {(given, "given")}


def test_growing_file_keeps_the_digests_of_earlier_items(tmp_path: Path) -> None:
    first = [row("2026-01-05T10:00:00Z", "a"), row("2026-01-06T10:00:00Z")]
    before = {t.item.fragment: t.item for t in take("conversation", write(tmp_path, *first[:1]))}
    after = {
        t.item.fragment: t.item
        for t in take("conversation", write(tmp_path, first[0], row("2026-01-07T10:00:00Z", "b")))
    }
    assert after["a"] == before["a"] and set(after) == {"a", "b"}


def test_an_edited_session_has_another_digest(tmp_path: Path) -> None:
    one = take_one("conversation", write(tmp_path, row("2026-01-05T10:00:00Z", "a"))).item
    two = take_one("conversation", write(tmp_path, row("2026-01-05T10:00:00Z", "a", "Changed."))).item
    assert one.digest != two.digest and one.fragment == two.fragment


def test_turns_have_the_spans_of_their_lines(tmp_path: Path) -> None:
    rows = [row(f"2026-01-05T10:0{n}:00Z", "ab"[n % 2], f"Größe {n} 🙂\nnext line", f"P{n}") for n in range(6)]
    path = write(tmp_path, "", *rows, "broken")
    raw = path.read_text()
    for taken in take("conversation", path):
        for segment in taken.segments:
            value = json.loads(raw[segment["raw_start"] : segment["raw_end"]])
            assert taken.text[segment["start"] : segment["end"]] == f"{value['speaker']}: {value['content']}"
            assert (segment["kind"], segment["speaker"]) == ("message", value["speaker"])
            assert segment["time"] == datetime.fromisoformat(value["timestamp"])


def test_a_missing_time_is_that_of_the_message_before(tmp_path: Path) -> None:
    path = write(
        tmp_path, row(None, "s"), row("2026-01-05T10:00:00Z", "s"), row(None, "s"), row("2026-01-05T11:00:00Z", "s")
    )
    hours = [segment["time"].hour for segment in take_one("conversation", path).segments]
    assert hours == [10, 10, 10, 11]


def test_a_future_time_does_not_move_the_day(tmp_path: Path) -> None:
    path = write(tmp_path, row("2026-01-05T10:00:00Z"), row("2031-01-05T10:00:00Z"))
    assert days(path) == {"2026-01-05": "2026-01-05"}


@pytest.mark.parametrize("session", ["a/b c", "line\nbreak", "日本", "#?&", "x" * 500, "\ud800"])
def test_any_session_name_round_trips(tmp_path: Path, session: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(row("2026-01-05T10:00:00Z", session)))
    taken = take_one("conversation", path)
    assert taken.text == "Ann: Hello." and taken.item.fragment.isascii()
    assert len(fragment_of(session)) <= 120


def test_people_are_authors_and_the_title(tmp_path: Path) -> None:
    path = write(tmp_path, row("2026-01-05T10:00:00Z", "s"), row("2026-01-05T10:01:00Z", "s", speaker="Bob"))
    document = take_one("conversation", path).document
    assert document and (document["title"], document["authors"]) == ("Conversation of Ann and Bob", ["Ann", "Bob"])


def test_a_transcript_named_txt_is_read_and_reported(tmp_path: Path) -> None:
    path = write(tmp_path, row("2026-01-05T10:00:00Z", "s"), row("2026-01-05T10:01:00Z", "s"), name="chat.txt")
    taken = take_one("conversation", path)
    assert taken.text and taken.reasons == ["named .txt, but it is JSON lines; read as that"]


@pytest.mark.parametrize("chat", [{"name": "Friends"}, {"name": "Friends", "id": "77"}])
def test_a_chat_that_was_landed_as_one_item_is_still_read_as_one(tmp_path: Path, chat: dict[str, Any]) -> None:
    messages = [row(f"2026-01-0{day}T10:00:00Z", content=f"On day {day}.") for day in range(5, 8)]
    path = write(tmp_path, chat | {"messages": messages}, name="chat.json")
    assert len(days(path)) == 3
    old = Item(chat.get("id", ""), datetime(2026, 1, 5, 10, tzinfo=UTC), "content")
    (taken,) = take("conversation", path, landed=[old])
    assert [segment["time"].day for segment in taken.segments] == [5, 6, 7]
    (gone,) = take("conversation", path, landed=[Item("another", old.event_at, "content")])
    assert "is not in the file any more" in gone.refusal


LOG = "".join(f"[{day:02}.03.24, 18:05:00] {name}: See you at the weir.\n" for day in range(1, 29) for name in "AB")


def test_a_chat_of_many_days_is_parsed_once(tmp_path: Path) -> None:
    """Of a year of days each would otherwise read the year: the time would grow with the square of the days."""
    path = tmp_path / "chat.txt"
    path.write_text(LOG)
    before = conversation._parsed.cache_info().misses
    assert len(take("conversation", path)) == 28
    assert conversation._parsed.cache_info().misses == before + 1
