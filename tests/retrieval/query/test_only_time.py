"""A question for nothing but a time is answered by what is of that time, and says so if nothing is."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.query.analysis import analyse
from brain_retrieval.query.analysis.any_time import only_time
from tests.retrieval.library import fill, row

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
NOTES = (
    ("2026-03-04", "boat.md", "The hull of the boat was sanded and got a first coat of paint."),
    (
        "2026-05-12",
        "list.md",
        "Things for March: what happened to the March plan, March fees, March dates.",
    ),
    ("2026-05-20", "kite.md", "The kite lost a string near the dunes."),
)


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("what happened last week?", True),
        ("May 2019", True),
        ("was war letzte Woche los?", True),
        ("¿qué pasó ayer?", True),
        ("que s'est-il passé la semaine dernière ?", True),
        ("cosa è successo la settimana scorsa?", True),
        ("o que aconteceu na semana passada?", True),
        ("talks in May 2019", False),
        ("what happened to Ann last week?", False),
        ("what happened?", False),
        ("what happened before the launch?", False),
    ],
)
def test_what_asks_for_nothing_but_a_time(question: str, alone: bool) -> None:
    assert only_time(analyse(question, max_characters=600, now=NOW)) is alone


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("times")
    fill(directory, "ann", [row("note", item, day, text) for day, item, text in NOTES])
    return directory


@pytest.mark.parametrize("question", ["what happened in March 2026?", "what happened on 4 March 2026?"])
def test_passages_of_the_time_come_before_those_that_name_it(home: Path, question: str) -> None:
    with Brain.open(home, user="ann") as brain:
        found = brain.search(question)
    assert found[0].temporal_context.day == "2026-03-04"
    assert not [warning for warning in found.warnings if "time asked for" in warning]


def test_where_nothing_is_of_the_time_a_warning_says_so(home: Path) -> None:
    with Brain.open(home, user="ann") as brain:
        found = brain.search("what happened in April 2026?")
        other = brain.search("what happened to the kite in April 2026?")
    assert "nothing found is of the time asked for, 2026-04-01 to 2026-04-30" in found.warnings
    assert not [warning for warning in other.warnings if "time asked for" in warning]
