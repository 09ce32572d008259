"""Reader of chat files: JSON lines, an export or a log as text → sessions of messages with times.

Sessions named in the file are kept whole, also across midnight. Messages outside of sessions are grouped by calendar
day in the user's time zone, so that a log that grows over months changes only its last day.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from itertools import count
from typing import Any

from brain_pipelines.readers.chat.chat_export import Draft, drafts_of, walk_messages
from brain_pipelines.readers.chat.chat_log import is_chat_log, read_log
from brain_pipelines.readers.chat.chat_message import Message, NotAMessageError, read_message
from brain_pipelines.readers.chat.chat_page import chat_of_page
from brain_pipelines.readers.chat.exports.registry import exported_chats
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import content_id, stable_hash

LOOKED_AT = 1 << 16  # characters that tell a log
MAX_LISTED = 20  # broken lines reported one by one; the others are counted


@dataclass
class Session:
    """The messages of one session. `start` is the session's own time in the file; `rejected` are omitted lines."""

    key: str
    title: str = ""
    messages: list[Message] = field(default_factory=list)
    start: datetime | None = None
    digest: str = ""
    rejected: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)  # raw lines, for the digest

    @property
    def event_at(self) -> datetime | None:
        """Return when the session began: the earliest time of a message, else the session's own time."""
        times = [message.time for message in self.messages if message.time]
        return min(times) if times else self.start


def read_sessions(text: str, zone: tzinfo, *, latest: datetime, day: date | None = None) -> list[Session]:
    """Return the sessions of a decoded file, in the order of their first message.

    Args:
        text: JSON lines, one JSON value, or a log.
        zone: the user's, for times without an offset and for days.
        latest: later times are wrong and count as missing.
        day: of a log that states only the clock.

    Raises:
        BadInputError: if there is no message in the file.
    """
    try:
        sessions = _read_sessions(text, zone, latest, day)
    except RecursionError:
        raise BadInputError("JSON nested too deeply") from None
    _name_apart(sessions)
    for session in sessions:
        _drop_future(session, latest)
    return sessions


def _read_sessions(text: str, zone: tzinfo, latest: datetime, day: date | None) -> list[Session]:
    exported = chat_of_page(text) or exported_chats(text, zone, day)
    value, fault = (exported, None) if exported is not None else _parse_whole(text)
    drafts = drafts_of(value, zone) if fault is None else None
    if drafts is not None:
        sessions = [_from_draft(draft) for draft in drafts if draft.messages or draft.problems]
    elif isinstance(value, list) and fault is None:
        sessions = _group(list(_list_entries(value, zone)), zone, latest)
    elif is_chat_log(text[:LOOKED_AT].encode(), len(text) <= LOOKED_AT):
        sessions = _from_log(text, zone, latest, day)
    else:
        sessions = _from_lines(text, zone, latest)
    if not any(session.messages for session in sessions):
        raise BadInputError(_no_message(sessions, fault))
    return [session for session in sessions if session.messages]


def _parse_whole(text: str) -> tuple[Any, str | None]:
    try:
        return json.loads(text.removeprefix("\ufeff")), None
    except json.JSONDecodeError as error:
        return None, f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError) as error:
        return None, f"not valid JSON: {str(error)[:80]}"


def _no_message(sessions: list[Session], fault: str | None) -> str:
    rejected = [reason for session in sessions for reason in session.rejected]
    if not rejected:
        return "no message in the file"
    if fault and len(rejected) > 1 and all(": not JSON" in reason for reason in rejected):
        return f"no message in the file: {fault}"  # one value with one mistake, as good as certainly
    more = f"; and {len(rejected) - 3} more" if len(rejected) > 3 else ""
    return f"no message in the file: {'; '.join(rejected[:3])}{more}"


def _from_draft(draft: Draft) -> Session:
    return Session(draft.key, draft.title, draft.messages, draft.start, draft.digest, draft.problems)


def _from_log(text: str, zone: tzinfo, latest: datetime, day: date | None) -> list[Session]:
    said = read_log(text, zone, day)
    return _group([(f"line {one.line}", text[one.raw_start : one.raw_end], one) for one in said], zone, latest)


# An entry is (its label for reports, its raw text, the message or the reason why it is none).
_Entry = tuple[str, str, Message | NotAMessageError]


def _list_entries(value: list[Any], zone: tzinfo) -> Iterator[_Entry]:
    for (number, found), entry in zip(walk_messages(value, zone), value, strict=True):
        yield f"entry {number}", json.dumps(entry, sort_keys=True), found


def _from_lines(text: str, zone: tzinfo, latest: datetime) -> list[Session]:
    entries: list[_Entry] = []
    whole: list[Session] = []
    position = 0
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip().removeprefix("\ufeff")
        if bare:
            start = position + line.find(bare)
            found = _read_line(bare, zone)
            if isinstance(found, list):
                whole.extend(found)
            elif isinstance(found, Message):
                span = {"raw_start": start, "raw_end": start + len(bare), "line": number}
                entries.append((f"line {number}", bare, replace(found, **span)))
            else:
                entries.append((f"line {number}", bare, found))
        position += len(line) + 1
    return _group(entries, zone, latest) + whole


def _read_line(line: str, zone: tzinfo) -> Message | NotAMessageError | list[Session]:
    """Return the message of a line, or its conversations if each line is a whole conversation."""
    try:
        value = json.loads(line)
        drafts = drafts_of(value, zone) if isinstance(value, dict) else None
        return [_from_draft(draft) for draft in drafts] if drafts else read_message(value, zone)
    except json.JSONDecodeError as error:
        return NotAMessageError(f"not JSON ({error.msg}, column {error.colno})")
    except NotAMessageError as error:
        return error
    except (ValueError, RecursionError):
        return NotAMessageError("not JSON (nested too deeply or a number too long)")


def _name_apart(sessions: list[Session]) -> None:
    """Make session names unique: unnamed sessions get a hash of their content, equal names a number.

    Two items with the same name would have the same id, and the second would overwrite the first.
    """
    taken: set[str] = set()
    for session in sessions:
        key = clean_key(session.key)
        if not key and len(sessions) > 1:
            first = session.messages[0]
            key = "c-" + stable_hash([session.title, first.speaker, first.text, str(first.time)])
        numbered = (f"{key}~{number}" for number in count(2))
        session.key = key if key not in taken else next(name for name in numbered if name not in taken)
        taken.add(session.key)


def clean_key(key: str) -> str:
    """Return a session's name with the characters replaced that a uri cannot hold."""
    return key.encode("utf-8", "replace").decode("utf-8").strip()


def _group(entries: list[_Entry], zone: tzinfo, latest: datetime) -> list[Session]:
    """Return the sessions of a flat list of messages. Broken entries belong to the session of the message before."""
    messages = [found for _, _, found in entries if isinstance(found, Message)]
    named = any(message.session for message in messages)
    dated = any(_trusted(message, latest) for message in messages)
    sessions: dict[str, Session] = {}
    key = _first_key(messages, named, dated, zone, latest)
    for label, raw, found in entries:
        if isinstance(found, Message):
            if named:
                key = found.session or key
            elif time := _trusted(found, latest):
                key = time.astimezone(zone).date().isoformat()
            sessions.setdefault(key, Session(key)).messages.append(found)
        else:
            sessions.setdefault(key, Session(key)).rejected.append(f"{label}: {found}")
        sessions[key].parts.append(raw)
    for session in sessions.values():
        session.digest = stable_hash(session.parts)
        session.parts.clear()
    return list(sessions.values())


def _first_key(messages: list[Message], named: bool, dated: bool, zone: tzinfo, latest: datetime) -> str:
    """Return the session key for the entries before the first message that has a session or a time."""
    if named:
        return next(message.session for message in messages if message.session) or ""
    if dated:
        time = next(time for message in messages if (time := _trusted(message, latest)))
        return time.astimezone(zone).date().isoformat()
    return ""


def _trusted(message: Message, latest: datetime) -> datetime | None:
    return message.time if message.time and message.time <= latest else None


def _drop_future(session: Session, latest: datetime) -> None:
    future = [message for message in session.messages if message.time and message.time > latest]
    if session.start and session.start > latest:
        session.start = None
    if future:
        session.messages = [m if _trusted(m, latest) or not m.time else replace(m, time=None) for m in session.messages]
        times = ", ".join(m.time.isoformat(timespec="minutes") for m in future[:3] if m.time)
        what = _count(len(future), "message")
        session.repairs.append(f"{what} dated in the future ({times}); the time before is used")


def place_in_time(session: Session, fallback: datetime) -> list[tuple[str, datetime, Message]]:
    """Return (id, time, message) in file order; a message without a time takes that of the previous one.

    Corrections are added to `session.repairs`. The order of the file is kept even if times decrease.

    Args:
        session: as read.
        fallback: the time for messages if neither they nor the session have one.
    """
    start = session.event_at or fallback
    first = next((message.time for message in session.messages if message.time), start)
    missing = sum(1 for message in session.messages if not message.time)
    if missing and missing < len(session.messages):
        future = any("in the future" in repair for repair in session.repairs)
        if not future:
            session.repairs.append(f"{_count(missing, 'message')} without a time; the time before is used")
    elif missing and session.start is None:
        session.repairs.append(f"no message has a time; {fallback.isoformat(timespec='minutes')} is used")
    placed: list[tuple[str, datetime, Message]] = []
    occurrences: dict[str, int] = {}
    time, latest, backwards = first, None, 0
    for message in session.messages:
        if message.time:
            backwards += latest is not None and message.time < latest - timedelta(seconds=1)
            latest = message.time if latest is None else max(latest, message.time)
            time = message.time
        derived = content_id("message", session.key, message.speaker, message.text, time.isoformat())
        occurrences[derived] = occurrences.get(derived, 0) + 1
        if occurrences[derived] > 1:
            derived = content_id("message", derived, occurrences[derived])
        placed.append((message.message_id or derived, time, message))
    if backwards:
        session.repairs.append(f"{_count(backwards, 'message')} out of order in time; kept in the order of the file")
    return placed


def listed(rejected: list[str]) -> list[str]:
    """Return the reasons for broken lines: the first few, then the number of the others."""
    more = len(rejected) - MAX_LISTED
    return [*rejected[:MAX_LISTED], f"and {more} more lines that are no message"] if more > 0 else list(rejected)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"
