"""`Claim`, a sentence to be checked, and its parts. Plain values; nothing is computed here."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Literal, NamedTuple

from brain_retrieval.query.analysis import Resolved

ClaimType = Literal["general", "therapeutic", "causal", "mechanistic", "comparative", "temporal"]
CLAIM_TYPES: tuple[ClaimType, ...] = ("general", "therapeutic", "causal", "mechanistic", "comparative", "temporal")
Agreement = Literal["agree", "conflict", "none"]  # of what is stated with what is claimed
Method = Literal["rules", "parser", "model"]
OPEN = float("inf")


class When(NamedTuple):
    """A stated day, month or year; parts that are not stated are None. `bound`: it is only a bound."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    bound: Literal["", "before", "after"] = ""

    def to_json(self) -> str:
        """Return it in the form of ISO 8601, with "-" for a year that is not stated."""
        parts = ("" if self.year is None else f"{self.year:04}", self.month, self.day)
        mark = {"before": "<", "after": ">"}.get(self.bound, "")
        return mark + "-".join(part if isinstance(part, str) else f"{part:02}" for part in parts if part is not None)


@dataclass(frozen=True)
class Quantity:
    """A stated amount as the range it may lie in, in a base unit: "about 40 %" is 36–44 of "%".

    Attributes:
        dimension: base unit: "%", "EUR", "g", "m", "second"; or the counted noun.
        text: as written; start, end: its characters in the statement.
        factor: of its unit to the base unit.
        strict: it is more, or less, than its bound; rounded: a stated number may stand for others near it.
        counted: the forms of all words that name what is counted.
    """

    dimension: str
    low: float
    high: float
    text: str
    start: int = 0
    end: int = 0
    factor: float = 1.0
    strict: bool = False
    rounded: bool = False
    counted: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        bounds = {"low": None if self.low == -OPEN else self.low, "high": None if self.high == OPEN else self.high}
        return {"dimension": self.dimension, **bounds, "text": self.text}


@dataclass(frozen=True)
class SubClaim:
    """One statement of a claim.

    Attributes:
        text: it on its own, with the subject of the claim if it has none itself.
        subject, action, object: words of it; "" where there is none.
        family: of the action in `opposites.toml`, "" if it is in none; sign: -1 if it is of the opposite.
        negated: whether it denies.
        anchors: 2–5 expressions by which evidence for it is known, the most telling first.
        names: names in it; those after the first may belong to the object.
        then: it speaks of what was so, so that evidence which has ended still counts.
        hedged: it states a possibility.
    """

    text: str
    subject: str
    action: str
    object: str
    family: str = ""
    sign: int = 1
    negated: bool = False
    anchors: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    dates: tuple[When, ...] = ()
    type: ClaimType = "general"
    then: bool = False
    hedged: bool = False
    language: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        own = asdict(self)
        own["quantities"] = [quantity.to_json() for quantity in self.quantities]
        own["polarity"] = "negated" if own.pop("negated") else "affirmed"
        return {
            **own,
            "anchors": list(self.anchors),
            "names": list(self.names),
            "dates": [when.to_json() for when in self.dates],
        }


@dataclass(frozen=True)
class Claim:
    """A claim: its statements, the entities and topics in it, and from when to when it speaks, if it says so."""

    text: str
    key: str  # hash of the text in lower case with single blanks
    statements: tuple[SubClaim, ...]
    entities: tuple[Resolved, ...] = ()
    topics: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    language: str | None = None
    method: Method = "rules"
    warnings: tuple[str, ...] = ()

    @property
    def type(self) -> ClaimType:
        """The type of its first statement that has one beside "general"."""
        found: list[ClaimType] = [one.type for one in self.statements if one.type != "general"]
        return found[0] if found else "general"

    def with_warnings(self, warnings: Iterable[str]) -> "Claim":
        """Return the claim with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "text": self.text,
            "key": self.key,
            "type": self.type,
            "language": self.language,
            "method": self.method,
            "entities": [asdict(entity) for entity in self.entities],
            "topics": list(self.topics),
            "since": None if self.since is None else self.since.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
        }
