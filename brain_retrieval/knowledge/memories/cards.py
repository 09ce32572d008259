"""`MemoryCard`: a memory as it is shown, with its status at the asked time, its evidence and why it was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.knowledge.memories.seen import CURRENT, ENDED, Seen
from brain_retrieval.knowledge.memory_states import NORMAL


@dataclass(frozen=True)
class MemoryCard:
    """One memory: a self-contained sentence, from when to when it holds, and the passage it comes from."""

    memory_id: str
    text: str
    kind: str  # one of MEMORY_KINDS
    status: str  # current | upcoming | ended | perhaps outdated | possible | …: see `seen.Seen`
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
    attribute_value: str | None = None  # "Lagos" of "lives_in"
    score: float = 0.0
    why: Mapping[str, float] = field(default_factory=dict)  # the parts of the score
    subject: str | None = None  # of the attribute
    sensitivity: str = NORMAL  # low | normal | high

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return plain({one.name: getattr(self, one.name) for one in fields(self)} | {"why": dict(self.why)})


def card_of(
    seen: Seen,
    *,
    score: float | None = None,
    why: Mapping[str, float] | None = None,
    support: int = 1,
    begun: Mapping[str, datetime] | None = None,
) -> MemoryCard:
    """Return a memory of the view as a card; `begun` tells from when the memories hold that may have ended it."""
    row = seen.row
    ends = [begun[one.memory_id] for one in seen.ended_by if begun and one.memory_id in begun]
    return MemoryCard(
        memory_id=row["memory_id"],
        text=row["text"],
        kind=row["kind"],
        status=seen.status,
        effective_from=row["effective_from"],
        from_stated=row["from_stated"],
        valid_to=row["valid_to"] or (min(ends, default=None) if seen.status == ENDED else None),
        said_at=row["said_at"],
        received_at=row["received_at"],
        speaker=row["speaker"],
        polarity=row["polarity"],
        modality=row["modality"],
        keep=row["keep"],
        method=row["method"],
        entities=tuple(dict.fromkeys(entity["name"] for entity in row["entities"] or ())),
        values=_values(row["values"] or ()),
        attribute=row["slot_attribute"],
        attribute_value=row["slot_value"],
        ended_by=tuple(one.memory_id for one in seen.ended_by),
        source_id=row["source_id"],
        uri=row["uri"],
        span=(row["start"], row["end"]),
        quote=row["evidence"],
        support=support,
        score=seen.score if score is None else score,
        why=seen.parts if why is None else why,
        subject=row["slot_subject"],
        sensitivity=row["sensitivity"] or NORMAL,
    )


def _values(values: Sequence[Mapping[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((value["dimension"], value["value"]) for value in values)


def card_in_list(score: float, why: Mapping[str, float], one: Seen, *, support: int) -> MemoryCard:
    """Return the card of a memory of the list, which holds or has happened, whatever was said since."""
    return card_of(replace(one, status=CURRENT, ended_by=()), score=score, why=why, support=support)
