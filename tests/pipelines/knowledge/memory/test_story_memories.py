"""Storylines made of memories: titles, beginning, turns and state now, citations, independence of order, removal."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.memory.citation_check import unsupported
from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.storylines import build_storylines
from brain_retrieval.stores.memory_tables import MACROS, STORYLINES, SUMMARIES
from tests.pipelines.knowledge.memory.history import SETTINGS, Said, day, known, lines, members, sources, texts
from tests.pipelines.knowledge.memory.memory_history import built, memories

STORY = (
    "Bob starts the component library for the booking page.",
    "Every button of the component library has two sizes.",
    "Bob heard that the fonts are fine.",
    "Version 3 of the component library slips to 20 March.",
    "Bob no longer works on the old tokens.",
    "Bob leads the team of the component library.",
)
HISTORY = [Said(f"s{n}", n * 2.0, keywords=("component library",), summary=text) for n, text in enumerate(STORY)]
CHANGES: dict[str, dict[str, Any]] = {
    "s0": {"kind": "event"},
    "s2": {"modality": "reported", "cue": "strong"},
    "s3": {"cue": "strong", "values": [{"dimension": "date", "value": "2026-03-20"}]},
    "s4": {"cue": "strong"},
}
MOVE = [Said(f"t{n}", 150 + n * 2.0, summary=f"Bob moves into flat {n} in Lisbon.") for n in range(6)]


def parts(made: pl.DataFrame) -> list[tuple[str, str]]:
    (row,) = made.filter(pl.col("item") == "storyline").to_dicts()
    return [(part["part"], part["text"]) for part in row["parts"]]


def test_a_storyline_has_a_beginning_turns_and_a_state() -> None:
    usable = memories(HISTORY, **CHANGES)
    found, _, made = built(HISTORY, usable, 20)
    assert found.to_arrow().cast(STORYLINES).schema.names == STORYLINES.names
    assert made.rows.to_arrow().cast(SUMMARIES).schema == SUMMARIES
    assert parts(made.rows) == [("beginning", STORY[0]), ("turn", STORY[4]), ("now", STORY[5])]
    assert found["name"].to_list() == ["Bob: component library"]
    (row,) = made.rows.to_dicts()
    assert [c["memory_id"] for c in row["citations"]] == ["m-s0", "m-s4", "m-s5"]
    assert [part["at"] for part in row["parts"]] == [day(0), day(8), day(10)]
    assert unsupported(made.rows, texts(HISTORY), usable) == []


def test_what_someone_is_asked_for_is_not_the_state_now() -> None:
    asked = {**CHANGES, "s5": {"kind": "instruction"}}
    _, _, made = built(HISTORY, memories(HISTORY, **asked), 20)
    assert parts(made.rows)[-1] == ("now", STORY[4])


def test_an_order_to_a_program_is_no_part_and_an_outcome_that_a_person_tells_is_the_state() -> None:
    order = Said("s6", 1.0, summary="Add a test for the library of Bob.", type="agent-output")
    done = Said("s7", 12.0, summary="The upgrade of Bob is done.", type="agent-output")
    history = [*HISTORY, order, done]
    report = {"source_id": "s7", "speaker": "assistant", "keep": 0.99, "memory_id": "report", "start": 90, "end": 120}
    usable = pl.concat([memories(history, **CHANGES, s6={"keep": 0.99}), memories([done], s7=report)])
    usable = usable.with_columns(
        text=pl.when(pl.col("memory_id") == "report").then(pl.lit("Bob answers 900 times in 310 ms.")).otherwise("text")
    )
    _, _, made = built(history, usable, 20)
    told = [text for _, text in parts(made.rows)]
    assert order.summary not in told
    assert told[-1] == done.summary


def test_a_source_about_the_anchor_tells_of_it_without_its_name() -> None:
    usable = memories(HISTORY, **CHANGES)

    def told(*more: str) -> bool:
        also = [
            {"memory_id": f"m{n}", "text": text, "evidence": text, "keep": 0.5, "cue": "none"}
            for n, text in enumerate(more)
        ]
        added = [
            usable.filter(pl.col("source_id") == "s3").with_columns(
                **{name: pl.lit(value) for name, value in one.items()},
                entities=usable["entities"].filter(usable["source_id"] == "s0"),
            )
            for one in also
        ]
        return ("turn", STORY[3]) in parts(built(HISTORY, pl.concat([usable, *added]), 20)[2].rows)

    assert told("Bob asks for version 3.", "Bob is sorry.")
    assert not told("Bob asks for version 3.")  # one of two memories is too little
    assert not told("Bob is ill.", "Bob is sorry.")  # of something else


def test_an_appointment_that_has_been_is_not_the_state_now() -> None:
    fixed = [{"dimension": "date", "value": day(15).date().isoformat()}]
    usable = memories(HISTORY, **(CHANGES | {"s5": {"values": fixed}}))
    first = built(HISTORY, usable, 15)[2]
    assert parts(first.rows)[-1] == ("now", STORY[5])
    later = built(HISTORY, usable, 20, previous=first.rows)[2]
    assert parts(later.rows)[-1] == ("now", STORY[4])
    assert_frame_equal(later.rows, built(HISTORY, usable, 20)[2].rows)
    holding = memories(HISTORY, **(CHANGES | {"s5": {"values": fixed, "from_stated": True}}))
    assert parts(built(HISTORY, holding, 20)[2].rows)[-1] == ("now", STORY[5])
    all_past = memories(HISTORY, **{f"s{n}": {**CHANGES.get(f"s{n}", {}), "values": fixed} for n in range(1, 6)})
    assert parts(built(HISTORY, all_past, 20)[2].rows)[-1] == ("now", STORY[5])  # nothing else is known


def test_what_has_ended_is_not_the_state_now() -> None:
    usable = memories(HISTORY, **(CHANGES | {"s5": {"valid_to": day(15)}}))
    assert parts(built(HISTORY, usable, 12)[2].rows)[-1] == ("now", STORY[5])
    first = built(HISTORY, usable, 12)[2]
    later = built(HISTORY, usable, 20, previous=first.rows)[2]
    assert parts(later.rows)[-1] == ("now", STORY[4])
    assert_frame_equal(later.rows, built(HISTORY, usable, 20)[2].rows)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Bob won the lottery."},
        {"start": 1},
        {"source_id": "s1"},
        {"evidence": "Bob never said so."},
        {"memory_id": "gone"},
    ],
)
def test_a_summary_is_unsupported_without_its_memory(change: dict[str, Any]) -> None:
    usable = memories(HISTORY, **CHANGES)
    made = built(HISTORY, usable, 20)[2]
    wrong = memories(HISTORY, **(CHANGES | {"s0": {**CHANGES["s0"], **change}}))
    assert len(unsupported(made.rows, texts(HISTORY), wrong)) == 1
    edited = texts(HISTORY).with_columns(text=pl.col("text").str.replace("starts", "stops"))
    assert len(unsupported(made.rows, edited, usable)) == 1
    assert len(unsupported(made.rows, texts(HISTORY))) == 1


def test_removed_source_is_left_out() -> None:
    usable = memories(HISTORY, **CHANGES)
    first = built(HISTORY, usable, 20)[2]
    left = [s for s in HISTORY if s.id != "s4"]
    _, _, made = built(left, memories(left, **CHANGES), 20, previous=first.rows)
    assert "tokens" not in made.rows["description"][0]
    assert_frame_equal(made.rows, built(left, memories(left, **CHANGES), 20)[2].rows)


def test_sources_without_memories_are_quoted_beside_them() -> None:
    usable = memories(HISTORY, **CHANGES).filter(pl.col("source_id") != "s0")
    made = built(HISTORY, usable, 20)[2]
    assert parts(made.rows)[0] == ("beginning", STORY[0])
    assert made.rows["citations"][0][0]["memory_id"] is None
    assert unsupported(made.rows, texts(HISTORY), usable) == []


def test_a_macro_is_titled_by_its_topics_and_cites_memories() -> None:
    history = [Said(s.id, s.at, summary=s.summary, keywords=("component library",)) for s in HISTORY]
    history += [Said(s.id, s.at, summary=s.summary, keywords=("flat", "Lisbon")) for s in MOVE]
    usable = memories(history, **CHANGES)
    _, macros, made = built(history, usable, 170)
    assert macros.to_arrow().cast(MACROS).schema == MACROS
    assert macros["name"].to_list() == ["Bob: component library – Lisbon, flat"]
    (row,) = made.rows.filter(pl.col("item") == "macro").to_dicts()
    assert [part["part"] for part in row["parts"]] == ["beginning", "turn", "now"]
    assert row["description"] == " ".join(part["text"] for part in row["parts"])
    assert unsupported(made.rows, texts(history), usable) == []


def test_ten_sources_on_three_days_are_a_storyline_after_the_first_snapshot() -> None:
    history = [Said(f"n{n}", n / 3, summary=f"Bob builds part {n} of the shed.") for n in range(10)]
    found, _, made = built(history, memories(history), 6, recalls={})
    assert found.height == 1 and found["name"][0] == "Bob, January 2026"
    assert len(made.rows["parts"][0]) >= 2


def test_an_anchor_that_is_the_subject_of_no_source_has_no_storyline() -> None:
    history = [Said(f"n{n}", n / 3, keywords=("shed",)) for n in range(10)]
    rows = [
        Said(f"n{n}", n / 3, summary=text)
        for n in range(10)
        for text in (
            "The shed has a door.",
            "Carol paints the wall.",
            "Dave brings wood.",
            "Eve eats soup.",
            "Fay sleeps long.",
            "Gil sings a song.",
            "Bob eats.",
        )
    ]
    told = memories(rows).with_columns(pl.concat_str("memory_id", "text"), evidence=pl.concat_str("source_id", "text"))
    eats = pl.col("text") == "Bob eats."
    told = told.with_columns(text=pl.when(eats).then(pl.format("Bob eats {}.", "source_id")).otherwise("text"))
    passing = told.with_columns(keep=pl.when(pl.col("text").str.starts_with("Bob eats")).then(0.2).otherwise("keep"))
    usable = StoryMemories(passing, members(history), day(6))
    assert lines(history, 6, recalls={}, memories=usable)[0].is_empty()
    assert lines(history, 6, recalls={"bob": 1}, memories=usable)[0].height == 1
    worth_keeping = StoryMemories(told, members(history), day(6))
    assert lines(history, 6, recalls={}, memories=worth_keeping)[0].height == 1


def test_fewer_sources_are_enough_where_most_tell_of_the_anchor() -> None:
    passing = [Said(f"p{n}", 1.5 + n * 2) for n in range(4)]
    found = lines([*HISTORY, *passing], 20, recalls={}, memories=stories_of([*HISTORY, *passing]))[0]
    assert (found["source_count"][0], found["promoted_at"][0]) == (10, day(10))
    few = HISTORY[:3]
    assert lines([*few, *passing], 20, recalls={}, memories=stories_of([*few, *passing]))[0].is_empty()


def stories_of(history: list[Said], **changes: dict[str, Any]) -> StoryMemories:
    return StoryMemories(memories(history, **changes), members(history), day(20))


def test_what_nobody_can_understand_alone_tells_of_nothing() -> None:
    unclear = {f"s{n}": {"self_contained": False} for n in range(6)}
    assert lines(HISTORY, 20, recalls={}, memories=stories_of(HISTORY))[0].height == 1
    assert lines(HISTORY, 20, recalls={}, memories=stories_of(HISTORY, **unclear))[0].is_empty()


def test_a_name_on_lists_has_no_storyline() -> None:
    history = [Said(f"s{n:02}", n * 2.0, keywords=("bob",), summary=f"Carol paints wall {n}.") for n in range(12)]
    assert lines(history, 30, recalls={})[0].height == 1  # without memories the keywords are all there is
    assert lines(history, 30, recalls={}, memories=stories_of(history))[0].is_empty()
    assert lines(history, 30, recalls={"bob": 1}, memories=stories_of(history))[0].height == 1


def test_a_plan_of_a_journey_is_a_story() -> None:
    texts_ = [f"I'm planning a trip to Lisbon with {what}." for what in ("Ann", "rain", "two days", "sun", "a car")]
    history = [Said(f"s{n}", n * 5.0, about=("lisbon",), summary=text) for n, text in enumerate(texts_)]
    plans = memories(history, **{s.id: {"kind": "plan", "modality": "possible"} for s in history})
    found, _, made = built(history, plans, 30, recalls={})
    assert found["name"].to_list() == ["Lisbon: trips"]
    assert [part for part, _ in parts(made.rows)] == ["beginning", "turn", "now"]
    guesses = memories(history, **{s.id: {"modality": "possible"} for s in history})
    assert built(history, guesses, 30, recalls={})[0].is_empty()


def test_a_place_is_a_story_for_one_who_goes_there() -> None:
    towns = [f"Lisbon has street {n} with trams." for n in range(5)]
    history = [Said(f"s{n}", n * 5.0, about=("lisbon",), summary=text) for n, text in enumerate(towns)]
    place = known(history).with_columns(type=pl.lit("Location"))

    def found(journeys: int) -> int:
        anchors = {s.id: {"anchors": ["lisbo", "trip" if n < journeys else "tram"]} for n, s in enumerate(history)}
        usable = stories_of(history, **anchors)
        return build_storylines(
            members(history), place, sources(history), recalls={}, now=day(30), settings=SETTINGS, memories=usable
        )[0].height

    assert [found(0), found(1), found(2)] == [0, 0, 1]


def test_the_title_of_a_meeting_in_brackets_names_nobody() -> None:
    history = [Said(f"s{n}", n * 2.0, summary=f"Carol paints wall {n} [Bob's weekly meeting].") for n in range(6)]
    usable = stories_of(history, **{s.id: {"entities": []} for s in history})
    assert usable.of("bob", [s.id for s in history], Names(["Bob"])) == []
    assert usable.of("carol", [s.id for s in history], Names(["Carol"])) != []


def test_the_sentence_of_a_form_is_no_part() -> None:
    form = "Bob asks all guests to sign in below."
    history = [Said(f"s{n}", n * 2.0, summary=form if n % 2 else STORY[n]) for n in range(6)]
    found, _, made = built(history, memories(history), 20)
    assert form not in [text for _, text in parts(made.rows)] and found["name"][0] != form.rstrip(".")
    twice = [Said(s.id, s.at, summary=form if s.id in ("s1", "s5") else STORY[0]) for s in history]
    assert {m.text for m in stories_of(twice).of("bob", ["s0", "s1", "s2"], Names(["Bob"])) if m.tellable} == {form}


def test_a_long_story_has_turns_of_several_days() -> None:
    history = [Said(f"s{n:02}", n * 2.0, summary=f"Bob {done}.") for n, done in enumerate(DEEDS)]
    usable = memories(history, **{s.id: {"kind": "event"} for s in history})
    (row,) = built(history, usable, 60)[2].rows.to_dicts()
    turns = [part for part in row["parts"] if part["part"] == "turn"]
    assert len(turns) == 2 and turns[0]["at"] < turns[1]["at"]


DEEDS = (
    "rents an old barn near Jena", "orders oak planks", "digs a trench", "fells two spruces", "repairs the gutter",
    "hires a carpenter", "lays slate tiles", "paints every door", "installs solar panels", "opens a bakery",
)  # fmt: skip


@given(
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from(STORY), st.sampled_from(["none", "strong"])), max_size=40),
    st.integers(0, 100),
)
@settings(max_examples=30, deadline=None)
def test_titles_and_parts_do_not_depend_on_the_order_of_rows(given: list[tuple[int, str, str]], seed: int) -> None:
    history = [Said(f"s{n}", at, summary=text) for n, (at, text, _) in enumerate(given)]
    rows = memories(history, **{f"s{n}": {"cue": cue, "keep": 0.4 + n % 3 / 10} for n, (_, _, cue) in enumerate(given)})
    shuffled = rows.sample(fraction=1, shuffle=True, seed=seed)
    one, other = built(history, rows, 70), built(history[::-1], shuffled, 70, seed=seed)
    assert_frame_equal(one[0], other[0])
    assert_frame_equal(one[1], other[1])
    assert_frame_equal(one[2].rows, other[2].rows)


def test_the_state_is_how_it_came_out_however_little_else_the_sentence_says() -> None:
    story = [Said(f"b{n}", n * 2.0, summary=text) for n, text in enumerate((
        "Bob buys planks for the boat.", "Bob asked the yard for an offer of 900 pounds.", "Bob builds the cabin.",
        "Bob bought paint for 80 pounds in Leith.", "Bob heard much.", "Bob is back at sea.",
    ))]  # fmt: skip
    low: dict[str, dict[str, Any]] = {"b5": {"keep": 0.15, "self_contained": False}, "b4": {"modality": "reported"}}
    _, _, made = built(story, memories(story, **low), 20)
    assert parts(made.rows)[-1] == ("now", "Bob is back at sea.")
    low["b5"]["modality"] = "reported"
    _, _, made = built(story, memories(story, **low), 20)
    assert parts(made.rows)[-1] == ("now", "Bob bought paint for 80 pounds in Leith.")
