"""Records of a context pack: the text, the passages in it, what was dropped, and their JSON form."""

from dataclasses import dataclass, field
from typing import Any

from brain_retrieval.query.hits import Hit, Timings


@dataclass(frozen=True)
class ContextItem:
    """A passage in the pack. `citation` is the number of its entry; passages of one source can share one.

    `tokens` counts what the passage added to the text. `shown` is its text there if it was cut, and `cut` says how.
    """

    citation: int
    tokens: int
    hit: Hit
    shown: str = ""
    cut: str = ""

    def to_json(self) -> dict[str, Any]:
        value = {"kind": "evidence", "citation": self.citation, "tokens": self.tokens, **self.hit.to_json()}
        return value | ({"shown": self.shown, "cut": self.cut} if self.cut else {})


@dataclass(frozen=True)
class KnownItem:
    """A line about what is known: a memory, an entity, a relationship, a note or a cross reference."""

    kind: str
    text: str
    tokens: int
    id: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "id": self.id, "text": self.text, "tokens": self.tokens}


@dataclass(frozen=True)
class Dropped:
    """A hit that was left out, and why: over the budget, or a near duplicate."""

    hit: Hit
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {"rank": self.hit.rank, "source_ref": self.hit.source_ref.to_json(), "reason": self.reason}


@dataclass(frozen=True)
class ContextPack:
    """The text for a model, the passages and items in it, and those left out. `total_tokens` counts all of `text`."""

    text: str
    items: tuple[ContextItem, ...]
    total_tokens: int
    max_tokens: int
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    timings: Timings = field(default_factory=Timings)
    known: tuple[KnownItem, ...] = ()
    known_dropped: tuple[str, ...] = ()
    known_ms: float = 0.0
    pack_ms: float = 0.0
    nonce: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "nonce": self.nonce,
            "items": [item.to_json() for item in self.items],
            "known": [item.to_json() for item in self.known],
            "total_tokens": self.total_tokens,
            "max_tokens": self.max_tokens,
            "dropped": [drop.to_json() for drop in self.dropped],
            "known_dropped": list(self.known_dropped),
            "warnings": list(self.warnings),
            "timings": {
                **self.timings.to_json(),
                "known_ms": round(self.known_ms, 3),
                "pack_ms": round(self.pack_ms, 3),
            },
        }
