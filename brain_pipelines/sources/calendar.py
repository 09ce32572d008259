"""calendar: events, tasks and journal entries of a calendar file (.ics).

One item per entry, with its own bytes: the fragment is the entry's UID, or "UID@date" for a changed date of a series.
A recurring entry is one item, on the day of its first occurrence, with its recurrence rule in words.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.calendar.calendar_file import ZONE_FILE
from brain_pipelines.readers.calendar.calendar_parts import Entry, entries
from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import from_outside
from brain_pipelines.readers.registry import readers_of, suffixes_of
from brain_pipelines.sources.conversation import fragment_of
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits

READERS = readers_of("calendar")


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the entries of a calendar; the whole file as one item if it cannot be read or has none."""
    try:
        is_calendar = detect_format(delivery.path).name in READERS
        items = list(_items(delivery, zone, limits)) if is_calendar else []
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        items = []
    given = delivery.event_time
    at, origin = (given.astimezone(UTC), "given") if given else from_outside(delivery, zone)
    return items or [Item("", at, origin)]


def _items(delivery: Delivery, zone: tzinfo, limits: Limits) -> Iterator[Item]:
    outside = from_outside(delivery, zone)
    for fragment, entry in _latest(entries(read_decoded(delivery.path, limits).text)).items():
        at, origin = _time(entry, delivery, zone) or outside
        yield Item(
            fragment, at, origin, content=entry.text.encode("utf-8", "replace"), name=f"{entry.kind[1:].lower()}.ics"
        )


def _latest(found: Iterator[Entry]) -> dict[str, Entry]:
    """Return the entries by fragment; of several versions the one with the highest SEQUENCE, the last among equals."""
    kept: dict[str, Entry] = {}
    for entry in found:
        uid = entry.value("UID") or hashlib.sha256(entry.text.encode("utf-8", "replace")).hexdigest()[:16]
        date = entry.value("RECURRENCE-ID")
        fragment = fragment_of(f"{uid}@{date}" if date else uid)
        if fragment not in kept or _sequence(entry) >= _sequence(kept[fragment]):
            kept[fragment] = entry
    return kept


def _sequence(entry: Entry) -> int:
    value = entry.value("SEQUENCE")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _time(entry: Entry, delivery: Delivery, zone: tzinfo) -> tuple[datetime, str] | None:
    if delivery.event_time is not None:
        return delivery.event_time.astimezone(UTC), "given"
    found = entry.time(zone, "DTSTART", "DUE", "COMPLETED", "CREATED", "DTSTAMP", "LAST-MODIFIED")
    return (found, "content") if found else None


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the text of an entry: title, time, place and participants, then its description.

    Raises:
        BadInputError: if the entry is broken, or the file holds none.
    """
    (reading.scratch / ZONE_FILE).write_text(str(reading.zone), "utf-8")  # the sandbox's child has no settings
    return read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)


SOURCE = Source(
    name="calendar",
    context_type="event",
    description="Calendars (.ics): one item per event, task or journal entry; series with their rule in words.",
    suffixes=suffixes_of("calendar"),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    usual_for=tuple(READERS),
    aliases=("ics", "google-calendar"),
    chunking=ChunkingConfig(strategy="recursive", max_size=512, overlap=0, min_size=0),
)
