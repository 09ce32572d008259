"""What a source type is. Variation between sources is a function field here, never a flag or a subclass."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.issue import Issue
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.settings import ChunkingConfig, Limits, Settings


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


@dataclass(frozen=True)
class Source:
    """A source type.

    `locate` peeks at a landed file, cheaply and bounded, never raising for bad content; `read` turns the RAW row of
    an item and the path of its blob into text, or raises BadInputError with the reason for its quarantine. Times
    without an offset are meant in the user's time zone. `text_config` returns what of the settings the text depends
    on beyond limits and time zone: a change re-reads this source and no other.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    formats: tuple[str, ...]
    locate: Callable[[Delivery, tzinfo, Limits], list[Item]]
    read: Callable[[dict[str, Any], Path, Reading], ReadResult]
    chunking: ChunkingConfig
    chunking_by_format: Mapping[str, ChunkingConfig] = field(default_factory=dict)  # where a format wants another
    trust: str = "own"
    text_config: Callable[[Settings], Any] = lambda settings: []
    aliases: tuple[str, ...] = ()  # names that other systems use for it
