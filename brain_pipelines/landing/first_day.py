"""The first day of a landing record. Items of older events lie on it, and keep their time.

The days of items are stored as they are, so another first day changes no item: only which of them lie on which day.
The record knows its first day, so that opening it under another one, wherever that was set, runs the days that change.
"""

import json
from datetime import date

from brain_pipelines.landing.landing_store import LandingStore
from brain_pipelines.sources.registry import SOURCES

_CHANGED = """
SELECT DISTINCT source, max(event_day, ?1) FROM item WHERE event_day < ?2
UNION SELECT DISTINCT source, ?2 FROM item WHERE event_day < ?2
"""
# One look into the index (source, day) for each source type; there may be a million items.
_OLDEST = """
SELECT coalesce(min((SELECT min(event_day) FROM item WHERE item.source = one.value AND event_day >= ?1)), '')
FROM json_each(?2) AS one
"""


def first_day_of(landing: LandingStore) -> str:
    """Return the first day under which a record was opened last, ISO 8601; "" if it has none."""
    rows = landing.rows("SELECT first_day FROM calendar")
    return rows[0][0] if rows else ""


def follow_first_day(landing: LandingStore) -> bool:
    """Mark the days whose items differ under the first day that the record was opened with.

    Days before the first day are not marked: a run of the first day clears them.

    Returns:
        Whether the record has items and no first day: it is from before records had one.
    """
    before = first_day_of(landing)
    if before == landing.first_day:
        return False
    with landing.transaction() as connection:
        if before:
            low, high = sorted((before, landing.first_day))
            days = connection.execute(_CHANGED, (low, high)).fetchall()
            for source, day in days:
                if day >= landing.first_day:
                    landing.mark(connection, source, {day: landing.content(source, day)})
        connection.execute("DELETE FROM calendar")
        connection.execute("INSERT INTO calendar VALUES (?)", (landing.first_day,))
    return not before and bool(landing.rows("SELECT 1 FROM item LIMIT 1"))


def oldest_day(landing: LandingStore, since: date) -> str:
    """Return the oldest day of an item's event from `since` on, ISO 8601; "" if there is none."""
    names = json.dumps([source.name for source in SOURCES])
    return landing.rows(_OLDEST, (since.isoformat(), names))[0][0]


def count_before(landing: LandingStore) -> int:
    """Return how many items lie on the first day although their events are older."""
    return landing.rows("SELECT count(*) FROM item WHERE event_day < ?", (landing.first_day,))[0][0]
