"""What a source type is. Variation between sources is a function field here, never a flag or a subclass."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.issue import Issue
from brain_retrieval.settings import ChunkingConfig, Limits


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
    """

    fragment: str
    event_at: datetime  # aware UTC
    event_from: str  # given | content | name | metadata | file
    digest: str = ""


@dataclass(frozen=True)
class ReadResult:
    """The text of an item. `segments` are dicts of schemas.SEGMENT, in order, inside `text`, not overlapping."""

    title: str
    text: str
    format: str
    segments: list[dict[str, Any]]
    authors: list[str] = field(default_factory=list)
    language: str | None = None
    issues: list[Issue] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """A source type.

    `locate` peeks at a landed file, cheaply and bounded, never raising for bad content; `read` turns the RAW row of
    an item and the path of its blob into text, or raises BadInputError with the reason for its quarantine. Both get
    the user's time zone, in which times without an offset are meant.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    formats: tuple[str, ...]
    locate: Callable[[Delivery, tzinfo, Limits], list[Item]]
    read: Callable[[dict[str, Any], Path, tzinfo, Limits], ReadResult]
    chunking: ChunkingConfig
    chunking_by_format: Mapping[str, ChunkingConfig] = field(default_factory=dict)  # where a format wants another
    trust: str = "own"
