"""`Statement`, a sentence of a source that may bear on a claim, with where and when it was made. Plain values."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from brain_retrieval.evidence.claims.claim import When

Origin = Literal["passage", "memory", "path"]
HALF_RANK = 5
CURRENT, ENDED, OUTDATED = "current", "ended", "perhaps outdated"


def rank_score(rank: int) -> float:
    """Return the score of a rank, counted from 0: 1, and half of it five ranks later."""
    return 1.0 / (1.0 + rank / HALF_RANK)


def rank_of(score: float) -> int:
    """Return the rank that has a score."""
    return round(HALF_RANK * (1.0 / score - 1.0))


@dataclass(frozen=True)
class EndedBy:
    """The newer statement that ended one, by which rule of `knowledge/memories/supersession.py`."""

    text: str
    uri: str
    span: tuple[int, int]
    since: datetime
    rule: str
    sure: bool


@dataclass(frozen=True)
class Statement:
    """A sentence and its provenance.

    Attributes:
        context: what it stands under: title of the source, speaker, names that its pronouns stand for.
        speaker: "user" for the owner.
        day: of the partition that the source is in, "" if it is not known.
        span: half-open character range in the cleaned text of the source.
        trust: of the source: own, owner, agent, external; `validated`: you or the settings trust its domain;
            `approved`: False for a page that waits for an approval, which counts less.
        status: at the time asked about: current, ended, perhaps outdated, upcoming, reported, possible, …
        whens: dates that are known of it beyond its words.
        path: the relations of the graph that lead to it, as text; strength: of that path, 0–1.
        found_by: steps of the search that found it.
        place: of its passage in the plain search for the whole claim, 0 for the first; None: not found by it.
        whole: False for the beginning of a passage in which no sentence is found; it decides nothing.
        score: by its rank in the search for the whole claim, 1 for the first; half of that in other searches.
    """

    text: str
    origin: Origin
    source_id: str
    source: str
    uri: str
    span: tuple[int, int]
    said_at: datetime
    received_at: datetime
    day: str = ""
    context: str = ""
    title: str | None = None
    speaker: str | None = None
    url: str | None = None
    language: str | None = None
    trust: str = "external"
    validated: bool = False
    approved: bool = True
    modality: str | None = None
    status: str = CURRENT
    ended_by: EndedBy | None = None
    valid_to: datetime | None = None
    whens: tuple[When, ...] = ()
    path: tuple[str, ...] = ()
    strength: float = 0.0
    memory_id: str | None = None
    place: int | None = None
    whole: bool = True
    score: float = 0.0
    found_by: tuple[str, ...] = field(default=())

    @property
    def key(self) -> tuple[str, int, int]:
        """Identity of the place where it is made."""
        return self.source_id, *self.span
