"""`EvidenceReport`: what supports a claim, what contradicts it and what is unknown, with citations and trust."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from brain_retrieval.evidence.candidates.gathering import SearchStep
from brain_retrieval.evidence.claims.claim import Claim, SubClaim
from brain_retrieval.evidence.items import CONTRADICT, NEITHER, SUPPORT, EvidenceItem
from brain_retrieval.evidence.sufficiency import State, Sufficiency
from brain_retrieval.evidence.trust import TrustInterval
from brain_retrieval.evidence.verdict import Verdict
from brain_retrieval.ids import stable_hash

NOTHING = "nothing found decides it"
TOO_WEAK = "what was found is too weak to decide it"


@dataclass(frozen=True)
class Finding:
    """The evidence for one statement of a claim, best first, and the verdict on it.

    Attributes:
        items: the decided ones first chosen; among them at least one that contradicts, if there is one.
        unknown: parts of the statement that no evidence decides, in plain words.
        considered: statements that were judged.
    """

    claim: SubClaim
    verdict: Verdict
    items: tuple[EvidenceItem, ...]
    unknown: tuple[str, ...]
    trust: TrustInterval
    grade: str
    coverage: float
    considered: int
    steps: tuple[SearchStep, ...]

    def of(self, label: str) -> tuple[EvidenceItem, ...]:
        """Return the items of a stance."""
        return tuple(item for item in self.items if item.label == label)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What no evidence decides of a statement that is decided otherwise."""
        return () if self.verdict == "unknown" else self.unknown

    @property
    def failures(self) -> tuple[SearchStep, ...]:
        """The steps of the search that failed."""
        return tuple(step for step in self.steps if step.failure)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        names = {SUPPORT: "supports", CONTRADICT: "contradicts", NEITHER: "related"}
        return {
            "claim": self.claim.to_json(),
            "verdict": self.verdict,
            **{name: [item.to_json() for item in self.of(label)] for label, name in names.items()},
            "unknown": list(self.unknown),
            "trust": {name: round(value, 3) for name, value in asdict(self.trust).items()},
            "grade": self.grade,
            "coverage": round(self.coverage, 3),
            "considered": self.considered,
            "steps": [asdict(step) for step in self.steps],
        }


@dataclass(frozen=True)
class EvidenceReport:
    """The answer to a claim at a time. "unknown" means that nothing decides it; it never means that it is false."""

    claim: Claim
    verdict: Verdict
    state: State
    findings: tuple[Finding, ...]
    sufficiency: Sufficiency
    trust: TrustInterval
    grade: str
    at: datetime
    known_at: datetime | None
    warnings: tuple[str, ...] = ()

    @property
    def undecided(self) -> str:
        """Why an unknown claim is not decided, in plain words; empty for any other verdict."""
        if self.verdict != "unknown":
            return ""
        return TOO_WEAK if any(TOO_WEAK in finding.unknown for finding in self.findings) else NOTHING

    @property
    def digest(self) -> str:
        """A hash of the verdicts and the evidence they rest on, equal for equal ones whenever they were asked for."""
        shown = [
            [one.claim.text, one.verdict, sorted([i.label, i.statement.uri, *i.statement.span] for i in one.items)]
            for one in self.findings
        ]
        return stable_hash([self.claim.key, self.verdict, self.state, shown])

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601. The form is public: names are only ever added."""
        return {
            "claim": self.claim.to_json(),
            "verdict": self.verdict,
            "state": self.state,
            "grade": self.grade,
            "trust": {name: round(value, 3) for name, value in asdict(self.trust).items()},
            "sufficiency": self.sufficiency.to_json(),
            "as_of": self.at.isoformat(),
            "known_at": None if self.known_at is None else self.known_at.isoformat(),
            "statements": [finding.to_json() for finding in self.findings],
            "warnings": list(self.warnings),
            "digest": self.digest,
        }
