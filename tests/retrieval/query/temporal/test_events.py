"""Events that a question refers to are dated by memories, else by passages, and limit the search."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.query.hits import SearchResult
from tests.retrieval.library import fill, note_rows
from tests.retrieval.query.temporal.statements import landed


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("events")
    landed(directory)
    fill(directory, "alice", note_rows())
    return directory


@pytest.fixture
def brain(home: Path) -> Iterator[Brain]:
    with Brain.open(home, user="dana") as opened:
        yield opened


def days(found: SearchResult) -> list[str]:
    return sorted({hit.temporal_context.day for hit in found})


def test_the_day_comes_from_the_memory_that_names_all_of_the_event(brain: Brain) -> None:
    found = brain.search("what did Dana say before the flat tyre of the bicycle?", min_score=0)
    assert days(found) == ["2026-01-05", "2026-02-10"]
    assert any("2026-03-01" in warning and "bike.md" in warning for warning in found.warnings)


def test_since_begins_with_the_day_of_the_event(brain: Brain) -> None:
    assert days(brain.search("what has Dana said since the move?", min_score=0)) == ["2026-02-10", "2026-03-01"]


def test_after_begins_with_the_day_that_follows(brain: Brain) -> None:
    assert days(brain.search("what did Dana say after the move?", min_score=0)) == ["2026-03-01"]


def test_an_event_that_is_not_known_limits_nothing_and_says_so(brain: Brain) -> None:
    found = brain.search("where did Dana live before the earthquake in Naples?", min_score=0)
    assert len(days(found)) == 3
    assert any("earthquake" in warning and "not known" in warning for warning in found.warnings)


def test_an_event_learnt_later_is_not_known_earlier(brain: Brain) -> None:
    found = brain.search(
        "where did Dana live before the flat tyre?", min_score=0, as_of="2026-02-20", known_at="2026-02-20"
    )
    assert any("not known" in warning for warning in found.warnings)


def test_a_limit_given_by_the_caller_stays(brain: Brain) -> None:
    found = brain.search("what did Dana say before the flat tyre of the bicycle?", min_score=0, day_from="2026-02-01")
    assert days(found) == ["2026-02-10"]


def test_without_hits_in_its_days_the_search_is_not_limited(brain: Brain) -> None:
    found = brain.search("what did Dana say after the flat tyre of the bicycle?", min_score=0)
    assert len(days(found)) == 3
    assert found.warnings[-1].startswith("nothing was found in these days")


def test_without_memories_the_passage_dates_the_event(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        found = brain.search("who led Project Phoenix before the tax return?", min_score=0)
    assert "2026-02-22" not in days(found)
    assert any("2026-02-22" in warning for warning in found.warnings)
