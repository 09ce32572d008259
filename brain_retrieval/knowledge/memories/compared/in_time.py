"""Which of two memories comes after the other one, by when it holds and by when it was said."""

from datetime import date, datetime

from brain_retrieval.knowledge.memories.facets import Facet


def is_later(a: Facet, b: Facet, at: datetime) -> bool:
    """Return whether `b` has begun and comes after `a`; of an announcement, whatever is said before it comes true."""
    said = b.row["said_at"]
    if a.row["said_at"] < said and (a.starts > said or _puts_off(a, b)):
        return said <= at
    announced = b.starts > a.row["said_at"] and b.row["said_at"] < a.row["said_at"]
    return (b.order > a.order or corrects(a, b)) and b.known_from <= at and not announced and not corrects(b, a)


def has_passed(b: Facet, at: datetime) -> bool:
    """Return whether `b` held for a time that has passed: "Omar stands in for Ruth until March" ends nothing in April.

    What is only said to have ended, "I worked there until May", has no such time.
    """
    until = b.row["valid_to"]
    return until is not None and until <= at and not b.only_ended


def _puts_off(a: Facet, b: Facet) -> bool:
    """Return whether both state a day to come, and `b` another one: that is known as soon as it is said.

    "They've put me on 23 May" says nothing of what holds from 23 May on where "dentist booked for 14 May" was said.
    """
    if not b.row["from_stated"] or b.starts <= b.row["said_at"] or a.row["from_stated"]:
        return False
    days, others = a.comparable.get("date", frozenset()), b.comparable.get("date", frozenset())
    return bool(days and others) and days.isdisjoint(others)


def corrects(a: Facet, b: Facet) -> bool:
    """Return whether `b`, said later, says of the time in which `a` was said what has held since an earlier day."""
    if not b.holds_since or a.row["from_stated"] or a.only_ended:
        return False
    return b.starts <= a.row["said_at"] < b.row["said_at"]


def occasion(facet: Facet) -> tuple[str, date]:
    """Return the source of a memory and the day on which it was said: what is said there completes each other.

    A running note, or the export of a chat, holds many days.
    """
    return facet.row["source_id"], facet.row["said_at"].date()


def of_one_breath(a: Facet, b: Facet) -> bool:
    """Return whether both were said together: they complete each other, unless the later one corrects the earlier."""
    together = a.row["source_id"] == b.row["source_id"] and a.row["said_at"] == b.row["said_at"]
    return together and not (b.cue == "strong" and a.row["speaker"] != b.row["speaker"])
