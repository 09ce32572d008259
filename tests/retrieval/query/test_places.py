"""What a reference says of its place, for people and for programs."""

from dataclasses import replace

import pytest

from brain_retrieval.query.hits import SourceRef, clock

REF = SourceRef("s", "meeting", "inbox:meeting/a.m4a", (0, 5), "c")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        ({"page": 3, "section": "Costs"}, "p. 3, Costs"),
        ({"cells": "Budget!B2:D2"}, "Budget!B2:D2"),
        ({"start_seconds": 65.2, "end_seconds": 3725.0, "speaker": "Speaker 1"}, "1:05–1:02:05, Speaker 1"),
        ({"speaker": "Ann"}, ""),  # of a chat: the text says who speaks
    ],
)
def test_a_place_is_said_in_words(changes: dict, expected: str) -> None:
    assert replace(REF, **changes).place == expected


def test_a_clock_counts_hours_only_where_there_are_any() -> None:
    assert [clock(s) for s in (0, 59.9, 60, 3600)] == ["0:00", "0:59", "1:00", "1:00:00"]


def test_places_are_in_the_json_and_empty_ones_are_not() -> None:
    found = replace(REF, box=(0.1, 0.25, 0.5, 0.333333), start_seconds=0.0, url="https://example.org/").to_json()
    assert (found["box"], found["start_seconds"], found["url"]) == (
        [0.1, 0.25, 0.5, 0.3333],
        0.0,
        "https://example.org/",
    )
    assert not {"cells", "page", "end_seconds", "parent_id", "fetched_at"} & set(found)
