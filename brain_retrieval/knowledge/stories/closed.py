"""Storylines of what is of high sensitivity: they wait for the name of what they are about."""

from collections.abc import Collection, Iterable

import polars as pl

from brain_retrieval.knowledge.cards import StorylineCard
from brain_retrieval.knowledge.memory_states import HIGH
from brain_retrieval.knowledge.opened import Opened
from brain_retrieval.language.content_words import content_words

CLOSED_SHARE = 0.5  # of the sources of a storyline, from which on all of it is of high sensitivity


def closed_sources(sources: pl.DataFrame | None) -> frozenset[str]:
    """Return the ids of sources (source_id, sensitivity) of high sensitivity; none where that is not known."""
    if sources is None or "sensitivity" not in sources.columns:
        return frozenset()
    return frozenset(sources.filter(pl.col("sensitivity") == HIGH)["source_id"].to_list())


def without_closed(
    knowledge: Opened, cards: Iterable[StorylineCard], question: str | None = None
) -> list[StorylineCard]:
    """Return the storylines to show to those who have asked for none of them by name.

    Left out are those that quote a source of high sensitivity, and those of which at least half of the sources are
    such; a macro with one of these too. A word of the question in the name of what a storyline is about asks for it.
    """
    cards, closed = list(cards), closed_sources(knowledge.table("known_sources"))
    hidden = {card.id for card in cards if _is_closed(card, closed)}
    hidden |= {card.id for card in cards if not hidden.isdisjoint(card.storyline_ids)}
    asked = set(content_words(question or ""))
    return [card for card in cards if card.id not in hidden or not asked.isdisjoint(content_words(card.anchor))]


def _is_closed(card: StorylineCard, closed: Collection[str]) -> bool:
    if any(one.source_id in closed for one in card.citations):
        return True
    sources = [one.source_id in closed for one in card.sources]
    return bool(sources) and sum(sources) >= CLOSED_SHARE * len(sources)
