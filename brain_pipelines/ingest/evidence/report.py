"""What a request did online: rounds, queries, addresses, what was spent, and why it stopped. Plain values."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from brain_retrieval.evidence.report import EvidenceReport

USED, KNOWN, COPY, BESIDE, FAILED, LEFT_OUT = "used", "known", "copy", "beside the point", "failed", "left out"
KEPT = (USED, KNOWN)  # outcomes of pages whose statements are looked at


@dataclass
class Address:
    """One address that a provider found, and what came of it.

    Attributes:
        outcome: used | known (it was in memory and is fresh) | copy | beside the point | failed | left out.
        reason: why it was not used.
        state: trusted | pending, of a page that is kept.
        uri: of its file in the inbox.
        facts: ids of the memories, or of the statements of a page that is pending, which are about the claim.
    """

    url: str
    provider: str
    round: int
    outcome: str = LEFT_OUT
    reason: str = ""
    final_url: str = ""
    state: str = ""
    uri: str = ""
    bytes: int = 0
    seconds: float = 0.0
    requested: bool = False
    facts: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 2), "facts": list(self.facts)}


@dataclass
class Round:
    """One query: what was found and fetched, and what another query might bring before and after it (0–1)."""

    number: int
    query: str
    made_of: str
    providers: dict[str, int | str] = field(default_factory=dict)  # addresses found, or why it failed
    addresses: list[Address] = field(default_factory=list)
    gain_before: float = 0.0
    gain_after: float = 0.0
    decided: int = 0  # statements that support or contradict, after it
    verdict: str = ""

    @property
    def gain(self) -> float:
        """What the round has settled of what was open."""
        return self.gain_before - self.gain_after

    def to_json(self) -> dict[str, Any]:
        return {
            "round": self.number,
            "query": self.query,
            "made_of": self.made_of,
            "providers": self.providers,
            "addresses": [one.to_json() for one in self.addresses],
            **{name: round(getattr(self, name), 3) for name in ("gain_before", "gain_after", "gain")},
            "decided": self.decided,
            "verdict": self.verdict,
        }


@dataclass
class Online:
    """The online part of a report.

    Attributes:
        source: "memory" if nothing was fetched because the answer is known; "web" otherwise.
        stop: why no further query was asked.
        checked_at: when the web was asked, for an answer from memory that came from there; ISO 8601.
        robots: requests for the rules of hosts; limits: those of the request, by their names in the settings.
        refreshed: addresses whose pages were read now; remembered: those of an answer from memory.
    """

    source: str = "web"
    stop: str = ""
    checked_at: str = ""
    rounds: list[Round] = field(default_factory=list)
    queries: int = 0
    robots: int = 0
    seconds: float = 0.0
    bytes: int = 0
    tokens: int = 0
    limits: dict[str, float] = field(default_factory=dict)
    remembered: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)

    @property
    def addresses(self) -> list[Address]:
        return [one for each in self.rounds for one in each.addresses]

    @property
    def refreshed(self) -> list[str]:
        return sorted({one.final_url or one.url for one in self.addresses if one.outcome == USED})

    @property
    def facts(self) -> list[str]:
        return sorted({fact for one in self.addresses for fact in one.facts})

    def counts(self) -> dict[str, int]:
        """Return how many pages were attempted, succeeded and failed."""
        asked = [one for one in self.addresses if one.requested]
        failed = sum(one.outcome == FAILED for one in asked)
        return {"attempted": len(asked), "succeeded": len(asked) - failed, "failed": failed}

    def reasons(self) -> dict[str, int]:
        """Return why addresses were not used, with how many."""
        return dict(Counter(one.reason for one in self.addresses if one.reason).most_common())

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values. The form is public: names are only ever added."""
        return {
            "source": self.source,
            "stop": self.stop,
            "checked_at": self.checked_at or None,
            "rounds": [one.to_json() for one in self.rounds],
            **self._spent(),
            "refreshed": self.refreshed,
            "remembered": list(self.remembered),
            "facts": self.facts,
            "warnings": list(self.warnings),
        }

    def _spent(self) -> dict[str, Any]:
        return {
            "queries": self.queries,
            "robots": self.robots,
            "addresses": {**self.counts(), "reasons": self.reasons()},
            "seconds": round(self.seconds, 2),
            "bytes": self.bytes,
            "tokens": self.tokens,
            "limits": self.limits,
        }


@dataclass(frozen=True)
class OnlineReport:
    """The report on a claim with what was done online for it."""

    evidence: EvidenceReport
    online: Online

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: those of the report, and "online"."""
        return {**self.evidence.to_json(), "online": self.online.to_json()}
