"""What a diary only narrates, by the kind of a memory and the days in it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from brain_retrieval.knowledge.memories.shown.narrated import is_narrated

WRITTEN = datetime(2026, 6, 20, 9, tzinfo=UTC)


def row(text: str, kind: str, *values: tuple[str, str], **changes: object) -> dict[str, Any]:
    made = [{"dimension": dimension, "value": value} for dimension, value in values]
    base = {"text": text, "kind": kind, "values": made, "said_at": WRITTEN, "slot_attribute": None, "valid_to": None}
    return base | changes


@pytest.mark.parametrize(
    ("said", "narrated"),
    [
        (row("I bumped into Ann.", "event"), True),
        (row("I bumped into three Anns.", "event", ("ann", "3")), True),
        (row("Yesterday [2026-06-19] we put up shelves.", "event", ("date", "2026-06-19")), True),
        (row("Last week [2026-06-08/2026-06-14] it rained.", "fact", ("date", "2026-06-08/2026-06-14")), True),
        (row("In May [2026-05] we were in Bath.", "event", ("month", "2026-05")), True),
        (row("In March [2026-03] we were in Bath.", "event", ("month", "2026-03")), False),
        (row("This year [2026] I was in Bath.", "event", ("date", "2026")), True),
        (row("A shop I opened in 2026 has run well.", "event", ("date", "2026")), False),
        (row("In 2014 we left Porto.", "event", ("year", "2014")), False),
        (row("The bike cost me 900 euros.", "event", ("EUR", "900")), False),
        (row("I like Bath.", "preference"), False),
        (row("I teach in Bath.", "fact"), False),
        (row("On Monday [2026-06-22] I start in Bath.", "plan", ("date", "2026-06-22")), False),
        (row("I moved to Bath.", "event", slot_attribute="lives_in"), False),
        (row("In Smarch [2026-13] it rained.", "fact", ("month", "2026-13")), False),
    ],
)
def test_a_step_of_a_day_is_narrated(said: dict[str, Any], narrated: bool) -> None:
    assert is_narrated(said) is narrated
