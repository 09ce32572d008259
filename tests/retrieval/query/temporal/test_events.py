"""Events that a question refers to are dated by memories, else by passages; passages of their days are preferred."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.settings import load_settings
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


def preferred(found: SearchResult) -> list[str]:
    """Return the days of the hits that were preferred because of an event."""
    return sorted({hit.temporal_context.day for hit in found if "around" in hit.why_ranked.boosts})


def test_the_day_comes_from_the_memory_that_names_all_of_the_event(brain: Brain) -> None:
    found = brain.search("what did Dana say before the flat tyre of the bicycle?", min_score=0)
    assert preferred(found) == ["2026-01-05", "2026-02-10"]
    assert any("2026-03-01" in warning and "bike.md" in warning for warning in found.warnings)


def test_passages_of_other_days_stay(brain: Brain) -> None:
    """What happened after an event is often said on its day, so its days do not limit the search."""
    assert len(days(brain.search("what did Dana say before the flat tyre of the bicycle?", min_score=0))) == 3
    assert preferred(brain.search("what did Dana say after the flat tyre of the bicycle?", min_score=0)) == []


def test_the_preference_changes_the_order_by_what_the_settings_say(home: Path) -> None:
    settings = load_settings(home)
    without = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"around_boost": 0.0})})
    question = "what did Dana say before the flat tyre of the bicycle?"
    with Brain.open(home, user="dana") as brain, Brain.open(home, user="dana", settings=without) as plain:
        raised = {hit.source_ref.uri: hit for hit in brain.search(question, min_score=0)}
        for hit in plain.search(question, min_score=0):
            gained = raised[hit.source_ref.uri].why_ranked.final - hit.why_ranked.final
            assert gained == pytest.approx(0.0 if hit.temporal_context.day == "2026-03-01" else 0.1)


def test_since_begins_with_the_day_of_the_event(brain: Brain) -> None:
    assert preferred(brain.search("what has Dana said since the move?", min_score=0)) == ["2026-02-10", "2026-03-01"]


def test_after_begins_with_the_day_that_follows(brain: Brain) -> None:
    assert preferred(brain.search("what did Dana say after the move?", min_score=0)) == ["2026-03-01"]


def test_an_event_that_is_not_known_prefers_nothing_and_says_so(brain: Brain) -> None:
    found = brain.search("where did Dana live before the earthquake in Naples?", min_score=0)
    assert len(days(found)) == 3
    assert preferred(found) == []
    assert any("earthquake" in warning and "not known" in warning for warning in found.warnings)


def test_an_event_learnt_later_is_not_known_earlier(brain: Brain) -> None:
    found = brain.search(
        "where did Dana live before the flat tyre?", min_score=0, as_of="2026-02-20", known_at="2026-02-20"
    )
    assert any("not known" in warning for warning in found.warnings)


def test_a_limit_given_by_the_caller_stays(brain: Brain) -> None:
    found = brain.search("what did Dana say before the flat tyre of the bicycle?", min_score=0, day_from="2026-02-01")
    assert days(found) == ["2026-02-10", "2026-03-01"]
    assert preferred(found) == ["2026-02-10"]


def test_without_memories_the_passage_dates_the_event(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        found = brain.search("who led Project Phoenix before the tax return?", min_score=0)
    assert "2026-02-22" not in preferred(found)
    assert any("2026-02-22" in warning for warning in found.warnings)
