"""What a reader is given and what it returns: a landed file, the items in it, their text, and what went wrong."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Literal

from brain_retrieval.errors import BadInputError, BrainError
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.settings import Limits, Settings


@dataclass(frozen=True)
class Issue:
    """An item, or a part of one, that was refused ("rejected") or taken with a correction ("repaired")."""

    source_id: str
    uri: str
    reason: str
    kind: Literal["rejected", "repaired"]
    detail: str = ""


def describe(error: BaseException) -> str:
    """Return an error as one bounded line for the user's own stores: type, message, place."""
    text = " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()  # half a character is no UTF-8
    return f"{type(error).__name__}: {text}"[:500] + _in_brackets(place_of(error))


def public(error: BaseException) -> str:
    """Return what of an error may enter the event log: our own messages, of others only the type and place."""
    text = f": {error}" if isinstance(error, BrainError) and not isinstance(error, BadInputError) else ""
    return f"{type(error).__name__}{text[:500]}{_in_brackets(place_of(error))}; `brain status` shows the reason"


def place_of(error: BaseException) -> str:
    """Return the file and line that raised an error, "" if it was never raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def _in_brackets(place: str) -> str:
    return f" ({place})" if place else ""


@dataclass(frozen=True)
class Delivery:
    """One file as it landed. Times are aware UTC; `path` is the blob, `uri` is `inbox:<source>/<path>`."""

    user: str
    uri: str
    path: Path
    size: int  # bytes
    mtime: datetime
    received_at: datetime
    event_time: datetime | None = None  # given by whoever sent it


@dataclass(frozen=True)
class Item:
    """One source in a file: the whole file (`fragment` "") or one session of many.

    `digest` is the hash of the item's own bytes where a file holds several, so that the unchanged parts of a
    growing file stay as they are; "" means the file's hash decides.

    A child that lies inside the file (an attachment, a page of an archive) brings its own bytes in `content`: they
    become a blob of their own, so it is detected and read like a file called `name`. `parent` is the uri of the item
    it belongs to, in this file or another. `meta` holds plain strings that the read stage needs and the bytes do not
    say; "url" and "fetched_at" (ISO 8601) become columns.
    """

    fragment: str
    event_at: datetime  # aware UTC
    event_from: str  # given | content | name | metadata | file
    digest: str = ""
    content: bytes | None = None
    name: str = ""
    parent: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadResult:
    """The text of an item. `segments` are dicts of schemas.SEGMENT, in order, inside `text`, not overlapping.

    `anchors` are dicts of schemas.ANCHOR, in order, each inside one segment.
    """

    title: str
    text: str
    format: str
    segments: list[dict[str, Any]]
    authors: list[str] = field(default_factory=list)
    language: str | None = None
    issues: list[Issue] = field(default_factory=list)
    anchors: list[dict[str, Any]] = field(default_factory=list)
    participants: list[str] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    url: str | None = None


@dataclass(frozen=True)
class Reading:
    """What a source may use to read an item: the settings, and an empty directory of its own that is gone after.

    `counted` makes of a chat model one whose requests count as the user's.
    """

    settings: Settings
    scratch: Path
    counted: Callable[[ChatModel], ChatModel | None] | None = None

    @property
    def zone(self) -> tzinfo:
        return self.settings.zone

    @property
    def limits(self) -> Limits:
        return self.settings.limits
