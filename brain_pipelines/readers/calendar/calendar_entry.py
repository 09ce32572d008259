"""Text of a calendar entry, one line per property and then the description; and its attributes for filters."""

from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from brain_pipelines.readers.calendar.calendar_rule import MAX_SHOWN, first_occurrences, rule_in_words
from brain_pipelines.readers.calendar.calendar_words import (
    aware,
    clock,
    day_of,
    day_words,
    iso,
    shown_in,
    without_markup,
)
from brain_pipelines.readers.extracted import Block, Extracted

MAX_PEOPLE = 200
_STATUS = {"CANCELLED": "cancelled", "TENTATIVE": "tentative", "COMPLETED": "completed", "NEEDS-ACTION": "to do"}
_STATUS |= {"IN-PROCESS": "in progress", "DRAFT": "draft"}
_ANSWERS = {"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative", "DELEGATED": "delegated"}
_KINDS = {"VEVENT": "event", "VTODO": "task", "VJOURNAL": "journal"}


class CalendarEntry:
    """An icalendar component, converted to plain values."""

    def __init__(self, component: Any, zone: tzinfo, method: str) -> None:
        self._component, self._zone = component, zone
        self._cancelled = method.upper() == "CANCEL"

    def extract(self, repairs: list[str]) -> Extracted:
        """Return the entry as text, people and attributes."""
        title, start = self._text("SUMMARY"), self._time("DTSTART", "DUE", "COMPLETED")
        organiser = self._people("ORGANIZER")[:1]
        guests = self._people("ATTENDEE")
        facts = [*self._when(start), *self._repeats(start)]
        facts += [f"Where: {place}"] if (place := self._text("LOCATION")) else []
        facts += [f"Organiser: {organiser[0][0]}"] if organiser else []
        answers = [f"{name} ({_ANSWERS[answer]})" if answer in _ANSWERS else name for name, answer in guests]
        facts += [f"Attendees: {', '.join(answers[:MAX_PEOPLE])}"] if answers else []
        facts += [f"Status: {status}"] if (status := self._status()) else []
        at = aware(start, self._zone)
        blocks = [Block(title or "Untitled", "section", time=at)]
        blocks += [Block("\n".join(facts), "data", time=at)] if facts else []
        if description := without_markup(self._text("DESCRIPTION")):
            blocks.append(Block(description, "body", time=at))
        people = list(dict.fromkeys(name for name, _ in [*organiser, *guests]))[:MAX_PEOPLE]
        authors = [name for name, _ in organiser]
        return Extracted(
            "ics", blocks, title, authors, None, repairs, people, self._attributes(start, organiser, guests)
        )

    def _attributes(self, start: Any, organiser: list[Any], guests: list[Any]) -> dict[str, Any]:
        end = self._end(start)
        categories = self._all("CATEGORIES")
        found = {
            "kind": _KINDS[self._component.name],
            "uid": self._text("UID"),
            "recurrence_id": iso(self._time("RECURRENCE-ID"), self._zone),
            "start": iso(start, self._zone),
            "end": iso(end, self._zone),
            "all_day": isinstance(start, date) and not isinstance(start, datetime),
            "location": self._text("LOCATION"),
            "organiser": organiser[0][0] if organiser else "",
            "attendees": [name for name, _ in guests][:MAX_PEOPLE],
            "answers": {name: _ANSWERS[answer] for name, answer in guests[:MAX_PEOPLE] if answer in _ANSWERS},
            "status": self._status(),
            "rule": self._rule_text(),
            "categories": [str(one) for group in categories for one in getattr(group, "cats", [group])][:50],
            "created": iso(self._time("CREATED"), self._zone),
            "last_modified": iso(self._time("LAST-MODIFIED"), self._zone),
            "link": self._text("URL"),
        }
        return {key: value for key, value in found.items() if value}

    def _when(self, start: Any) -> list[str]:
        if not start:
            return []
        if self._component.name == "VTODO" and self._time("DUE") == start:
            return [f"Due: {day_words(start)}{clock(start, self._zone)}"]
        end = self._end(start)
        if not isinstance(start, datetime):
            last = end - timedelta(days=1) if isinstance(end, date) and not isinstance(end, datetime) else start
            days = day_words(start) + (f" to {day_words(last)}" if last > start else "")
            return [f"When: {days}, all day"]
        start = start if start.tzinfo is None else shown_in(start, self._zone)
        until = ""
        if isinstance(end, datetime) and (end.tzinfo is None) == (start.tzinfo is None) and end > start:
            shown = end if end.tzinfo is None else end.astimezone(start.tzinfo)
            same = shown.date() == start.date()
            until = f" to {'' if same else day_words(shown) + ', '}{shown:%H:%M}"
        return [f"When: {day_words(start)}{clock(start, self._zone, until)}"]

    def _repeats(self, start: Any) -> list[str]:
        if self._time("RECURRENCE-ID"):
            return [f"One date of a series, planned for {day_words(self._time('RECURRENCE-ID'))}"]
        rule = self._rule()
        if rule is None or not start:
            return []
        excluded = {day_of(value.dt) for group in self._all("EXDATE") for value in getattr(group, "dts", [])[:1000]}
        lines = [f"Repeats: {rule_in_words(rule)}"]
        if days := first_occurrences(rule, start, excluded):
            lines[0] += f"; after that {', '.join(day_words(day, weekday=False) for day in days)}"
            lines[0] += ", …" if len(days) == MAX_SHOWN else ""
        if excluded:
            shown = sorted(excluded)[:5]
            lines.append(f"Not on: {', '.join(day_words(day, weekday=False) for day in shown)}")
        return lines

    def _rule(self) -> Any:
        found = self._all("RRULE")
        return found[0] if found and hasattr(found[0], "get") else None

    def _rule_text(self) -> str:
        rule = self._rule()
        return rule_in_words(rule) if rule is not None else ""

    def _status(self) -> str:
        return "cancelled" if self._cancelled else _STATUS.get(self._text("STATUS").upper(), "")

    def _all(self, name: str) -> list[Any]:
        from icalendar.prop.broken import vBroken

        value = self._component.get(name)
        values = value if isinstance(value, list) else [value]
        return [one for one in values if one is not None and not isinstance(one, vBroken)]

    def _text(self, name: str) -> str:
        return "\n".join(line.rstrip() for line in str(next(iter(self._all(name)), "")).splitlines()).strip()

    def _time(self, *names: str) -> Any:
        """Return the first of some time properties that is set: a datetime, aware or floating, or a date."""
        for name in names:
            value = getattr(next(iter(self._all(name)), None), "dt", None)
            if isinstance(value, date):
                return value
        return None

    def _end(self, start: Any) -> Any:
        if end := self._time("DTEND", "DUE"):
            return end
        length = getattr(next(iter(self._all("DURATION")), None), "dt", None)
        try:
            return start + length if start and isinstance(length, timedelta) else None
        except OverflowError:
            return None

    def _people(self, name: str) -> list[tuple[str, str]]:
        """Return (name, response) of each person; the address replaces a missing name."""
        found: list[tuple[str, str]] = []
        for one in self._all(name)[: MAX_PEOPLE * 5]:
            parameters = getattr(one, "params", {})
            address = str(one).removeprefix("mailto:").removeprefix("MAILTO:")
            if str(parameters.get("CUTYPE", "")).upper() in ("ROOM", "RESOURCE"):
                continue
            shown = " ".join(str(parameters.get("CN", "")).strip("\"' ").split()) or address
            found += [(shown, str(parameters.get("PARTSTAT", "")).upper())] if shown else []
        return found
