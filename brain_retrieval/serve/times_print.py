"""The days of a memory as they are shown: when it was said, since when it holds, the day of an event."""

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brain_retrieval.knowledge.memories.cards import MemoryCard

OF_ONE_DAY = ("event", "plan")


def day(moment: datetime) -> str:
    """Return the day of a moment, as YYYY-MM-DD."""
    return moment.date().isoformat()


def began(card: "MemoryCard") -> str:
    """Return since when a memory holds ("since" a stated day, "on" that of an event), or when it was said.

    A stated day that the sentence shows by itself, in brackets, is not repeated: the day of saying stands then.
    """
    start = day(card.effective_from)
    if card.from_stated and f"[{start}" in card.text and not card.valid_to:
        return day(card.said_at)
    if card.from_stated and card.kind in OF_ONE_DAY and card.effective_from.day > 1:  # the first may stand for a month
        return f"on {start}"
    return f"since {start}" if card.from_stated or card.valid_to else start
