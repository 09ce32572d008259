"""Reader of notes that an app exports as JSON (`apps/`): each note a part with its own day, of posts each day one.

Also of the lists in Twitter's archive, which are JSON behind an assignment: `window.YTD.tweets.part0 = […]`; those that
hold no posts are refused.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.apps.app import App
from brain_pipelines.readers.notes.apps.registry import app_of
from brain_pipelines.readers.notes.note import Note, title_of, to_extracted
from brain_pipelines.readers.parts import Part
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Limits

LOOKED_AT = 1 << 16  # bytes
_ASSIGNED = re.compile(r"window\.YTD\.(\w{1,60})\.part\d{1,4}\s*=\s*")
NAME_CHARS = 60


def read_file(path: Path, limits: Limits, _scratch: Path | None = None) -> Extracted:
    """Return the notes of a file; of posts of a day one after the other.

    Raises:
        BadInputError: if it is damaged, encrypted, or has no note with words.
    """
    return to_extracted([note for note, _ in _found(*_parsed(path, limits), UTC)])


def _parsed(path: Path, limits: Limits) -> tuple[str, App, Any]:
    """Return what stands before the value of a file, its app, and the value.

    Raises:
        BadInputError: if it is no valid JSON, or of no app.
    """
    text = read_decoded(path, limits).text.removeprefix("\ufeff").lstrip()
    assigned = _ASSIGNED.match(text)
    front = assigned[0] if assigned else ""
    app = app_of(text[len(front) : len(front) + LOOKED_AT].encode("utf-8", "replace"))
    if app is None:
        what = f"the list {assigned[1]!r} of Twitter's archive" if assigned else "a list"
        raise BadInputError(f"{what} holds no posts, messages or notes")
    return front, app, parse_json(text[len(front) :])


def _found(_front: str, app: App, value: Any, zone: tzinfo) -> Iterator[tuple[Note, Any]]:
    try:
        yield from app.notes(value, zone)
    except RecursionError:
        raise BadInputError("JSON nested too deeply") from None


@dataclass
class _Group:
    key: str
    name: str
    time: datetime | None
    entries: list[Any] = field(default_factory=list)


def parts(path: Path, zone: tzinfo, limits: Limits) -> Iterator[Part]:
    """Yield the notes of a file, of posts the days; nothing if the file is one note.

    Raises:
        BadInputError: if it is damaged or encrypted.
    """
    front, app, value = _parsed(path, limits)
    if app.alone is None:
        return
    alone, groups = app.alone(value), dict[str, _Group]()
    for note, entry in _found(front, app, value, zone):
        if not note.text.strip():
            continue
        day = note.time.astimezone(zone).date().isoformat() if note.time and app.by_day else ""
        key = day or note.key or stable_hash([note.title, note.text, str(note.time)])
        name = f"{day or title_of(note)[:NAME_CHARS] or 'note'}.json"
        group = groups.setdefault(key, _Group(key, name, note.time))
        group.entries.append(entry)
        group.time = min((time for time in (group.time, note.time) if time), default=None)
    for group in groups.values():
        content = front + json.dumps(alone(group.entries), ensure_ascii=False)
        yield Part(group.key, group.name, content.encode("utf-8", "replace"), group.time)


def first_time(path: Path, zone: tzinfo) -> datetime | None:
    """Return the time of the first note of a file."""
    found = _found(*_parsed(path, Limits()), zone)
    return min((note.time for note, _ in found if note.time), default=None)


def _fits(start: bytes, _complete: bool) -> bool:
    return start[:1] in b"{[" and app_of(start) is not None or start.startswith(b"window.YTD.")


FORMAT = Format(
    "json-notes",
    "application/json",
    "notes that an app exported as JSON",
    family="notes",
    suffixes=(".json", ".txt"),
    promised=True,
    shape=_fits,
    read=read_file,
    parts=parts,
    date_of=first_time,
    date_from="content",
)
