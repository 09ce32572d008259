"""Retrieval echoes: repetitions by machines are detected; new content and speech of people are not echoes."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_pipelines.knowledge.memory.retrieval_echoes import find_echoes
from brain_retrieval.ids import content_id
from brain_retrieval.stores.memory_tables import ECHOES
from tests.pipelines.knowledge.memory.agents import FACT, session, shown, texts

SHORT = "Bob likes tea."


def echoed(words: str, passage: str = FACT, *, speaker: str = "assistant", kind: str = "agent-output") -> list[str]:
    """Return the sentences of one turn that are echoes of a passage shown the day before."""
    said = session("s", ("user", "Tell me."), (speaker, words), kind=kind)
    found = find_echoes(texts(said), shown((passage, 0)))
    return [said["text"][row["start"] : row["end"]] for row in found.sort("start").iter_rows(named=True)]


def test_empty_input_gives_empty_output() -> None:
    empty = find_echoes(texts(), shown())
    assert empty.schema == pl.DataFrame(ECHOES.empty_table()).schema
    assert find_echoes(texts(session("s", ("assistant", FACT))), shown()).equals(empty)


def test_repetition_is_found_with_its_span() -> None:
    said = session("s", ("user", "Who leads it?"), ("assistant", f"Sure. {FACT} Shall I write to her?"))
    (row,) = find_echoes(texts(said), shown((FACT, 0))).to_dicts()
    assert said["text"][row["start"] : row["end"]] == FACT
    assert (row["source_id"], row["of_source_id"], row["similarity"]) == ("s", "note", 1.0)
    assert row["echo_id"] == content_id("echo", "s", row["start"], row["end"])


@pytest.mark.parametrize(
    "words",
    [FACT.upper(), f"- {FACT[:-1]} [1]", f"According to your notes, {FACT}", f"{FACT[:-1]}, as mentioned earlier.",
     "**Project Phoenix** is led by _Nina_ since the launch", "Project Phoenix is led by Nina since the launch."],
)  # fmt: skip
def test_spelling_punctuation_and_attribution_do_not_hide_an_echo(words: str) -> None:
    assert echoed(words) == [words]


@pytest.mark.parametrize(
    "words",
    [FACT.replace("Nina", "Omar"), FACT.replace("first", "second"), FACT.replace("is led", "is not led"),
     f"{FACT[:-1]} 2025.", f"{FACT[:-1]}, not before.", FACT.replace("April", "June"), "Nina leads Project Phoenix.",
     "Yes, of course.", "Ok.", f"Bob left, and {FACT}"],
)  # fmt: skip
def test_sentence_with_other_or_more_content_is_no_echo(words: str) -> None:
    assert echoed(words) == []


def test_only_the_sentences_that_repeat_are_echoes() -> None:
    assert echoed(f"{FACT} Omar told me that he will take over in May.\n- {FACT}") == [FACT, f"- {FACT}"]


def test_short_sentence_must_match_a_whole_sentence() -> None:
    assert echoed(SHORT, f"Ana: {SHORT} He says so.") == [SHORT]
    assert echoed(SHORT, "I doubt that Bob likes tea.") == []
    assert echoed("Bob likes.", "Bob likes.") == []


def test_cjk_characters_are_words() -> None:
    assert echoed("项目凤凰由尼娜领导。", "昨天说：项目凤凰由尼娜领导。") == ["项目凤凰由尼娜领导。"]


@pytest.mark.parametrize(
    ("speaker", "kind", "caught"),
    [("assistant", "agent-output", True), ("tool search", "agent-output", True), ("planner-7", "agent-output", True),
     ("assistant", "conversation", True), ("bot", "message", True), ("Assistant", "conversation", True),
     ("Alice Chen", "conversation", False), ("user", "agent-output", False), ("Alice", "agent-output", False),
     ("planner-7", "conversation", False), ("assistant", "note", False), ("assistant", "email", False)],
)  # fmt: skip
def test_only_machine_turns_are_echoes(speaker: str, kind: str, caught: bool) -> None:
    assert echoed(FACT, speaker=speaker, kind=kind) == ([FACT] if caught else [])


def test_a_name_beside_an_assistant_is_a_person() -> None:
    said = session("s", ("mei", FACT), ("assistant", FACT))
    assert find_echoes(texts(said), shown((FACT, 0)))["start"].to_list() == [said["text"].rindex(FACT)]


@pytest.mark.parametrize(("at", "caught"), [(-31, False), (-28, True), (0.999, True), (1.0, True), (1.01, False)])
def test_only_recent_earlier_retrievals_count(at: float, caught: bool) -> None:
    said = session("s", ("assistant", FACT), at=1)
    assert (find_echoes(texts(said), shown((FACT, at))).height == 1) is caught


def test_session_without_turn_times_may_last_a_day() -> None:
    turns = [("user", "Who leads it?"), ("assistant", FACT)]
    assert find_echoes(texts(session("s", *turns, clock=False)), shown((FACT, 1.2))).height == 1
    assert find_echoes(texts(session("s", *turns)), shown((FACT, 1.2))).is_empty()


def test_a_source_does_not_echo_itself() -> None:
    said = texts(session("s", ("assistant", FACT)))
    own = shown((FACT, 0.5), source_id="s")
    assert find_echoes(said, own).is_empty()
    assert find_echoes(said, pl.concat([shown((FACT, 0.1)), own]))["of_source_id"].to_list() == ["note"]


WORDS = st.sampled_from("nina leads phoenix since april and omar left berlin in may not".split())
LINES = st.lists(WORDS, min_size=1, max_size=14).map(lambda words: " ".join(words).capitalize() + ".")
SAID = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), LINES, st.integers(0, 40)), min_size=1, max_size=8)


@given(SAID, st.lists(st.tuples(LINES, st.integers(0, 40)), max_size=8), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_echoes_do_not_depend_on_order_and_exclude_people(
    said: list[tuple[str, str, int]], passages: list[tuple[str, int]], random: Any
) -> None:
    sessions = [session(f"s{n}", (who, words), at=at) for n, (who, words, at) in enumerate(said)]
    seen = pl.concat([shown(p, source_id=f"n{n}") for n, p in enumerate(passages)] or [shown()])
    first = find_echoes(texts(*sessions), seen)
    random.shuffle(sessions)
    assert find_echoes(texts(*sessions), seen.sample(fraction=1, shuffle=True, seed=3)).equals(first)
    people = {f"s{n}" for n, (who, _, _) in enumerate(said) if who == "user"}
    assert not people & set(first["source_id"])
    for n, (who, words, at) in enumerate(said):
        exact = any(words == text and 0 <= at - when <= 30 for text, when in passages)
        if who == "assistant" and exact and len(words.split()) >= 3:
            assert f"s{n}" in set(first["source_id"])
