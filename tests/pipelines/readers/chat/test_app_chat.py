"""Chats that phone apps export as JSON: who says what when, and one conversation for each day."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.readers.chat.chat import Session, read_sessions

LATEST = datetime(2026, 1, 1, tzinfo=UTC)

TELEGRAM = {
    "name": "Marta",
    "type": "personal_chat",
    "id": 77,
    "messages": [
        {"id": 1, "type": "service", "date": "2025-03-01T10:00:00", "actor": "Marta", "action": "phone_call"},
        {
            "id": 2,
            "type": "message",
            "date": "2025-03-01T11:05:11",
            "date_unixtime": "1740823511",
            "from": "Marta",
            "from_id": "user1",
            "text": ["We moved to Ghent, see ", {"type": "link", "text": "https://example.org"}],
        },
        {
            "id": 3,
            "type": "message",
            "date": "2025-03-02T10:00:00",
            "date_unixtime": "1740906000",
            "from": "Jonas",
            "from_id": "user2",
            "photo": "photos/1.jpg",
            "text": "",
        },
        {
            "id": 4,
            "type": "message",
            "date": "2025-03-02T10:01:00",
            "from": "Jonas",
            "from_id": "user2",
            "text": "Lovely!",
        },
    ],
}

MESSENGER = {
    "participants": [{"name": "Ren\u00c3\u00a9e"}, {"name": "Ana"}],
    "messages": [
        {"sender_name": "Ren\u00c3\u00a9e", "timestamp_ms": 1740996311000, "content": "\u00c3\u00a0 demain"},
        {"sender_name": "Ana", "timestamp_ms": 1740823512000, "photos": [{"uri": "1.jpg"}]},
        {"sender_name": "Ana", "timestamp_ms": 1740823511000, "content": "Lundi, 18h ?"},
    ],
    "title": "Ren\u00c3\u00a9e",
}

GOOGLE = {
    "messages": [
        {
            "creator": {"name": "Ann", "email": "ann@example.org"},
            "created_date": "Tuesday, March 5, 2024 at 10:05:11\u202fPM UTC",
            "text": "The plumber comes on Friday.",
        },
        {
            "creator": {"name": "Bo", "email": "bo@example.org"},
            "created_date": "Wednesday, 6 March 2024 at 08:00:00 UTC",
            "text": "Good.",
        },
    ]
}


def sessions(value: Any) -> list[Session]:
    return read_sessions(json.dumps(value), ZoneInfo("Europe/Brussels"), latest=LATEST)


def said(value: Any) -> dict[str, list[tuple[str, str]]]:
    return {one.key: [(m.speaker, m.text) for m in one.messages] for one in sessions(value)}


def test_chats_of_apps_have_an_item_a_day() -> None:
    telegram = {
        "77/2025-03-01": [("Marta", "We moved to Ghent, see https://example.org")],
        "77/2025-03-02": [("Jonas", "Lovely!")],
    }
    assert said(TELEGRAM) == telegram
    assert said({"about": "All chats", "chats": {"about": "These", "list": [TELEGRAM]}}) == telegram
    assert said(MESSENGER) == {"2025-03-01": [("Ana", "Lundi, 18h ?")], "2025-03-03": [("Renée", "à demain")]}
    assert said(GOOGLE) == {"2024-03-05": [("Ann", "The plumber comes on Friday.")], "2024-03-06": [("Bo", "Good.")]}
    assert [one.title for one in sessions(MESSENGER)] == ["Renée", "Renée"]


def test_times_are_those_of_the_messages() -> None:
    assert sessions(TELEGRAM)[0].event_at == datetime(2025, 3, 1, 10, 5, 11, tzinfo=UTC)
    assert sessions(TELEGRAM)[1].event_at == datetime(2025, 3, 2, 9, 1, tzinfo=UTC)  # of the zone: no Unix time
    assert sessions(GOOGLE)[0].event_at == datetime(2024, 3, 5, 22, 5, 11, tzinfo=UTC)


def test_what_an_app_says_and_pictures_without_words_are_not_reported_as_broken() -> None:
    assert [one.rejected for one in (*sessions(TELEGRAM), *sessions(MESSENGER))] == [[], [], [], []]


def test_a_message_that_is_added_changes_only_the_days_it_is_of() -> None:
    later = {"type": "message", "date": "2025-03-03T08:00:00", "from": "Marta", "from_id": "user1", "text": "Hi"}
    before, after = sessions(TELEGRAM), sessions({**TELEGRAM, "messages": [*TELEGRAM["messages"], later]})
    assert [one.digest for one in after[:2]] == [one.digest for one in before]
    assert [one.key for one in after] == ["77/2025-03-01", "77/2025-03-02", "77/2025-03-03"]


@pytest.mark.parametrize("speakers", [("user", "assistant"), ("human", "Claude")])
def test_a_chat_with_an_assistant_stays_whole(speakers: tuple[str, str]) -> None:
    messages = [
        {"role": who, "content": f"part {day}", "timestamp": f"2025-03-0{day}T10:00:00Z"}
        for day, who in enumerate(speakers, 1)
    ]
    assert list(said({"id": "bread", "messages": messages})) == ["bread"]


def test_a_session_with_a_name_stays_whole() -> None:
    messages = [
        {"speaker": "Ann", "text": f"part {day}", "timestamp": f"2025-03-0{day}T10:00:00Z"} for day in range(1, 4)
    ]
    assert list(said({"session_id": "kick-off", "messages": messages})) == ["kick-off"]
    assert list(said({"name": "Friends", "messages": messages})) == ["2025-03-01", "2025-03-02", "2025-03-03"]
