"""Answers to broad questions over memories on disk: which are chosen, and in which order."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_retrieval.home import Home
from brain_retrieval.knowledge.cards import StorylineCard
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.query.analysis.rules import analyse
from brain_retrieval.query.ask.broad.answer import broad_answer
from brain_retrieval.query.ask.broad.forms import broad_of
from brain_retrieval.query.ask.broad.read import Reading
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.knowledge.memories.rows import row

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
DAY = "2026-11-20"


def line(key: str, said: str, text: str, *, note: str = "", title: str = "", **changes: Any) -> dict[str, Any]:
    made = row(key, text, f"{said}T12:00", **{"evidence": text, "keep": 0.5, "day": DAY, **changes})
    titled = [TITLED + title] if title else []
    return made | {"source_id": note or key, "anchors": [*made["anchors"], *titled], "method": "local"}


def person(name: str) -> list[dict[str, str]]:
    return [{"entity_id": name, "name": name, "type": "Person", "role": "subject"}]


ROWS = [
    line("loft1", "2026-03-03", "We want to convert the loft for 30,000 euros.", kind="plan", title="loft"),
    line("loft2", "2026-05-05", "We decided to take the roofers from Dale.", note="n2", kind="decision", title="loft"),
    line("loft3", "2026-05-05", "It was a warm day.", note="n2", keep=0.3, title="loft"),
    line("loft4", "2026-10-10", "Carla is a kind person.", note="n4", title="loft", entities=person("Carla")),
    line("loft5", "2026-10-10", "The last window is in, the room is finished.", note="n4", keep=0.3, title="loft"),
    line("ann1", "2026-06-10", "Ann decided to sell the canoe.", kind="decision", entities=person("Ann")),
    line("ann2", "2026-06-12", "Ann decided to keep the flat.", kind="decision", entities=person("Ann")),
    line("race", "2026-04-18", "I ran the ten miles in Leeds.", kind="event"),
    line("rumour", "2026-04-20", "Did the shop close?", modality="question", keep=0.9),
    line("secret", "2026-04-21", "The doctor found a stone.", kind="event", keep=0.9, sensitivity="high"),
    line("bot", "2026-04-22", "Leeds is in England.", speaker="assistant", source="conversation", keep=0.9),
    line("talk", "2026-11-02", "My talk is on 4 March.", values=[("date", "2027-03-04")]),
    line("fence", "2026-11-20", "The fence needs to be painted."),
    line("old", "2025-01-02", "The door needs to be painted."),
    line("weir1", "2026-02-01", "The Blue Weir fund was set up."),
    line("weir2", "2026-02-11", "Gil gave 200 to the Blue Weir fund."),
    line("weir3", "2026-02-21", "The Blue Weir fund pays for the gate."),
    line("pub", "2026-02-25", "The Blue Anchor has a new roof."),
    line("over", "2026-11-01", "The fair is on 9 November.", values=[("date", "2026-11-09")], kind="plan"),
]


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    home = Path(tmp_path_factory.mktemp("broad"))
    space = Home(home).space("alice").create()
    rows = frame("memories", *({**one, "day": DAY} for one in ROWS))
    with Catalog(space) as catalog:
        for source in ("note", "conversation"):
            chosen = rows.filter(rows["source"] == source).to_arrow()
            Lake(space, catalog).replace("memories", source, DAY, chosen)
    return Knowledge(space, load_settings(home))


def answer(knowledge: Knowledge, text: str) -> list[str]:
    question = analyse(text, max_characters=2000, language="en", now=NOW)
    broad = broad_of(question)
    assert broad is not None
    found = broad_answer(knowledge, broad, question.time, at=NOW, timeless=True)
    return [card.memory_id for card in found]


def test_how_something_stands_begins_with_what_came_of_it(knowledge: Knowledge) -> None:
    assert answer(knowledge, "How is the loft going?") == ["loft5", "loft4", "loft2", "loft1"]


def test_half_of_the_name_of_a_thing_is_another_thing_where_several_sources_have_it_whole(knowledge: Knowledge) -> None:
    assert answer(knowledge, "How is the Blue Weir going?") == ["weir3", "weir2", "weir1"]
    assert answer(knowledge, "How is the Blue Gate going?")[:1] == ["pub"]


@pytest.mark.parametrize(
    ("question", "language", "title", "is_of_it"),
    [
        ("How is the move to Bergen going?", "en", "Moving to Bergen", True),
        ("How is the Bergen office going?", "en", "Moving to Bergen", False),
        ("How is Bergen going?", "en", "Bergen, March 2026", True),
        ("Wie läuft der Umzug nach Bergen?", "de", "Umzug nach Bergen", True),
    ],
)
def test_a_storyline_that_is_called_as_what_is_asked_about_says_how_it_stands(
    knowledge: Knowledge, question: str, language: str, title: str, *, is_of_it: bool
) -> None:
    broad = broad_of(analyse(question, max_characters=2000, language=language, now=NOW))
    assert broad is not None
    named = {"id": "s1", "level": "storyline", "anchor_id": "e1", "anchor": "Bergen", "name": title, "description": ""}
    counted = {"salience": 0.5, "source_count": 5, "distinct_days": 4, "started_at": NOW, "last_event_at": NOW}
    card = StorylineCard(**named, **counted, open=True, state="active", team=None, method="extractive")
    reading = Reading(knowledge, broad, NOW)
    vars(reading)["storylines"] = [card]
    assert bool(reading.titled) == is_of_it


def test_what_happened_is_in_the_order_of_time_without_questions_programs_and_secrets(knowledge: Knowledge) -> None:
    assert answer(knowledge, "What happened in April 2026?") == ["race"]
    assert answer(knowledge, "What happened in May 2026?") == ["loft2", "loft3"]
    assert answer(knowledge, "What happened in July 2026?") == []


def test_plans_have_a_day_ahead_or_were_left_to_do_lately(knowledge: Knowledge) -> None:
    assert answer(knowledge, "What are my open plans?") == ["talk", "fence"]


def test_decisions_are_found_by_time_and_by_topic(knowledge: Knowledge) -> None:
    assert answer(knowledge, "What did we decide in May 2026?") == ["loft2"]
    assert answer(knowledge, "What did we decide about the loft?") == ["loft2"]
    assert answer(knowledge, "What did Ann decide about the flat?") == ["ann2"]
    assert answer(knowledge, "What did we decide in April 2026?") == []


def test_who_takes_part_is_a_person_of_the_topic(knowledge: Knowledge) -> None:
    assert answer(knowledge, "Who is involved in the loft?") == ["loft4"]


def test_what_goes_on_was_said_lately(knowledge: Knowledge) -> None:
    assert answer(knowledge, "What is going on?") == ["fence", "talk", "over", "loft4"]
