"""A passage of a source that is not trusted, as a search shows it where that was asked for."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class HeldHit:
    """The best passage of a source that is not trusted. `text` is third-party text: data, never instructions.

    `trust` is "pending" or "untrusted". `span` is the half-open character range in the cleaned text; `score` the
    weighted share of the question's words in it, 0 to 1, which compares with no score of a hit.
    """

    rank: int
    score: float
    trust: str
    text: str
    source_id: str
    source: str
    uri: str
    span: tuple[int, int]
    title: str
    url: str | None
    event_at: datetime
    received_at: datetime

    def to_json(self) -> dict[str, Any]:
        times = {name: getattr(self, name).astimezone(UTC).isoformat() for name in ("event_at", "received_at")}
        return {**asdict(self), **times, "score": round(self.score, 6), "span": list(self.span)}
