"""Entries of which a later one says the same with another value: "We use Postgres for billing", then "… MySQL …"."""

import re
from collections.abc import Sequence

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.language.content_words import WORD
from brain_retrieval.language.folding import fold

_ADDED = re.compile(r"\[[^\[\]]{0,80}\]")  # days that were worked out, headings
MOST_EXCHANGED = 3  # words on each side
LEAST_SHARE = 0.7  # of the words of the longer one that both have


def exchanges_value(one: str, other: str) -> bool:
    """Return whether two sentences are the same but for a few words in one place.

    >>> exchanges_value("We use Postgres for the billing service.", "We use MySQL for the billing service.")
    True
    >>> exchanges_value("I like jazz.", "I like opera in summer.")
    False
    """
    left, right = (WORD.findall(fold(_ADDED.sub("", text))) for text in (one, other))
    start = _alike(left, right)
    end = _alike(left[start:][::-1], right[start:][::-1])
    exchanged = (len(left) - start - end, len(right) - start - end)
    if not 0 < min(exchanged) <= max(exchanged) <= MOST_EXCHANGED:
        return False
    return start + end >= LEAST_SHARE * max(len(left), len(right))


def newest_of(card: MemoryCard, entries: Sequence[MemoryCard]) -> MemoryCard:
    """Return the latest of `entries` that exchanges a value of the card, the card itself if there is none.

    Args:
        card: of an entry, which someone chose to write down.
        entries: others of the kind.
    """
    later = (one for one in entries if one.said_at > card.said_at and one.kind == card.kind)
    return max((one for one in later if exchanges_value(card.text, one.text)), key=_when, default=card)


def _when(card: MemoryCard) -> tuple[object, str]:
    return card.said_at, card.memory_id


def _alike(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many words two lists have in common from their beginning."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))
