"""`EvidenceItem`: a statement with the features it was judged by, its stance, its rank, and the trust in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.stance.features import StanceFeatures
from brain_retrieval.evidence.stance.judge import Stance

SUPPORT, CONTRADICT, NEITHER = "support", "contradict", "neither"


@dataclass(frozen=True)
class EvidenceItem:
    """One piece of evidence.

    Attributes:
        score: place in the ranking, 0–1; parts: what it is made of (they add up to it but for the limits).
        credibility: of its source, 0–1; trust: in it for the verdict, 0–1.
        copies: how many other sources say it in the same words.
        later: the later statement on the same thing, if that made this one count no more.
    """

    statement: Statement
    features: StanceFeatures
    stance: Stance
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    credibility: float = 0.5
    trust: float = 0.0
    copies: int = 0
    later: str = ""

    @property
    def label(self) -> str:
        return self.stance.label

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        ended = self.statement.ended_by
        value = {
            "stance": self.stance.label,
            "strength": round(self.stance.strength, 3),
            "about": round(self.stance.about, 3),
            "reason": self.stance.reason,
            **self._said(),
            "credibility": round(self.credibility, 3),
            "trust": round(self.trust, 3),
            "score": round(self.score, 3),
            "parts": {name: round(part, 3) for name, part in self.parts.items()},
            "features": self.features.to_json(),
            "copies": self.copies,
        }
        if ended is not None:
            value["ended_by"] = {
                "text": ended.text,
                "uri": ended.uri,
                "span": list(ended.span),
                "since": ended.since.isoformat(),
                "rule": ended.rule,
                "sure": ended.sure,
            }
        return value | ({"later": self.later} if self.later else {})

    def _said(self) -> dict[str, Any]:
        """Return what was said, where, when and by which speaker, and how it was found."""
        one = self.statement
        place = {"source_id": one.source_id, "source": one.source, "uri": one.uri, "span": list(one.span)}
        return {
            "text": one.text,
            "origin": one.origin,
            "status": one.status,
            "citation": {**place, "url": one.url, "memory_id": one.memory_id},
            "said_at": one.said_at.isoformat(),
            "received_at": one.received_at.isoformat(),
            "speaker": one.speaker,
            "source_trust": one.trust,
            "approved": one.approved,
            "found_by": list(one.found_by),
            "path": list(one.path),
        }
