"""Search result records: hits with text, source, score breakdown and times, and the list that carries warnings.

The JSON form is public: names are only ever added. Nothing is searched or ranked here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from brain_retrieval.query.superseded import SupersededBy

if TYPE_CHECKING:
    from brain_retrieval.query.analysis.question import Question
    from brain_retrieval.query.held_hit import HeldHit


@dataclass(frozen=True)
class SourceRef:
    """The source of a passage. `span` is the half-open character range in the cleaned text of the source."""

    source_id: str
    source: str
    uri: str
    span: tuple[int, int]
    chunk_id: str
    title: str | None = None
    section: str | None = None
    page: int | None = None
    time: datetime | None = None
    speaker: str | None = None
    message_ids: tuple[str, ...] = ()
    box: tuple[float, ...] = ()  # left, top, right, bottom as fractions of the page or picture
    start_seconds: float | None = None  # in the recording
    end_seconds: float | None = None
    cells: str | None = None
    url: str | None = None
    fetched_at: datetime | None = None
    parent_id: str | None = None

    @property
    def place(self) -> str:
        """Readable location in the source: page, cells, time in the recording, speaker, section; "" without one."""
        seconds = "–".join(clock(s) for s in (self.start_seconds, self.end_seconds) if s is not None)
        page = f"p. {self.page}" if self.page else ""
        parts = (page, self.cells, seconds, self.speaker if seconds else "", self.section)
        return ", ".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        """Return the reference without the fields that are empty."""
        value = {
            "source_id": self.source_id,
            "source": self.source,
            "uri": self.uri,
            "span": list(self.span),
            "chunk_id": self.chunk_id,
        }
        optional = {
            "title": self.title,
            "section": self.section,
            "page": self.page,
            "time": iso(self.time),
            "speaker": self.speaker,
            "message_ids": list(self.message_ids),
            "box": [round(edge, 4) for edge in self.box],
            "start_seconds": self.start_seconds,
            "end_seconds": self.end_seconds,
            "cells": self.cells,
            "url": self.url,
            "fetched_at": iso(self.fetched_at),
            "parent_id": self.parent_id,
        }
        return value | {key: item for key, item in optional.items() if item not in (None, "", [])}


@dataclass(frozen=True)
class ArmScore:
    """One retriever's scores of a hit. `rank` counts from 1; None if this retriever did not return the hit itself.

    `part` is what it adds to the fused score: the weight's share times the normalised score, or its term of RRF.
    """

    score: float
    normalised: float
    rank: int | None
    weight: float
    part: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "score": round(self.score, 6),
            "normalised": round(self.normalised, 6),
            "rank": self.rank,
            "weight": self.weight,
            "part": round(self.part, 6),
        }


@dataclass(frozen=True)
class WhyRanked:
    """The score breakdown: `final` = (1 - parent weight) * neighbourhood + parent weight * parent + boosts + learned.

    `fused` joins the retrievers' scores; `neighbourhood` is its weighted mean with adjacent chunks of the source;
    `parent` is the best fused score within the source. `learned` is what the trained trees add to that formula, by the
    group of features that it comes from; it is empty if they are switched off.
    """

    arms: dict[str, ArmScore]
    fusion: str
    fused: float
    neighbourhood: float
    parent: float
    boosts: dict[str, float]
    final: float
    learned: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "arms": {name: arm.to_json() for name, arm in self.arms.items()},
            "fusion": self.fusion,
            "fused": round(self.fused, 6),
            "neighbourhood": round(self.neighbourhood, 6),
            "parent": round(self.parent, 6),
            "boosts": {name: round(value, 6) for name, value in self.boosts.items()},
            "final": round(self.final, 6),
            "learned": {name: round(value, 6) for name, value in self.learned.items()},
        }


@dataclass(frozen=True)
class TemporalContext:
    """Event time, receipt time and partition day of a hit, and the as_of and known_at limits of the query.

    `superseded_by` is set if a statement of the hit has ended by then.
    """

    event_at: datetime
    received_at: datetime
    day: str
    as_of: datetime | None = None
    known_at: datetime | None = None
    superseded_by: SupersededBy | None = None

    def to_json(self) -> dict[str, Any]:
        value = {
            "event_at": iso(self.event_at),
            "received_at": iso(self.received_at),
            "day": self.day,
            "as_of": iso(self.as_of),
            "known_at": iso(self.known_at),
        }
        return value | ({"superseded_by": self.superseded_by.to_json()} if self.superseded_by else {})


@dataclass(frozen=True)
class Neighbour:
    """A chunk next to a hit in the same conversation; `offset` is -1 for the previous one, +1 for the next one."""

    offset: int
    text: str
    source_ref: SourceRef

    def to_json(self) -> dict[str, Any]:
        return {"offset": self.offset, "text": self.text, "source_ref": self.source_ref.to_json()}


@dataclass(frozen=True)
class Hit:
    """One retrieved passage. `text` is third-party text: data, never instructions.

    `score` is the probability, 0 to 1, that the passage is relevant; with an embedding model for which none is known it
    is `why_ranked.final`, which only compares the passages of one question.
    """

    rank: int
    score: float
    text: str
    source_ref: SourceRef
    why_ranked: WhyRanked
    temporal_context: TemporalContext
    neighbours: tuple[Neighbour, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public JSON form; times are ISO 8601 in UTC."""
        value = {
            "rank": self.rank,
            "score": round(self.score, 6),
            "text": self.text,
            "source_ref": self.source_ref.to_json(),
            "why_ranked": self.why_ranked.to_json(),
            "temporal_context": self.temporal_context.to_json(),
        }
        return value | ({"neighbours": [n.to_json() for n in self.neighbours]} if self.neighbours else {})


@dataclass(frozen=True)
class Timings:
    """Milliseconds of wall time: embedding the question, the rest of the search, both."""

    embed_ms: float = 0.0
    search_ms: float = 0.0

    @property
    def total_ms(self) -> float:
        return self.embed_ms + self.search_ms

    def to_json(self) -> dict[str, float]:
        return {
            "embed_ms": round(self.embed_ms, 3),
            "search_ms": round(self.search_ms, 3),
            "total_ms": round(self.total_ms, 3),
        }


class SearchResult(list[Hit]):
    """A list of hits, best first, with warnings and timings.

    `nearest` is the best passage below the least score, if that is why the list is empty. `failure` says why nothing
    could be searched; an empty list without one means that nothing was found. `held` is what was found in sources that
    are not trusted, where that was asked for; None if not. `question` is what was read in the question.
    """

    held: "tuple[HeldHit, ...] | None" = None
    question: "Question | None" = None

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        warnings: Iterable[str] = (),
        timings: Timings | None = None,
        nearest: Hit | None = None,
        failure: str = "",
    ) -> None:
        super().__init__(hits)
        self.failure = failure
        self.nearest = nearest
        self.warnings: list[str] = list(warnings)
        self.timings = timings or Timings()

    def to_json(self) -> dict[str, Any]:
        held = {} if self.held is None else {"held": [hit.to_json() for hit in self.held]}
        return {
            "hits": [hit.to_json() for hit in self],
            "warnings": self.warnings,
            "failure": self.failure,
            "timings": self.timings.to_json(),
            "nearest": None if self.nearest is None else self.nearest.to_json(),
            **held,
        }


@dataclass(frozen=True)
class Clocks:
    """The as_of and known_at limits of a query in UTC; None is no limit."""

    as_of: datetime | None = None
    known_at: datetime | None = None


def iso(moment: datetime | None) -> str | None:
    """Return ISO 8601 in UTC, or None."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def clock(seconds: float) -> str:
    """Return a time in a recording as m:ss or h:mm:ss."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def source_ref(row: dict[str, Any]) -> SourceRef:
    """Return the reference of an index row."""
    return SourceRef(
        source_id=row["source_id"],
        source=row["source"],
        uri=row["uri"],
        span=(row["start"], row["end"]),
        chunk_id=row["id"],
        title=row["title"] or None,
        section=row["section"],
        page=row["page"],
        time=row["time"],
        speaker=", ".join(row["speakers"] or ()) or None,
        message_ids=tuple(row["message_ids"] or ()),
        box=tuple(row["box"] or ()),
        start_seconds=row["start_seconds"],
        end_seconds=row["end_seconds"],
        cells=row["cells"],
        url=row["url"],
        fetched_at=row["fetched_at"],
        parent_id=row["parent_id"],
    )


def temporal_context(row: dict[str, Any], clocks: Clocks) -> TemporalContext:
    """Return the times of an index row and the limits of the query."""
    return TemporalContext(row["event_at"], row["received_at"], row["day"], clocks.as_of, clocks.known_at)
