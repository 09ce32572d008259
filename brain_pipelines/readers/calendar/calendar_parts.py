"""Splitting of a calendar file (.ics, RFC 5545) into entries without parsing them: a broken entry affects no other.

Each entry becomes a small calendar with the time zones it refers to, so that the bytes of an unchanged entry stay the
same while the calendar grows. Standard library only and linear time, because it runs at every landing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from brain_pipelines.readers.event_time import parse_time

ENTRIES = ("VEVENT", "VTODO", "VJOURNAL")
MAX_ENTRIES = 50_000
MAX_HEAD = 2_000  # characters of the calendar's own properties that every entry carries
_KEPT = ("VERSION", "METHOD", "X-WR-CALNAME", "X-WR-TIMEZONE", "NAME")
_LINE = re.compile(r"([A-Za-z][\w-]{0,60})((?:;[^:\"]{0,300}(?:\"[^\"]{0,300}\"[^:\"]{0,300})*)?):(.*)", re.S)
_TZID = re.compile(r";TZID=\"?([^;:\"]{1,200})", re.I)
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?")
_OFFSET = re.compile(r"^TZOFFSETTO[^:\n]{0,100}:([+-])(\d\d)(\d\d)", re.M | re.I)


@dataclass(frozen=True)
class Entry:
    """One entry: `kind` of ENTRIES, its first properties by name as (parameters, value), and its calendar."""

    kind: str
    properties: dict[str, tuple[str, str]]
    text: str
    zones: dict[str, str]

    def value(self, name: str) -> str:
        return self.properties.get(name, ("", ""))[1].strip()

    def time(self, zone: tzinfo, *names: str) -> datetime | None:
        """Return the first of some time properties in UTC; floating times are in `zone`."""
        for name in names:
            parameters, value = self.properties.get(name, ("", ""))
            if found := _time(value.strip(), parameters, zone, self.zones):
                return found
        return None


def entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a calendar's text, in order; at most MAX_ENTRIES."""
    head: list[str] = []
    zones: dict[str, str] = {}
    found = 0
    for kind, lines in _components(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        if kind == "":
            if len("".join(head)) < MAX_HEAD and lines[0].split(":", 1)[0].split(";", 1)[0].upper() in _KEPT:
                head.append(lines[0][:500])
        elif kind == "VTIMEZONE":
            name = _properties(lines).get("TZID", ("", ""))[1].strip()
            zones.setdefault(name, "\n".join(lines))
        elif kind in ENTRIES and found < MAX_ENTRIES:
            found += 1
            yield _entry(kind, lines, head, zones)


def _entry(kind: str, lines: list[str], head: list[str], zones: dict[str, str]) -> Entry:
    named = sorted({name.strip() for line in lines for name in _TZID.findall(line[:500])} & zones.keys())
    used = {name: zones[name] for name in named}
    parts = ["BEGIN:VCALENDAR", *head, *used.values(), *lines, "END:VCALENDAR", ""]
    return Entry(kind, _properties(lines), "\n".join(parts), used)


def _components(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield (name, lines) of the components directly in the calendar, and ("", [line]) for its own properties."""
    name, depth, collected = "", 0, []
    for line in lines:
        word = line[:40].strip().upper()
        if not name:
            if word.startswith("BEGIN:") and word != "BEGIN:VCALENDAR":
                name, depth, collected = word[6:], 1, [line]
            elif word and not word.startswith(("BEGIN:", "END:")) and line[:1] not in " \t":
                yield "", [line]
            continue
        if word.startswith("BEGIN:") and word[6:] in (*ENTRIES, "VTIMEZONE"):
            # The one before was never closed: close it here.
            yield name, [*collected, f"END:{name}"]
            name, depth, collected = word[6:], 1, [line]
            continue
        if word in ("END:VCALENDAR", ""):
            continue
        collected.append(line)
        depth += word.startswith("BEGIN:") - word.startswith("END:")
        if depth == 0 or word == f"END:{name}":
            yield name, collected
            name = ""
    if name:
        yield name, [*collected, f"END:{name}"]


def _properties(lines: list[str]) -> dict[str, tuple[str, str]]:
    """Return the first property of each name, folded lines joined; those of nested components are left out."""
    found: dict[str, tuple[str, str]] = {}
    depth = 0
    for line in unfolded(lines):
        word = line[:6].upper()
        depth += (word == "BEGIN:") - (word[:4] == "END:")
        if depth == 1 and (match := _LINE.match(line[:5000])):
            found.setdefault(match[1].upper(), (match[2], match[3]))
    return found


def unfolded(lines: list[str]) -> list[str]:
    """Return content lines: a line that begins with a blank continues the one before (RFC 5545, 3.1)."""
    joined: list[list[str]] = []
    for line in lines:
        if line[:1] in (" ", "\t") and joined:
            joined[-1].append(line[1:])
        else:
            joined.append([line])
    return ["".join(parts) for parts in joined]


def _time(value: str, parameters: str, zone: tzinfo, zones: dict[str, str]) -> datetime | None:
    match = _STAMP.match(value)
    if not match:
        return parse_time(value, zone)
    year, month, day, hour, minute, second, utc = match.groups()
    if hour is None:
        return parse_time(f"{year}-{month}-{day}", zone)
    named = _TZID.search(parameters)
    place = _zone(named[1].strip(), zones, zone) if named else zone
    return parse_time(f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{'Z' if utc else ''}", place)


def _zone(name: str, zones: dict[str, str], default: tzinfo) -> tzinfo:
    """Return a named zone: from the IANA database, else the standard offset that the calendar defines for it."""
    try:
        return ZoneInfo(name.removeprefix("/freeassociation.sourceforge.net/").strip("/"))
    except (ValueError, OSError, KeyError):
        match = _OFFSET.search(zones.get(name, ""))
    if not match:
        return default
    offset = timedelta(hours=int(match[2]) % 24, minutes=int(match[3]) % 60)
    return timezone(offset if match[1] == "+" else -offset)
