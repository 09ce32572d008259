"""The demo's story, asked as its owner would ask it: as of each day one answer, and nothing that no longer holds."""

import re
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.shown.bars import MATTER_USEFUL
from brain_retrieval.knowledge.reader import Knowledge
from tests.paths import SAMPLES
from tests.pipelines.conftest import Bench
from tests.pipelines.knowledge.demo_changes import CHANGES
from tests.pipelines.knowledge.demo_search import SEARCHES

SOURCES = ("note", "conversation", "agent-note")
# user, about, as of, what one of the first lines says, what no line may state as holding
QUESTIONS = (
    ("alice", "launch of the new UI", "2026-01-10", r"2 March", r"16 March|30 March"),
    ("alice", "launch of the new UI", "2026-01-25", r"16 March", r"launch.* is 2 March|planned for 2 March|30 March"),
    ("alice", "launch of the new UI", "2026-02-15", r"30 March", r"is 2 March|planned for 2 March|moves to 16 March"),
    ("alice", "Alice Chen", "2026-01-20", r"Zurich|lead", r"Lumen Health as head"),
    ("alice", "Zurich", "2026-01-20", r"live in Zurich", r"live in Lisbon now"),
    ("alice", "Lisbon", "2026-02-05", r"live in Lisbon now", r"\bI live in Zurich"),
    ("alice", "Zurich", "2026-02-20", r"no longer in Zurich", r"\bI live in Zurich, in Wiedikon"),
    ("alice", "door code", "2026-01-20", r"4471", r""),
    ("alice", "UI redesign", "2026-01-20", r"lead", r"Priya Nair (?:keeps leading|leads) the UI redesign"),
    ("alice", "UI redesign", "2026-02-20", r"Priya Nair", r"Daniel Weber asked .* to lead the UI redesign"),
    ("alice", "Northwind Labs", "2026-01-20", r"lead designer|Northwind", r"resigned"),
    ("alice", "Northwind Labs", "2026-02-20", r"27 February", r"I work at Northwind Labs as"),
    ("alice", "Lumen Health", "2026-02-07", r"142,000 euros|offers", r"I accepted"),
    ("alice", "Lumen Health", "2026-03-05", r"head of design", r""),
    ("alice", "component library", "2026-01-10", r"30 January|version 3|Bob Smith", r"slips"),
    ("alice", "navigation", "2026-01-18", r"[Ss]ix people", r""),
    ("alice", "settings", "2026-01-18", r"20 seconds", r""),
    ("alice", "Mei Tanaka", "2026-01-20", r"accessibility tests|318", r""),
    ("alice", "Priya Nair", "2026-01-20", r"Acme Robotics|product designer", r""),
    ("alice", "Design Matters Porto", "2026-02-15", r"21 May 2026", r""),
    ("bob", "version 3", "2026-01-10", r"30 January", r"13 February"),
    ("bob", "version 3", "2026-01-25", r"13 February", r"is due on 30 January"),
    ("bob", "component library", "2026-02-20", r"Mei Tanaka", r""),
    ("bob", "half marathon", "2026-02-01", r"12 April", r""),
    ("bob", "accessibility tests", "2026-02-20", r"212", r""),
)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Bench:
    """The texts of the demo, extracted, before any snapshot."""
    bench = Bench(Home(tmp_path_factory.mktemp("story")))
    for user in ("alice", "bob"):
        for source in SOURCES:
            folder = SAMPLES / user / source
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                target = bench.home.inbox / user / source / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
                bench.land(target, user)
            if folder.is_dir():
                bench.run(user, source)
    return bench


@pytest.mark.parametrize(("user", "about", "as_of", "wanted", "stale"), QUESTIONS, ids=lambda one: str(one)[:24])
def test_demo_answers_as_of_the_day(story: Bench, user: str, about: str, as_of: str, wanted: str, stale: str) -> None:
    shown = Knowledge(story.space(user), story.settings).memories(about, as_of=as_of)
    said = [card.text for card in shown]
    held = [card.text for card in shown if card.status == "current" and card.modality == "asserted"]
    assert any(re.search(wanted, line) for line in said), said
    assert not stale or not any(re.search(stale, line) for line in held), held


@pytest.mark.parametrize(("user", "about", "as_of", "line", "holds"), CHANGES, ids=lambda one: str(one)[:24])
def test_a_change_ends_what_it_is_about_and_no_more(
    story: Bench, user: str, about: str, as_of: str, line: str, *, holds: bool
) -> None:
    cards = Knowledge(story.space(user), story.settings).memory_reader.about(about, at=day_end(as_of), limit=1000)
    found = [card for card in cards if re.search(line, card.text)]
    assert found, [card.text for card in cards]
    assert any(card.status not in ("ended", "perhaps outdated") for card in found) == holds, found


@pytest.mark.parametrize("about", ["launch date", "when is the launch", "date of the launch"])
def test_the_day_asked_for_comes_before_what_has_the_word(story: Bench, about: str) -> None:
    cards = Knowledge(story.space("alice"), story.settings).memories(about, as_of="2026-02-20")
    assert "30 March" in cards[0].text, [card.text for card in cards]


def test_other_things_with_a_day_do_not_stand_beside_the_launch(story: Bench) -> None:
    known = Knowledge(story.space("alice"), story.settings)
    assert not [card.text for card in known.memories("launch", as_of="2026-02-20") if "proposals" in card.text]
    assert [card.text for card in known.memories("deadline", as_of="2026-02-20") if "proposals" in card.text]


@pytest.mark.parametrize(("user", "question", "as_of", "wanted"), SEARCHES, ids=lambda one: str(one)[:24])
def test_search_finds_what_holds_and_a_small_pack_has_it(
    story: Bench, user: str, question: str, as_of: str | None, wanted: str
) -> None:
    with Brain.open(story.home.path, user=user) as brain:
        hits = brain.search(question, 5, as_of=as_of, log=False)
        pack = brain.context(question, 400, as_of=as_of, log=False)
    assert any(re.search(wanted, hit.text) for hit in hits[:3]), [hit.text for hit in hits]
    newer = hits[0].temporal_context.superseded_by
    assert newer is None or not newer.asked, newer
    assert re.search(wanted, pack.text), pack.text


@pytest.mark.parametrize(
    ("user", "question", "wanted"),
    [
        ("alice", "Where does Alice live?", r"live in Lisbon now"),  # who "alice" is, the user id says
        ("alice", "Where do I live?", r"live in Lisbon now"),
        ("alice", "When is the launch?", r"30 March"),
        ("alice", "Who leads the UI redesign?", r"Priya Nair"),
        ("alice", "what is the door code in zurich", r"4471"),
        ("bob", "when is version 3 due", r"13 February"),
    ],
)
def test_ask_answers_in_its_first_line(story: Bench, user: str, question: str, wanted: str) -> None:
    with Brain.open(story.home.path, user=user) as brain:
        asked = brain.ask(question, write=False)
    assert asked.memories and re.search(wanted, asked.memories[0].text), [card.text for card in asked.memories]


@pytest.mark.parametrize(
    "question", ["What is the name of my dog?", "When is Bob Smith's birthday?", "who is my dentist"]
)
def test_ask_has_no_memory_for_what_is_not_there(story: Bench, question: str) -> None:
    with Brain.open(story.home.path, user="alice") as brain:
        assert not [card.text for card in brain.ask(question, write=False).memories]


def day_end(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T23:59:59+00:00")


def test_what_is_shown_first_is_likely_to_be_of_use(story: Bench) -> None:
    first = Knowledge(story.space("alice"), story.settings).memories(as_of="2026-02-20", limit=15)
    lines = "\n".join(card.text for card in first)
    assert re.search(r"Lumen Health", lines) and re.search(r"Priya Nair", lines)
    assert not re.search(r"met me at the airport", lines)  # true, of a person, but of no use
    assert all(card.why["useful"] >= MATTER_USEFUL for card in first)


@pytest.mark.parametrize(("as_of", "wanted"), [("2026-01-25", "16 March"), ("2026-02-20", "30 March")])
def test_what_has_replaced_something_worth_showing_is_shown_in_its_place(story: Bench, as_of: str, wanted: str) -> None:
    first = Knowledge(story.space("alice"), story.settings).memories(as_of=as_of, limit=15)
    launch = [card.text for card in first if "launch" in card.text]
    assert launch and all(wanted in line for line in launch), [card.text for card in first]


def test_the_card_of_the_launch_names_the_day_that_holds_and_those_before_as_ended(story: Bench) -> None:
    card = Knowledge(story.space("alice"), story.settings).entity("launch", as_of="2026-02-20").memories
    held = [each.text for each in (*card.changes, *card.current, *card.plans)]
    assert "30 March" in held[0] and not any("16 March" in line for line in held), held
    assert any("16 March" in each.text for each in card.ended)
