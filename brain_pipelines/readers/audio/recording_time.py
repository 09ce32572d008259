"""Start time of a recording, and from it the time of each turn.

The first that applies: given, the container's creation time, a date and a clock time in the name, a date in the
container, a date in the name, the file's modification time. Only the first three give the exact time; with a date
alone, turns get no time.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any

from brain_pipelines.readers.audio.audio_facts import AUDIO_FACTS
from brain_pipelines.readers.contract import Delivery, Item, ReadResult
from brain_pipelines.readers.event_time import FUTURE_SLACK, file_name, from_outside, parse_time
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.settings import Limits

PEEK_SECONDS = 20.0
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
MOMENT = "began"  # key of an item's meta: set if its event time is the exact start of the recording
_CLOCK_IN_NAME = re.compile(
    r"(?<!\d)(?P<y>\d{4})[-_.]?(?P<m>\d{2})[-_.]?(?P<d>\d{2})(?:[T _.-]+|(?: at |,)\s*)"
    r"(?P<h>\d{1,2})[-_.:h]?(?P<min>\d{2})(?:[-_.:]?(?P<s>\d{2}))?(?!\d)[ _]?(?P<half>[AaPp][Mm])?(?P<zulu>Z)?"
)


def locate_recording(
    delivery: Delivery, zone: tzinfo, limits: Limits, *, peek: bool = True, facts: Isolated = AUDIO_FACTS
) -> Item:
    """Return the one item of a recording; `peek` is False for a format without a container to read the time from.

    `facts` is the reader of the container's metadata.
    """
    if delivery.event_time is not None:
        return Item("", delivery.event_time.astimezone(UTC), "given", meta={MOMENT: "yes"})
    written = _recorded(delivery, limits, facts) if peek else ""
    recorded = parse_time(written, zone)
    if recorded is not None and not _EARLIEST <= recorded <= delivery.received_at + FUTURE_SLACK:
        recorded = None  # the recorder's clock was not set, or set wrong
    if recorded is not None and re.search(r"\d:\d", written):
        return Item("", recorded, "metadata", meta={MOMENT: "yes"})
    named = clock_in_name(file_name(delivery.uri), zone)
    if named is not None:
        return Item("", named, "name", meta={MOMENT: "yes"})
    if recorded is not None:
        return Item("", recorded, "metadata")
    return Item("", *from_outside(delivery, zone))


def _recorded(delivery: Delivery, limits: Limits, facts: Isolated) -> str:
    try:
        found = facts(delivery.path, limits, within=PEEK_SECONDS)
    except Exception:  # a damaged file still lands; the read stage reports the fault
        return ""
    return str(found.attributes.get("recorded_at", ""))


def clock_in_name(name: str, zone: tzinfo) -> datetime | None:
    """Return the date and time in a file name, as recorders write them, in UTC; None unless it has both."""
    for match in _CLOCK_IN_NAME.finditer(name):
        hour, half = int(match["h"]), (match["half"] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
        utc = bool(match["zulu"]) or name[: match.start()].endswith("GMT")  # Zoom's cloud recordings
        try:
            clock = time(hour, int(match["min"]), int(match["s"] or 0))
            moment = datetime(int(match["y"]), int(match["m"]), int(match["d"]), tzinfo=UTC if utc else zone)
        except ValueError:
            continue
        return parse_time(datetime.combine(moment.date(), clock, moment.tzinfo), zone)
    return None


def with_times(result: ReadResult, raw_row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the segments of a recording, each with its time in UTC if the start of the recording is known."""
    if not json.loads(raw_row["meta"] or "{}").get(MOMENT):
        return result.segments
    return [_timed(segment, raw_row["event_at"]) for segment in result.segments]


def _timed(segment: dict[str, Any], began: datetime) -> dict[str, Any]:
    seconds = segment.get("start_seconds")
    if seconds is None or segment.get("time") is not None:
        return segment
    return {**segment, "time": began + timedelta(seconds=seconds)}
