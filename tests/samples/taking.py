"""Landing and reading of one file without any store: location of its items, the raw stage and the text stage."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from brain_pipelines.landing.inbox import to_uri
from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.event_time import file_name
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.text import read_text
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits, Settings

MTIME = datetime(2026, 2, 20, 12, tzinfo=UTC)
RECEIVED = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Taken:
    """One item: its location, its text row or the reason of its refusal, and the issues."""

    item: Item
    document: dict[str, Any] | None
    refusal: str
    issues: list[Issue]

    @property
    def text(self) -> str:
        assert self.document is not None, self.refusal
        return self.document["text"]

    @property
    def segments(self) -> list[dict[str, Any]]:
        assert self.document is not None, self.refusal
        return self.document["segments"]

    @property
    def reasons(self) -> list[str]:
        return [self.refusal] if self.refusal else [issue.reason for issue in self.issues]


def take(
    source: str,
    path: Path,
    *,
    name: str | None = None,
    zone: tzinfo = UTC,
    limits: Limits | None = None,
    given: datetime | None = None,
    settings: Settings | None = None,
    landed: Sequence[Item] | None = None,
) -> list[Taken]:
    """Return every item of the file at `path`, as if it had been dropped into the inbox under `name`.

    `landed` are the items that an earlier version found in it, in place of those found now.
    """
    limits = limits or Limits()
    kind = SOURCES_BY_NAME[source]
    uri = to_uri(Path(source) / (name or path.name))
    delivery = Delivery("alice", uri, path, path.stat().st_size, MTIME, RECEIVED, given)
    settings = settings or Settings()
    changed = {"limits": limits} | ({"time_zone": str(zone)} if isinstance(zone, ZoneInfo) else {})
    settings = settings.model_copy(update=changed)
    items = kind.locate(delivery, zone, limits) if landed is None else landed
    return [_read(kind, item, uri, path, zone, settings) for item in items]


def take_one(source: str, path: Path, **options: Any) -> Taken:
    """Return the only item of a file."""
    (taken,) = take(source, path, **options)
    return taken


def _read(kind: Any, item: Item, uri: str, path: Path, zone: tzinfo, settings: Settings) -> Taken:
    with TemporaryDirectory() as scratch:
        if item.content is not None:
            path = Path(scratch) / "content"
            path.write_bytes(item.content)
        reading = Path(scratch) / "reading"
        reading.mkdir()
        return _read_at(kind, item, uri, path, zone, Reading(settings, reading))


def _read_at(kind: Any, item: Item, uri: str, path: Path, zone: tzinfo, reading: Reading) -> Taken:
    row = {
        "source_id": "source_1",
        "source": kind.name,
        "uri": f"{uri}#{item.fragment}" if item.fragment else uri,
        "day": item.event_at.astimezone(zone).date().isoformat(),
        "event_at": item.event_at,
        "event_from": item.event_from,
        "received_at": RECEIVED,
        "trust": kind.trust,
        "sensitivity": "normal",
        "ttl_policy": None,
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "name": item.name or file_name(uri),
        "parent_id": item.parent,
        "url": item.meta.get("url"),
        "fetched_at": None,
        "meta": json.dumps(dict(item.meta)),
        "bytes": path.stat().st_size,
        "item": item.fragment,
        "format": detect_format(path).name,
        "mime": "",
    }
    try:
        document, issues = read_text(row, path, kind, reading)
    except BadInputError as error:
        return Taken(item, None, str(error), [])
    return Taken(item, document, "", issues)
