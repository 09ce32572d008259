"""Filters as SQL: every value is quoted."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from brain_retrieval.stores.index.filters import IndexFilter, Stretch
from brain_retrieval.stores.index.lance.where import where_fetched, where_of

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAYS = [(date(2026, 1, 1) + timedelta(days=n)).isoformat() for n in range(5)]


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({}, None),
        ({"sources": ["note"]}, "source IN ('note')"),
        ({"sources": []}, "false"),
        ({"source_ids": ["b'; DROP TABLE x --", "a"]}, "source_id IN ('a', 'b''; DROP TABLE x --')"),
        ({"days": DAYS}, "day >= '2026-01-01' AND day <= '2026-01-05'"),
        ({"days": [DAYS[4], DAYS[0], DAYS[0]]}, "day IN ('2026-01-01', '2026-01-05')"),
        ({"days": []}, "false"),
        ({"day_from": DAYS[0], "day_to": DAYS[1]}, "day >= '2026-01-01' AND day <= '2026-01-02'"),
        ({"as_of": NOON}, "event_at <= timestamp '2026-01-05T12:00:00.000000Z'"),
        ({"since": NOON}, "event_at >= timestamp '2026-01-05T12:00:00.000000Z'"),
        (
            {"known_at": NOON.astimezone(timezone(timedelta(hours=2)))},
            "received_at <= timestamp '2026-01-05T12:00:00.000000Z'",
        ),
        ({"speakers": ["O'Brien"]}, "array_has_any(speakers, ['O''Brien'])"),
        ({"speakers": [], "trust": ["own"]}, "trust IN ('own') AND false"),
    ],
)
def test_where(options: dict, where: str | None) -> None:
    assert where_of(IndexFilter(**options)) == where


def test_fetch_stays_inside_the_filter() -> None:
    stretch = Stretch("s'1", 2, 4)
    wanted = "(id IN ('a', 'b''')) OR (source_id = 's''1' AND position BETWEEN 2 AND 4)"
    assert where_fetched(["b'", "a"], [stretch], IndexFilter()) == f"({wanted})"
    scope = IndexFilter(sources=["note"], trust=["own"])
    assert where_fetched(["b'", "a"], [stretch], scope) == f"(source IN ('note') AND trust IN ('own')) AND ({wanted})"
