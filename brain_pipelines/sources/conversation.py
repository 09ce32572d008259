"""conversation: chats between people, or with an assistant, as JSON lines, the export of a chat tool, or a log as text.

A file may hold many conversations over months: each session is a separate item, on the day it began, and its fragment
is the session's id. Messages outside of sessions form one item per calendar day, whose fragment is the ISO day.
Every message is a segment with its speaker, its time and, for lines, the span of its line in the decoded file.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from brain_pipelines.readers.by_format import promised_by
from brain_pipelines.readers.chat.chat import Session, listed, place_in_time, read_sessions
from brain_pipelines.readers.chat.chat_page import is_chat_page
from brain_pipelines.readers.chat.message_list import is_message_list
from brain_pipelines.readers.chat.same_file import SameFile, file_of
from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import FUTURE_SLACK, file_name, from_outside
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.sources.result import title_of_name, to_result
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import ChunkingConfig, Limits

MAX_FRAGMENT = 120  # characters
MAX_AUTHORS = 50
_CHAT_KEYS = re.compile(rb'"(?:messages|chat_messages|mapping|conversations|turns|chats)"\s*:')
_ROLE = re.compile(rb'\A\s*\{[^{}\[\]]{0,2000}?"role"\s*:\s*"(?:user|assistant|human|system)"')
_CONTENT = re.compile(rb'"content"\s*:')
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TEXTS = (
    "json",
    "jsonl",
    "chat-log",
    "chat-export",
    "text",
    "markdown",
    "xml",
    "html",
)  # other formats are refused without parsing


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return one item per session, on the day it began; the whole file as one item if it cannot be read."""
    outside = from_outside(delivery, zone)
    try:
        day = (delivery.event_time or outside[0]).astimezone(zone).date()
        sessions = _sessions(delivery.path, zone, delivery.received_at, limits, day)[0]
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        given = delivery.event_time
        return [Item("", given.astimezone(UTC), "given")] if given else [Item("", *outside)]
    return [_item(session, delivery, outside) for session in sessions]


def _item(session: Session, delivery: Delivery, outside: tuple[datetime, str]) -> Item:
    if delivery.event_time is not None:
        event_at, origin = delivery.event_time.astimezone(UTC), "given"
    else:
        event_at, origin = (session.event_at, "content") if session.event_at else outside
    return Item(fragment_of(session.key), event_at, origin, session.digest)


def fragment_of(key: str) -> str:
    """Return a session's key as a uri fragment: percent-escaped, and replaced by a hash when very long."""
    escaped = quote(key, safe="-._~:@+,/", errors="replace")
    return escaped if len(escaped) <= MAX_FRAGMENT else f"{escaped[:80]}~{stable_hash(key)}"


def _sessions(
    path: Path, zone: tzinfo, received_at: datetime, limits: Limits, day: date | None
) -> tuple[list[Session], list[str]]:
    """Return a file's sessions and the corrections made while decoding it; `day` is that of a log without days."""
    detected = detect_format(path)
    if detected.name == "empty":
        raise BadInputError("empty file (0 bytes)")
    if detected.name not in _TEXTS:
        raise BadInputError(f"it is {detected.label}, not a conversation in JSON or JSON lines")
    decoded = read_decoded(path, limits)
    return read_sessions(decoded.text, zone, latest=received_at + FUTURE_SLACK, day=day), decoded.repairs


@dataclass(frozen=True)
class _Parsed:
    """The sessions of a file by their fragment, the corrections of decoding it, and whether each message has a time."""

    sessions: dict[str, Session]
    repairs: list[str]
    timed: bool


@lru_cache(maxsize=2)
def _parsed(file: SameFile, zone: tzinfo, received_at: datetime, limits: Limits, day: date | None) -> _Parsed:
    sessions, repairs = _sessions(file.path, zone, received_at, limits, day)
    timed = all(message.time is not None for session in sessions for message in session.messages)
    return _Parsed({fragment_of(session.key): session for session in sessions}, repairs, timed)


def _parsed_once(raw_row: dict[str, Any], path: Path, reading: Reading) -> _Parsed:
    """Return what is in a file, which is parsed once for all of its items: they are read one after the other.

    Only a log that states no days is read with the day of the item.
    """
    wanted = (file_of(raw_row, path), reading.zone, raw_row["received_at"], reading.limits)
    parsed = _parsed(*wanted, None)
    return parsed if parsed.timed else _parsed(*wanted, raw_row["event_at"].astimezone(reading.zone).date())


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the turns of one session, one "Speaker: content" per message.

    Raises:
        BadInputError: if the file holds no message, or no such session.
    """
    parsed = _parsed_once(raw_row, path, reading)
    session = parsed.sessions.get(raw_row["item"]) or _of_days(parsed.sessions, raw_row["item"])
    if session is None:
        raise BadInputError(f"the session {raw_row['item']!r} is not in the file any more; land it again")
    found = _extract(session, raw_row, [*_name_repairs(raw_row), *parsed.repairs])
    result = to_result(raw_row, found, separator="\n")
    broken = [Issue(raw_row["source_id"], raw_row["uri"], r, "rejected") for r in listed(session.rejected)]
    result.issues.extend(broken)
    return result


def _of_days(sessions: dict[str, Session], item: str) -> Session | None:
    """Return a chat that was landed as one item, before chats of people were divided into days; None if it is none."""
    front = f"{item}/" if item else ""
    named = ((key.removeprefix(front), one) for key, one in sessions.items() if key.startswith(front))
    days = [one for day, one in named if _DAY.fullmatch(day)]
    if not days:
        return None
    messages = [message for one in days for message in one.messages]
    return Session(item, days[0].title, messages, rejected=[said for one in days for said in one.rejected])


def _extract(session: Session, raw_row: dict[str, Any], repairs: list[str]) -> Extracted:
    before = list(session.repairs)
    blocks = [
        Block(
            f"{message.speaker}: {message.text}",
            "message",
            message.raw_start,
            message.raw_end,
            message_id=message_id,
            speaker=message.speaker,
            time=time,
        )
        for message_id, time, message in place_in_time(session, raw_row["event_at"])
    ]
    corrected, session.repairs = session.repairs, before  # the session is cached and must not be modified
    speakers = list(dict.fromkeys(message.speaker for message in session.messages))[:MAX_AUTHORS]
    title = session.title or _title(speakers) or title_of_name(raw_row["name"])
    return Extracted(raw_row["format"], blocks, title, speakers, None, [*repairs, *corrected], participants=speakers)


def _title(speakers: list[str]) -> str:
    people = [name for name in speakers if not name.startswith("tool ")]
    if not people or people == ["unknown"]:
        return ""
    names = people[:4] if len(people) <= 4 else [*people[:3], f"{len(people) - 3} others"]
    return "Conversation of " + (" and ".join(filter(None, [", ".join(names[:-1]), names[-1]])))


def _name_repairs(raw_row: dict[str, Any]) -> list[str]:
    name, detected = file_name(raw_row["uri"]), raw_row["format"]
    suffix = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    if not promised_by(suffix) or suffix in (*SOURCE.suffixes, *FORMATS[detected].suffixes):
        return []
    return [f"named {suffix}, but it is {FORMATS[detected].label}; read as that"]


def _is_chat(detected: str, head: bytes) -> bool:
    """Return whether a JSON value is an export, a list of messages or one with a role, or an exported page."""
    if detected == "chat-export":
        return True
    if detected == "html":
        return is_chat_page(head.decode("utf-8", "replace"))
    if detected != "json":
        return False
    one = _ROLE.match(head) is not None and _CONTENT.search(head) is not None
    return one or _CHAT_KEYS.search(head) is not None or is_message_list(head)


SOURCE = Source(
    name="conversation",
    context_type="conversation",
    description="Chats as JSON lines, as exported by a chat tool, or as a log; one item a session.",
    suffixes=(".jsonl", ".json"),
    formats=("jsonl", "json", "chat-log", "chat-export"),
    locate=locate,
    read=read,
    chunking=ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100),
    usual_for=("jsonl", "chat-log", "chat-export"),
    claims=lambda _path, detected, head: _is_chat(detected, head),
)
