"""`MemoryCard`: a memory as it is shown, with its status at the asked time, its evidence and why it was chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from brain_retrieval.knowledge.json_values import plain


@dataclass(frozen=True)
class MemoryCard:
    """One memory: a self-contained sentence, from when to when it holds, and the passage it comes from."""

    memory_id: str
    text: str
    kind: str  # one of MEMORY_KINDS
    status: str  # current | ended | perhaps outdated | planned | reported | …: see `view.Seen`
    effective_from: datetime
    from_stated: bool
    valid_to: datetime | None  # stated, or the start of what ended it
    said_at: datetime
    received_at: datetime
    speaker: str | None
    polarity: str
    modality: str
    keep: float  # probability that a reader would want it back
    method: str  # local | llm | agent | owner
    entities: tuple[str, ...]
    values: tuple[tuple[str, str], ...]  # (dimension, value)
    attribute: str | None  # of the subject that it states for sure: "lives_in", "works_at", …
    ended_by: tuple[str, ...]  # memory ids
    source_id: str
    uri: str
    span: tuple[int, int]
    quote: str
    support: int = 1  # independent sources that state it
    score: float = 0.0
    why: Mapping[str, float] = field(default_factory=dict)  # the parts of the score

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return plain({one.name: getattr(self, one.name) for one in fields(self)} | {"why": dict(self.why)})
