"""The public JSON form of a hit: every name and number, times in UTC, and how index rows become references."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from brain_retrieval.query.hits import (
    ArmScore,
    Clocks,
    Hit,
    Neighbour,
    SearchResult,
    SourceRef,
    TemporalContext,
    Timings,
    WhyRanked,
    source_ref,
    temporal_context,
)

EAST = timezone(timedelta(hours=2))
EVENT, RECEIVED = datetime(2026, 1, 5, 10, tzinfo=EAST), datetime(2026, 1, 6, 10, tzinfo=UTC)
BARE = SourceRef("s", "meeting", "inbox:meeting/a.m4a", (3, 9), "c")
ROW: dict[str, Any] = {
    "source_id": "s", "source": "meeting", "uri": "inbox:meeting/a.m4a", "start": 3, "end": 9, "id": "c", "title": "",
    "section": None, "page": None, "time": None, "speakers": None, "message_ids": None, "box": None,
    "start_seconds": None, "end_seconds": None, "cells": None, "url": None, "fetched_at": None, "parent_id": None,
    "event_at": EVENT, "received_at": RECEIVED, "day": "2026-01-05",
}  # fmt: skip
FULL = {
    "title": "Review", "section": "Costs", "page": 2, "time": EVENT, "speakers": ["Ann", "Bob"],
    "message_ids": ["m1", "m2"], "box": [0.1, 0.2, 0.3, 0.4], "start_seconds": 1.5, "end_seconds": 2.5,
    "cells": "A1:B2", "url": "https://example.org/", "fetched_at": RECEIVED, "parent_id": "p",
}  # fmt: skip
WHY = WhyRanked(
    {"vector": ArmScore(0.12345678, 0.98765432, None, 0.5, 1 / 3)},
    *("rrf", 1 / 3, 1 / 6, 1 / 7, {"date": 0.1 / 3}, 1 / 9),
)
WHY_JSON = {
    "arms": {"vector": {"score": 0.123457, "normalised": 0.987654, "rank": None, "weight": 0.5, "part": 0.333333}},
    "fusion": "rrf", "fused": 0.333333, "neighbourhood": 0.166667, "parent": 0.142857,
    "boosts": {"date": 0.033333}, "final": 0.111111, "learned": {},
}  # fmt: skip


def test_a_row_without_details_is_a_bare_reference() -> None:
    assert source_ref(ROW) == BARE
    assert BARE.to_json() == {
        "source_id": "s", "source": "meeting", "uri": "inbox:meeting/a.m4a", "span": [3, 9], "chunk_id": "c",
    }  # fmt: skip


def test_a_row_with_all_details_keeps_them() -> None:
    assert source_ref(ROW | FULL).to_json() == BARE.to_json() | {
        "title": "Review", "section": "Costs", "page": 2, "time": "2026-01-05T08:00:00+00:00", "speaker": "Ann, Bob",
        "message_ids": ["m1", "m2"], "box": [0.1, 0.2, 0.3, 0.4], "start_seconds": 1.5, "end_seconds": 2.5,
        "cells": "A1:B2", "url": "https://example.org/", "fetched_at": "2026-01-06T10:00:00+00:00", "parent_id": "p",
    }  # fmt: skip


def test_the_times_of_a_hit_are_those_of_its_row_and_of_the_question() -> None:
    found = temporal_context(ROW, Clocks(as_of=RECEIVED, known_at=EVENT))
    assert found.to_json() == {
        "event_at": "2026-01-05T08:00:00+00:00", "received_at": "2026-01-06T10:00:00+00:00", "day": "2026-01-05",
        "as_of": "2026-01-06T10:00:00+00:00", "known_at": "2026-01-05T08:00:00+00:00",
    }  # fmt: skip
    assert temporal_context(ROW, Clocks()).to_json()["as_of"] is None


def test_a_result_in_json() -> None:
    times = TemporalContext(EVENT, RECEIVED, "2026-01-05")
    alone = Hit(1, 1 / 3, "text", BARE, WHY, times)
    accompanied = Hit(2, 0.25, "more", BARE, WHY, times, (Neighbour(-1, "before", BARE),))
    found = SearchResult([alone, accompanied], warnings=["slow"], timings=Timings(1.23456, 2.34612))
    first = {
        "rank": 1, "score": 0.333333, "text": "text", "source_ref": BARE.to_json(), "why_ranked": WHY_JSON,
        "temporal_context": times.to_json(),
    }  # fmt: skip
    second = first | {"rank": 2, "score": 0.25, "text": "more"}
    beside = [{"offset": -1, "text": "before", "source_ref": BARE.to_json()}]
    assert found.to_json() == {
        "hits": [first, second | {"neighbours": beside}],
        "warnings": ["slow"],
        "failure": "",
        "timings": {"embed_ms": 1.235, "search_ms": 2.346, "total_ms": 3.581},
        "nearest": None,
    }
    assert SearchResult(nearest=alone).to_json() == {
        "hits": [], "warnings": [], "failure": "", "nearest": first,
        "timings": {"embed_ms": 0.0, "search_ms": 0.0, "total_ms": 0.0},
    }  # fmt: skip
