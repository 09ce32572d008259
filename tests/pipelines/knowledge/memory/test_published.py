"""What was written for everybody, asides and titles that are sentences do not say how a matter of the owner stands."""

import json
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.named_in_text import real_titles
from brain_pipelines.knowledge.memory.stories.published import published_sources
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.stories.story_parts import parts_of
from brain_pipelines.knowledge.memory.stories.themes import themed, themes
from tests.pipelines.knowledge.memory.history import Said, day, members
from tests.pipelines.knowledge.memory.memory_history import memories

TALE = (
    "Bob plans a walk to Porto.",
    "Bob booked the hut in Porto for 90 euros.",
    "Bob has the keys of the hut in Porto.",
    "Ten bakers near Bob in Porto raised their prices to 4 euros.",
)
HISTORY = [Said(f"s{n}", n * 2.0, summary=text) for n, text in enumerate(TALE)]


def source(name: str, kind: str, author: str = "", list_id: str | None = None, **others: object) -> dict[str, Any]:
    attributes = json.dumps(({"list_id": list_id} if list_id else {"subject": "list_id"}) | others)
    return {"source_id": name, "source": kind, "authors": [author], "attributes": attributes}


def state(published: frozenset[str], history: list[Said] = HISTORY, **changes: dict[str, Any]) -> str:
    usable = StoryMemories(memories(history, **changes), members(history), day(20), published=published)
    told = usable.of("bob", [s.id for s in history], Names(["Bob"]))
    return parts_of(told, day(20))[-1][1].text


def test_pages_and_lists_with_one_sender_are_published() -> None:
    rows = pl.DataFrame([
        source("page", "web-page"),
        source("crawled", "press--web-crawl"),
        source("weekly", "email", "Fern Weekly", "weekly.fern.example"),
        source("weekly-2", "email", "Fern Weekly", "weekly.fern.example"),
        source("rowers", "email", "Ada", "rowers.example"),
        source("rowers-2", "email", "Ben", "rowers.example"),
        source("mail", "email", "Ada"),
        source("offer", "email", "Cleo", mass_mail=True),
        source("note", "note"),
    ])  # fmt: skip
    expected = {"page", "crawled", "weekly", "weekly-2", "offer"}
    assert published_sources(rows) == published_sources(rows.reverse()) == expected
    assert published_sources(rows.clear()) == frozenset()


def test_a_published_line_is_quoted_only_where_few_others_tell() -> None:
    assert state(frozenset()) == TALE[3]
    assert state(frozenset({"s3"})) == TALE[2]
    assert state(frozenset({"s1", "s2", "s3"})) == TALE[3]


def test_what_is_said_in_passing_is_no_state() -> None:
    aside = [*HISTORY[:3], Said("s3", 6.0, summary="Hello, this is Bob at the market.", type="voice-memo")]
    changes: dict[str, dict[str, Any]] = {"s3": {"self_contained": False, "keep": 0.5}, "s2": {"keep": 0.4}}
    rows = memories(aside, **changes)
    others = rows.filter(pl.col("source_id") == "s3").with_columns(entities=pl.lit([], rows.schema["entities"]))
    others = [others.with_columns(memory_id=pl.lit(f"m{n}"), text=pl.lit(f"Rain {n}."), keep=0.1) for n in range(3)]
    usable = StoryMemories(pl.concat([rows, *others]), members(aside), day(20))
    told = usable.of("bob", [s.id for s in aside], Names(["Bob"]))
    assert parts_of(told, day(20))[-1][1].text == TALE[2]
    written = [*HISTORY[:3], Said("s3", 6.0, summary="Roof done with Bob.", type="note")]
    assert state(frozenset(), written, **changes) == "Roof done with Bob."


def test_a_storyline_does_not_begin_with_an_entry_of_a_calendar() -> None:
    entry = Said("a", -1.0, summary="Weekly with Bob: Tuesday, 10:00 to 10:30 (Room Salt)", type="calendar")

    def beginning(kind: str) -> str:
        history = [Said("a", -1.0, summary=entry.summary, type=kind), *HISTORY[:3]]
        usable = StoryMemories(memories(history, s0={"kind": "event", "keep": 0.9}), members(history), day(20))
        return parts_of(usable.of("bob", [s.id for s in history], Names(["Bob"])), day(20))[0][1].text

    assert beginning("calendar") == TALE[0] and beginning("note") == entry.summary


def test_newer_sources_that_only_announced_leave_the_state_to_older_ones() -> None:
    planned = [Said(f"p{n}", 8.0 + n / 9, summary=f"Bob comes on 12 January to paint room {n}.") for n in range(6)]
    told = {"values": [{"dimension": "date", "value": "2026-01-12"}], "kind": "plan", "from_stated": False}
    assert state(frozenset(), [*HISTORY[:3], *planned], **{s.id: told for s in planned}) == TALE[2]


def test_a_title_that_is_the_first_sentence_is_none() -> None:
    titles = {
        "memo": ("Hello, this is Ada in Porto", "Hello, this is Ada in Porto."),
        "long": ("We met Ben at the harbour and …", "We met Ben at the harbour and bought a rope."),
        "note": ("Porto", "Porto is loud."),
        "plain": ("Harbour plan", "The harbour plan is late."),
    }
    sources = pl.DataFrame({"source_id": list(titles), "title": [title for title, _ in titles.values()]})
    rows = pl.DataFrame({"source_id": list(titles), "evidence": [text for _, text in titles.values()]})
    assert real_titles(sources, rows) == {"note": "Porto", "plain": "Harbour plan"}
    assert real_titles(None, rows) == {}


def test_a_new_home_of_the_owner_is_part_of_the_move() -> None:
    home = {"slot_attribute": "lives_in", "slot_value": "Porto", "slot_subject": "user", "cue": "strong"}
    history = [Said("s0", 0.0, summary="I live in Porto now.")]

    def found(**other: Any) -> list[str]:
        rows = memories(history, s0=home | other | {"anchors": ["live", "porto"]})
        return [themes()[one]["en"] for one in themed(rows)["anchor_id"]]

    assert found() == ["Moving house"]
    assert found(slot_subject="Ben") == found(cue="none") == found(slot_attribute="works_at") == []
