"""Macros: two storylines of an anchor that has been known for more than thirty days."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.memory.macros import build_macros
from brain_retrieval.settings.knowledge import MemorySettings
from brain_retrieval.stores.memory_tables import MACROS
from tests.pipelines.knowledge.memory.history import SETTINGS, Said, day, known, lines, said

TWICE = said(*(start + n for start in (0, 150) for n in range(6)))


def macros(history: list[Said], until: float, *, settings: MemorySettings = SETTINGS, **more) -> pl.DataFrame:
    found = lines(history, until, settings=settings, **more)[0].sample(fraction=1, shuffle=True, seed=3)
    return build_macros(found, known(history), now=day(until), settings=settings)


def test_two_storylines_make_a_macro() -> None:
    found = macros(TWICE, 160)
    assert found.to_arrow().cast(MACROS).schema == MACROS
    (row,) = found.to_dicts()
    assert (row["name"], row["storyline_count"], row["total_source_count"]) == ("Bob, 2026-01 – 2026-06", 2, 12)
    assert (row["started_at"], row["last_event_at"]) == (day(0), day(155))
    begun = lines(TWICE, 160)[0].sort("started_at")["storyline_id"].to_list()
    assert row["storyline_ids"] == begun


@pytest.mark.parametrize("until", [100, 151])
def test_one_storyline_makes_no_macro(until: float) -> None:
    assert macros(TWICE, until).is_empty()
    assert macros([], until).is_empty()


@pytest.mark.parametrize(("until", "count"), [(30, 0), (30.1, 1)])
def test_anchor_must_be_known_for_more_than_thirty_days(until: float, count: int) -> None:
    quick = MemorySettings(storyline_idle_days=5, storyline_quiet_sources=0)
    history = said(*(start + n for start in (0, 12) for n in range(6)))
    assert macros(history, until, settings=quick).height == count


def test_macro_id_is_stable_when_evidence_changes() -> None:
    one, other = macros(TWICE, 160).to_dicts()[0], macros(TWICE + said(159), 160).to_dicts()[0]
    assert one["macro_id"] == other["macro_id"] and one["evidence_hash"] != other["evidence_hash"]
    assert_frame_equal(macros(TWICE, 160), macros(TWICE, 160, seed=5))


def test_team_of_the_majority_of_sources() -> None:
    assert macros(TWICE, 160, team="design")["team"].to_list() == ["design"]
