"""A memory as it is seen at a moment, with what has ended it and why it is shown, and the order of several.

They are shown by match, then by what they state, then by when they were said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from brain_retrieval.knowledge.memories.facets import Row
from brain_retrieval.knowledge.memories.supersession import Ending

CURRENT, UPCOMING, ENDED, OUTDATED, POSSIBLE = "current", "upcoming", "ended", "perhaps outdated", "possible"


VALUES, SLOT, CUE, RECENCY = 0.1, 0.15, {"strong": 0.12, "weak": 0.06, "none": 0.0}, 0.15
UNSURE = 0.1  # what is not asserted comes after what is
QUESTION = 0.5
INSTEAD = "instead"  # part of a score: the match of the ended memory in whose place this one stands
BESIDE = "beside"  # part of a score: how near a memory without a word of the question is to those that have some
NO_WORDS = (BESIDE, "information", "recency", "certainty")  # parts of a score that are no match


@dataclass(frozen=True)
class Seen:
    """A memory as it is seen at a moment."""

    row: Row
    status: str  # current | upcoming | reported | possible | conditional | question | ended | perhaps outdated
    ended_by: tuple[Ending, ...] = ()
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)  # of the score: words of the topic, information, recency

    @property
    def match(self) -> float:
        """How well its words match the topic, from 0 to 1."""
        return sum(value for name, value in self.parts.items() if name not in NO_WORDS)

    @property
    def holds(self) -> bool:
        """Whether the line is to be taken for true at the moment asked for."""
        return self.status in (CURRENT, UPCOMING)


def ranked(seen: Sequence[Seen]) -> list[Seen]:
    """Return memories with their scores, the best first; equal ones in the order of their ids."""
    newest = sorted(seen, key=lambda each: (each.row["said_at"], each.row["memory_id"]))
    places = {each.row["memory_id"]: place / max(1, len(newest) - 1) for place, each in enumerate(newest)}
    scored = [_scored(each, places[each.row["memory_id"]]) for each in seen]
    return sorted(scored, key=lambda each: (-each.score, each.row["memory_id"]))


def _scored(seen: Seen, recency: float) -> Seen:
    row = seen.row
    parts = {
        **seen.parts,
        "information": (VALUES if row["values"] else 0) + (SLOT if row["slot_attribute"] else 0) + CUE[row["cue"]],
        "recency": RECENCY * recency,
        "certainty": -{"asserted": 0.0, "question": QUESTION}.get(row["modality"], UNSURE),
    }
    return replace(seen, score=round(sum(parts.values()), 6), parts=parts)
