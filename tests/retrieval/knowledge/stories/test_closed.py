"""Storylines of what is of high sensitivity are shown to those who ask for them."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import polars as pl

from brain_retrieval.knowledge.cards import Mentioned, Sentence, StorylineCard
from brain_retrieval.knowledge.stories.closed import without_closed

AT = datetime(2026, 1, 5, tzinfo=UTC)
CARD = StorylineCard(
    "s1", "storyline", "e1", "Phoenix", "Phoenix grows", "The budget grew.", True, "active", 0.5, 2, 2, AT, AT, None,
    "extractive",
)  # fmt: skip
SOURCES = pl.DataFrame({"source_id": ["a", "b", "c"], "sensitivity": ["high", "normal", None]})
KNOWLEDGE: Any = SimpleNamespace(table=lambda _name: SOURCES)


def cited(source_id: str) -> tuple[Sentence, ...]:
    return (Sentence(source_id, f"inbox:note/{source_id}", (0, 4)),)


def of(*source_ids: str) -> tuple[Mentioned, ...]:
    return tuple(Mentioned(one, "note", f"inbox:note/{one}", one, AT) for one in source_ids)


def shown(*cards: StorylineCard, question: str | None = None) -> list[str]:
    return [card.id for card in without_closed(KNOWLEDGE, cards, question)]


def test_what_quotes_such_a_source_or_consists_of_them_is_left_out() -> None:
    quoting = replace(CARD, id="quoting", citations=cited("a"), sources=of("a", "b", "c"))
    half = replace(CARD, id="half", citations=cited("b"), sources=of("a", "b"))
    third = replace(CARD, id="third", citations=cited("b"), sources=of("a", "b", "c"))
    group = replace(CARD, id="group", level="macro", storyline_ids=("half", "third"))
    assert shown(quoting, half, third, group) == ["third"]


def test_a_question_with_its_name_asks_for_it() -> None:
    quoting = replace(CARD, citations=cited("a"))
    assert shown(quoting, question="How is Phoenix going?") == ["s1"]
    assert shown(quoting, question="What about the budget?") == []
