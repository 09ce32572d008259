"""Data types that readers and sources exchange: landed file, items in it, text of an item, issues."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from brain_retrieval.errors import BadInputError, BrainError
from brain_retrieval.settings import Limits, Settings

if TYPE_CHECKING:
    from brain_retrieval.models.chat.metering import MeterOpener
    from brain_retrieval.models.chat.protocol import ChatModel


@dataclass(frozen=True)
class Issue:
    """An item, or a part of one, that was refused ("rejected"), accepted with a correction ("repaired"), or lost.

    "waiting" is one that a remote model was not asked about, or did not answer: it is asked again.
    """

    source_id: str
    uri: str
    reason: str
    kind: Literal["rejected", "repaired", "lost", "waiting"]
    detail: str = ""


def describe(error: BaseException) -> str:
    """Return an error as one line of bounded length for the user's own stores: type, message, file and line."""
    text = " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()  # lone surrogates are not UTF-8
    return f"{type(error).__name__}: {text}"[:500] + _in_brackets(place_of(error))


def public(error: BaseException) -> str:
    """Return the part of an error that may enter the event log: our own messages; of others only type and place.

    Messages of other libraries, and of `BadInputError`, may quote the user's data.
    """
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
    """One landed file. Times are aware UTC; `path` is the blob, `uri` is `inbox:<source>/<path>`."""

    user: str
    uri: str
    path: Path
    size: int  # bytes
    mtime: datetime
    received_at: datetime
    event_time: datetime | None = None  # as given by the sender


@dataclass(frozen=True)
class Item:
    """One unit of a file that is read and stored on its own: the whole file (`fragment` "") or one session of many.

    `digest` is the hash of the item's own bytes where a file holds several items, so that the unchanged items of a
    growing file are not processed again; "" means the file's hash decides.

    A child inside the file (an attachment, a page of an archive) has its bytes in `content`: they become a separate
    blob, which is detected and read like a file called `name`. `parent` is the uri of the item it belongs to, in this
    file or another. `meta` holds strings that the read stage needs and that are not in the bytes; "url" and
    "fetched_at" (ISO 8601) become columns.
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
    """The text of an item. `segments` are dicts of schemas.SEGMENT: sorted, not overlapping, spans of `text`.

    `anchors` are dicts of schemas.ANCHOR: sorted, each inside one segment.
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
    """Context for reading one item: the settings, and an empty scratch directory that is deleted afterwards.

    `counted` wraps a chat model so that its requests are counted for the user; `meter` does the same for speech.
    `source` is the name of the source type, which some settings depend on.
    """

    settings: Settings
    scratch: Path
    counted: "Callable[[ChatModel], ChatModel | None] | None" = None
    source: str = ""
    meter: "MeterOpener | None" = None

    @property
    def zone(self) -> tzinfo:
        return self.settings.zone

    @property
    def limits(self) -> Limits:
        return self.settings.limits_for(self.source)
