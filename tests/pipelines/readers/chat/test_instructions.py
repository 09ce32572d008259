"""The settings of ChatGPT are read once, as said by the user in the first conversation that has them."""

import json
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.readers.chat.chat import Session, read_sessions

ABOUT, MANNER = "I keep bees in Otley.", "Answer briefly."
STATED = {"user_context_message_data": {"about_user_message": ABOUT, "about_model_message": MANNER}}
FENCED = {"user_profile": f"User profile:\n```{ABOUT}```", "user_instructions": f"How to respond:\n```{MANNER}```"}


def exported(key: str, start: float, settings: dict[str, Any] | None, metadata: dict[str, Any]) -> dict[str, Any]:
    content = {"content_type": "user_editable_context", **(settings or {})}
    hidden = {"author": {"role": "user"}, "create_time": None, "content": content, "metadata": metadata}
    asked = {"author": {"role": "user"}, "create_time": start, "content": {"content_type": "text", "parts": ["How?"]}}
    mapping = {
        "a": {"id": "a", "parent": None, "message": hidden if settings is not None else None},
        "b": {"id": "b", "parent": "a", "message": asked},
    }
    return {"conversation_id": key, "title": key, "create_time": start, "current_node": "b", "mapping": mapping}


def read(*conversations: dict[str, Any]) -> dict[str, Session]:
    latest = datetime(2026, 3, 2, tzinfo=UTC)
    return {s.key: s for s in read_sessions(json.dumps(conversations), UTC, latest=latest)}


def texts(session: Session) -> list[str]:
    return [f"{m.speaker}: {m.text}" for m in session.messages]


def test_they_stand_in_the_first_conversation_alone() -> None:
    later, first = exported("later", 1767700000, {}, STATED), exported("first", 1767600000, {}, STATED)
    found = read(later, first)
    assert texts(found["first"]) == [f"user: {ABOUT}", f"user: {MANNER}", "user: How?"]
    assert texts(found["later"]) == ["user: How?"]
    assert found["first"].messages[0].time == datetime.fromtimestamp(1767600000, UTC)


def test_what_stands_between_fences_is_read_where_nothing_else_states_it() -> None:
    assert texts(read(exported("one", 1767600000, FENCED, {}))["one"])[:2] == [f"user: {ABOUT}", f"user: {MANNER}"]


def test_a_conversation_is_read_again_when_an_earlier_one_with_the_same_settings_has_gone() -> None:
    later, first = exported("later", 1767700000, {}, STATED), exported("first", 1767600000, {}, STATED)
    assert read(later, first)["later"].digest != read(later)["later"].digest
    assert read(later)["later"].digest == read(exported("none", 1767500000, None, {}), later)["later"].digest


def test_settings_alone_are_no_conversation() -> None:
    empty = exported("empty", 1767600000, {}, STATED)
    empty["current_node"] = "a"
    assert set(read(empty, exported("one", 1767700000, {}, STATED))) == {"one"}


def test_those_of_an_older_export_stand_beside_an_empty_message_of_the_system() -> None:
    old = exported("old", 1704067200, {}, STATED)
    old["mapping"]["a"]["message"] |= {"author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}}
    assert texts(read(old)["old"])[:2] == [f"user: {ABOUT}", f"user: {MANNER}"]
