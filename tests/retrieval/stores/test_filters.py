"""Filters quote every value; what cannot be a value is refused with a message."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.stores.filters import both, build_where

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
    assert build_where(**options) == where


@pytest.mark.parametrize(
    "options",
    [
        {"days": ["2026-1-5"]},
        {"days": ["2026-01-05' OR 1=1"]},
        {"day_from": "yesterday"},
        {"as_of": datetime(2026, 1, 5)},  # noqa: DTZ001
        {"sources": "note"},
        {"days": "2026-01-05"},
        {"source_ids": ["\ud800"]},
    ],
)
def test_what_cannot_be_a_value_is_refused(options: dict) -> None:
    with pytest.raises(InvalidQueryError):
        build_where(**options)


def test_both() -> None:
    assert both(None, "a = 1 OR b = 2", None, "c") == "(a = 1 OR b = 2) AND (c)"
    assert both(None, None) is None
