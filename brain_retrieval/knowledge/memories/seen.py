"""A memory as it is seen at a moment, with what has ended it and why it is shown."""

from dataclasses import dataclass, field

from brain_retrieval.knowledge.memories.facets import Row
from brain_retrieval.knowledge.memories.supersession import Ending

CURRENT, UPCOMING, ENDED, OUTDATED, POSSIBLE = "current", "upcoming", "ended", "perhaps outdated", "possible"


NO_WORDS = ("information", "recency", "certainty")  # parts of a score that are no match


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
