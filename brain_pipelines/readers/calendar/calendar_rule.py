"""A recurrence rule (RFC 5545, 3.3.10) in words, and its first occurrences, bounded."""

from datetime import date, datetime, time
from itertools import islice
from typing import Any

from brain_retrieval.language.lexicon import SHARED

MAX_SHOWN = 5
MAX_BY = 50  # values of one BY… list; longer ones are not written by people and are not expanded
MAX_STEPS = 20_000
_UNITS = {"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour"}
_UNITS |= {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday"}
_DAYS |= {"SU": "Sunday"}
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "second to last"}
_MONTHS = [name.capitalize() for name in SHARED.read("dates").listed("months")]


def rule_in_words(rule: Any) -> str:
    """Return a rule (from icalendar, a mapping to lists) in English: "every 2 weeks on Monday until …"."""
    frequency = _first_value(rule, "FREQ")
    unit = _UNITS.get(str(frequency).upper())
    if unit is None:
        return "by a rule that is not understood"
    interval = _number(_first_value(rule, "INTERVAL"), 1)
    words = [f"every {unit}" if interval == 1 else f"every {interval} {unit}s"]
    if days := [_day(str(one)) for one in _values(rule, "BYDAY")]:
        words.append(f"on {_listed(days)}")
    if dates := [_number(one, 0) for one in _values(rule, "BYMONTHDAY")]:
        words.append(f"on {_listed(['the last day' if d == -1 else f'day {d}' for d in dates])} of the month")
    if months := [_number(one, 0) for one in _values(rule, "BYMONTH")]:
        words.append(f"in {_listed([_MONTHS[m - 1] for m in months if 1 <= m <= 12])}")
    if (count := _number(_first_value(rule, "COUNT"), 0)) > 0:
        words.append(f"{count} times")
    until = _first_value(rule, "UNTIL")
    if isinstance(until, date):
        words.append(f"until {until.day} {_MONTHS[until.month - 1]} {until.year}")
    return " ".join(words)


def first_occurrences(rule: Any, start: date, left_out: set[date]) -> list[date]:
    """Return the dates that follow the first occurrence, at most MAX_SHOWN.

    Rules finer than a day, or with more than MAX_BY values in a list, are not expanded.
    """
    from dateutil.rrule import rrulestr

    many = any(len(_values(rule, key)) > MAX_BY for key in rule)
    if many or str(_first_value(rule, "FREQ")).upper() not in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
        return []
    begin = start.replace(tzinfo=None) if isinstance(start, datetime) else datetime.combine(start, time())
    bare = {key: value for key, value in rule.items() if key.upper() not in ("UNTIL", "BYHOUR", "BYMINUTE", "BYSECOND")}
    until = _first_value(rule, "UNTIL")
    last = date(until.year, until.month, until.day) if isinstance(until, date) else date.max
    text = ";".join(f"{key}={','.join(str(v) for v in _values(bare, key))}" for key in bare)
    days: list[date] = []
    try:
        for one in islice(rrulestr(text, dtstart=begin), MAX_STEPS):
            if one.date() > last or len(days) == MAX_SHOWN:
                break
            if one.date() not in left_out and one > begin:
                days.append(one.date())
    except (ValueError, TypeError, OverflowError):
        return []
    return days


def _values(rule: Any, key: str) -> list[Any]:
    value = rule.get(key)
    return value if isinstance(value, list) else [] if value is None else [value]


def _first_value(rule: Any, key: str) -> Any:
    return next(iter(_values(rule, key)), None)


def _number(value: Any, default: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def _day(text: str) -> str:
    name, place = _DAYS.get(text[-2:].upper(), text), _number(text[:-2], 0)
    return f"the {_ORDINALS.get(place, f'{place}.')} {name}" if place else name


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else ""
