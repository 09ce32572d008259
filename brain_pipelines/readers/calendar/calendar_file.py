"""Reader of calendar entries (.ics): title, time, place, participants. Runs in the sandbox's child.

Alarms are left out. An attached calendar of many entries becomes one text with one block per entry.
"""

from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from brain_pipelines.readers.calendar.calendar_entry import CalendarEntry
from brain_pipelines.readers.calendar.calendar_parts import ENTRIES, entries
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

ZONE_FILE = "zone"  # file in the scratch directory with the user's time zone, for floating times
MAX_PEOPLE = 200


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return the entries of a calendar.

    Raises:
        BadInputError: if it is too large, not text, without an entry, or every entry is broken.
    """
    decoded = read_decoded(path, limits)
    zone = _zone_of(scratch)
    found: list[Extracted] = []
    broken: list[str] = []
    for n, entry in enumerate(entries(decoded.text)):
        if n >= limits.max_parts:
            broken.append(f"more than {limits.max_parts} entries; the others are left out")
            break
        try:
            found.append(_read_entry(entry.text, zone))
        except BadInputError as error:
            broken.append(f"entry {n + 1}: {error}")
    if not found:
        raise BadInputError(broken[0].partition(": ")[2] if broken else "a calendar without an entry")
    first = found[0]
    return Extracted(
        "ics",
        [block for one in found for block in one.blocks],
        first.title if len(found) == 1 else "",
        first.authors if len(found) == 1 else [],
        repairs=[*decoded.repairs, *(repair for one in found for repair in one.repairs), *broken][:50],
        participants=list(dict.fromkeys(name for one in found for name in one.participants))[:MAX_PEOPLE],
        attributes=first.attributes if len(found) == 1 else {},
    )


def _zone_of(scratch: Path | None) -> tzinfo:
    path = scratch / ZONE_FILE if scratch else None
    try:
        return ZoneInfo(path.read_text("utf-8")) if path and path.exists() else UTC
    except (ValueError, OSError, KeyError):
        return UTC


def _read_entry(text: str, zone: tzinfo) -> Extracted:
    from icalendar import Calendar

    try:
        calendar = Calendar.from_ical(text)
        component: Any = next(one for one in calendar.walk() if one.name in ENTRIES)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise BadInputError(f"a broken calendar entry ({' '.join(str(error).split())[:120]})") from error
    return CalendarEntry(component, zone, str(calendar.get("METHOD", ""))).extract(_unread(component))


def _unread(component: Any) -> list[str]:
    from icalendar.prop.broken import vBroken

    broken = [name for name, value in component.property_items(recursive=False) if isinstance(value, vBroken)]
    names = dict.fromkeys([*broken, *(str(name) for name, _ in component.errors if name)])
    return [f"{name} cannot be read and is left out" for name in list(names)[:5]]


FORMAT = Format(
    "ics",
    "text/calendar",
    "a calendar (.ics)",
    family="calendar",
    suffixes=(".ics",),
    as_text=True,
    opening=(b"BEGIN:VCALENDAR",),
    read=Isolated(read_file, ("icalendar", "dateutil.rrule", "lxml.html", "charset_normalizer")),
)
