"""What an agent reads at the start of a conversation: each section over a snapshot on disk, and the budget."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.shown.coming import coming_up
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.query.packs import start
from brain_retrieval.query.packs.pack import ContextPack
from brain_retrieval.query.packs.start import conversation_start
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.retrieval.query.packs.made_hits import NONCE, Words, memory
from tests.retrieval.stores.graph.snapshots import day, frame, lisbon

STORY = lisbon(salience=False)
DAY = "2026-01-16"
STRENGTHS = {"Accessibility": 0.4, "Typography": 0.9, "Figma": 0.2, "Priya": 0.8, "Acme": 0.5}


def salience() -> pl.DataFrame:
    """Return the strengths of entities, which are kept for good, and of the facts, the later ones stronger."""
    entities = [
        STORY._salience(name) | {"anchor_salience": value, "ttl_policy": "keep_forever"}
        for name, value in STRENGTHS.items()
    ]
    facts = [
        STORY._salience("Priya") | {"item": "fact", "item_id": STORY.fact_id(said), "anchor_salience": n / 20}
        for n, said in enumerate(STORY.facts)
    ]
    return frame("salience", entities + facts)


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    home = Home(tmp_path_factory.mktemp("start") / "home")
    space = home.space("alice").create()
    tables = STORY.snapshot() | {"salience": salience()}
    sources = tables.pop("sources").with_columns(pl.lit("decay").alias("ttl_policy"), pl.lit("").alias("digest"))
    kept = {name: tables[name] for name in ("known_entities", "entity_members", "known_facts", "salience")}
    store = SnapshotStore(space)
    store.write_stage(DAY, "all", {**kept, "known_sources": sources}, code_version="1")
    store.complete(DAY, ["all"])
    return Knowledge(space, load_settings(home.path))


def started(knowledge: Knowledge, now: datetime, max_tokens: int = 1300) -> ContextPack:
    return conversation_start(knowledge, Words(), now=now, max_tokens=max_tokens, nonce=NONCE)


def lines(pack: ContextPack, title: str) -> list[str]:
    _, _, rest = pack.text.partition(f"\n\n## {title}\n- ")
    return rest.partition("\n\n")[0].partition("\n</")[0].split("\n- ") if rest else []


def test_the_owner_the_concepts_kept_for_good_and_the_last_seven_days(knowledge: Knowledge) -> None:
    pack = started(knowledge, day(15.5))
    assert lines(pack, "Time") == ["Now: Friday, 16 Jan 2026, 21:00 (UTC); a week ago: 9 Jan 2026"]
    assert lines(pack, "Owner") == ["[ENTITY: person] Alice"]
    assert lines(pack, "Core Concepts") == ["[ENTITY: concept] Typography", "[ENTITY: concept] Accessibility"]
    assert lines(pack, "Recent Sources") == [  # newest first, each with what is strongest in it
        "16 Jan 2026 note: gossip (Priya, Acme)",
        "13 Jan 2026 note: tools (Typography, Accessibility)",
        "11 Jan 2026 note: trip (Priya)",
    ]
    assert lines(started(knowledge, day(0)), "Recent Sources") == ["1 Jan 2026 note: kickoff (Acme)"]
    assert pack.warnings == () == pack.known_dropped


def test_relations_that_hold_then_the_strongest_first(knowledge: Knowledge) -> None:
    now = lines(started(knowledge, day(15.5)), "Relations")
    assert now[0] == "[RELATION] Alice · visits · Lisbon (until 18 Jan 2026)"
    assert now[-1] == "[RELATION] Alice · works at · Acme (until 21 Jan 2026)"
    assert len(now) == 9
    assert not [line for line in lines(started(knowledge, day(18)), "Relations") if "visits" in line]


def test_the_budget_holds_and_what_is_left_out_is_named(knowledge: Knowledge) -> None:
    whole = started(knowledge, day(15.5))
    assert sum(item.tokens for item in whole.known) < whole.total_tokens  # the frame
    exact = started(knowledge, day(15.5), whole.total_tokens)
    assert (exact.text, exact.known_dropped) == (whole.text, ())
    less = started(knowledge, day(15.5), whole.total_tokens - 1)
    assert less.total_tokens <= whole.total_tokens - 1
    assert less.known_dropped == ("Recent Sources: 11 Jan 2026 note: trip (Priya) over the budget",)
    assert started(knowledge, day(15.5), 1).text == ""


def test_without_a_snapshot_the_time_is_known_and_a_warning_says_why(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    empty = Knowledge(home.space("bob").create(), load_settings(home.path))
    pack = started(empty, day(15.5))
    assert [item.kind for item in pack.known] == ["time"]
    assert len(pack.warnings) == 1 and "no snapshot of 'bob' yet" in pack.warnings[0]


def choosing(cards: list[MemoryCard]) -> Callable[..., list[MemoryCard]]:
    """Return what stands for `start.chosen` where these are all memories."""
    columns = ("memory_id", "said_at", "method", "sensitivity")
    rows = pl.DataFrame([{name: getattr(card, name) for name in columns} for card in cards])
    return lambda _knowledge, condition, _now: [
        card for card in cards if card.memory_id in rows.filter(condition, pl.col("sensitivity") != "high")["memory_id"]
    ]


@pytest.mark.parametrize(("ago", "lately"), [(0, True), (7, True), (7.001, False), (-0.001, False)])
def test_goals_are_of_the_last_seven_days(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch, ago: float, *, lately: bool
) -> None:
    plan = memory("We want to repaint the shed.", kind="plan", status="possible", modality="possible")
    said = replace(plan, said_at=day(10 - ago), effective_from=day(10 - ago))
    monkeypatch.setattr(start, "chosen", choosing([said]))
    assert bool(lines(started(knowledge, day(10)), "Goals")) is lately


def test_what_was_written_down_for_assistants_is_read_first(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(text: str, at: int, **changes: object) -> MemoryCard:
        return memory(text, **{"said_at": day(at), "effective_from": day(at), "method": "owner", **changes})

    order = {"kind": "instruction"}
    cards = [
        written("Sign letters with Robin.", 2, **order, method="agent"),
        written("Never book flights before noon.", 5, **order),
        written("Keep the blue file closed.", 6, **order, sensitivity="high"),
        written("Use metric units.", 7, **order, status="ended"),
        written("Please fold the napkins.", 8, **order, method="local"),
        written("We print at Larsen's shop in the harbour.", 3, kind="decision"),
        written("We print at Moe's shop in the harbour.", 9, kind="decision"),
        written("I like rowing.", 4, kind="preference"),
        written("I like knitting.", 6, kind="preference"),
    ]
    monkeypatch.setattr(start, "chosen", choosing(cards))
    monkeypatch.setattr(MemoryReader, "notable", lambda _self, **_: [cards[5], cards[0], cards[7]])
    pack = started(knowledge, day(15.5))
    assert lines(pack, "Instructions") == [
        "[MEMORY] 6 Jan 2026: Never book flights before noon.",
        "[MEMORY] 3 Jan 2026: Sign letters with Robin.",
    ]
    assert lines(pack, "Memories") == [  # of two values the latest, and nothing twice
        "[MEMORY] 10 Jan 2026: We print at Moe's shop in the harbour.",
        "[MEMORY] 5 Jan 2026: I like rowing.",
    ]


def test_what_has_a_day_soon_is_coming_up_and_goals_are_open_plans(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"said_at": day(14), "effective_from": day(14)}
    cards = [
        memory("We want to repaint the shed.", kind="plan", status="possible", modality="possible", **said),
        memory("The chimney sweep comes on the 28th.", values=(("date", "2026-01-28"),), **said),
        memory("Dentist on the 19th.", kind="instruction", values=(("date", "2026-01-19"),), said_at=day(-90)),
        memory("The regatta is in May.", values=(("date", "2026-05-03/2026-05-05"),), **said),
        memory("Did we book the 20th?", modality="question", values=(("date", "2026-01-20"),), **said),
        memory("Could you send the plan by the 23rd?", modality="question", values=(("date", "2026-01-23"),), **said),
        memory("No choir on the 22nd.", polarity="negated", values=(("date", "2026-01-22"),), **said),
        memory("The sweep came on the 2nd.", values=(("date", "2026-01-02"),), **said),
        memory("The fair is on the 21st.", status="ended", values=(("date", "2026-01-21"),), **said),
        memory("We wanted a boat.", kind="plan", status="possible", modality="possible", said_at=day(-30)),
    ]
    monkeypatch.setattr(start, "chosen", choosing(cards))
    monkeypatch.setattr(MemoryReader, "coming_up", lambda _self, today, **_: coming_up(cards, today))
    pack = started(knowledge, day(15.5))
    assert [line.split(": ", 1)[1] for line in lines(pack, "Coming Up")] == [
        "Dentist on the 19th.",
        "Could you send the plan by the 23rd?",
        "The chimney sweep comes on the 28th.",
    ]
    assert [line.split(": ", 1)[1] for line in lines(pack, "Goals")] == ["We want to repaint the shed. (possible)"]


def test_a_plan_that_a_section_before_has_takes_no_place_among_the_goals(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {"kind": "plan", "status": "possible", "modality": "possible", "said_at": day(14)}
    dated = [memory(f"Plan {n}.", keep=0.9, values=(("date", f"2026-01-2{n}"),), **plan) for n in range(4)]
    others = [memory(f"Idea {n}.", keep=0.5, **plan) for n in range(6)]
    monkeypatch.setattr(start, "chosen", choosing([*dated, *others]))
    monkeypatch.setattr(MemoryReader, "coming_up", lambda _self, today, **_: coming_up(dated, today))
    pack = started(knowledge, day(15.5))
    assert len(lines(pack, "Coming Up")) == 4
    assert [line.split(": ", 1)[1][:6] for line in lines(pack, "Goals")] == [f"Idea {n}" for n in range(5)]


def test_past_appointments_are_no_memories_to_start_with(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    past = memory("The party is on the 9th.", values=(("date", "2026-01-09"),), said_at=day(2))
    cards = [past, *(memory(f"Fact {n}.") for n in range(15))]
    monkeypatch.setattr(MemoryReader, "notable", lambda _self, limit, **_: cards[:limit])
    found = [line.split(": ", 1)[1] for line in lines(started(knowledge, day(15.5)), "Memories")]
    assert found == [f"Fact {n}." for n in range(10)]
