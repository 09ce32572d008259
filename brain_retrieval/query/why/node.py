"""`Why` and its parts: plain records of where something comes from and what depends on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from brain_retrieval.knowledge.json_values import plain


@dataclass(frozen=True)
class MadeBy:
    """Which stage made a row, in which version, under which settings.

    Attributes:
        models: named parts of its settings, such as "model" and "prompt"; empty for rules alone.
        at: when the day was last computed; None if the record of that run is not there any more.
    """

    stage: str
    code_version: str
    config_hash: str
    models: Mapping[str, str] = field(default_factory=dict)
    at: datetime | None = None


@dataclass(frozen=True)
class LineageNode:
    """One thing, what it is made of (`below`), and how many more there are than are listed (`more`).

    Attributes:
        kind: memory | relation | name | storyline | macro | note | mention | answer | claim | sentence | passage |
            source | text | original | arrival.
        id: by which `Brain.why` finds it, "" if it has none of its own.
        text: what it says, in its own words.
        facts: what else is known of it, in the order to show.
        source: (source id, first character, character after the last) of the place to open, if it has one.
    """

    kind: str
    id: str = ""
    text: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    made: MadeBy | None = None
    below: tuple["LineageNode", ...] = ()
    more: int = 0
    source: tuple[str, int, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        made = None if self.made is None else plain(vars(self.made) | {"models": dict(self.made.models)})
        place = None if self.source is None else {"source_id": self.source[0], "span": list(self.source[1:])}
        return {
            "kind": self.kind,
            "id": self.id,
            "text": self.text,
            "facts": dict(self.facts),
            "made": made,
            "place": place,
            "below": [one.to_json() for one in self.below],
            "more": self.more,
        }


@dataclass(frozen=True)
class Dependents:
    """Things of one kind that depend on what was asked about: how many, and the first of them."""

    name: str  # in words: "statements", "ended by it", …
    total: int
    items: tuple[LineageNode, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        shown = [{"kind": one.kind, "id": one.id, "text": one.text, "facts": dict(one.facts)} for one in self.items]
        return {"name": self.name, "total": self.total, "items": shown}


@dataclass(frozen=True)
class Why:
    """What was asked about, with what it is made of below it, and what depends on it."""

    asked: str
    root: LineageNode
    above: tuple[Dependents, ...] = ()
    others: tuple[str, ...] = ()  # other ids that the same words could mean
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601. The form is public: names are only ever added."""
        return {
            "asked": self.asked,
            **self.root.to_json(),
            "above": [group.to_json() for group in self.above],
            "others": list(self.others),
            "warnings": list(self.warnings),
        }


def cut(node: LineageNode, depth: int) -> LineageNode:
    """Return a node with at most `depth` levels below it; what is left out is counted in `more`."""
    if depth <= 0:
        return replace(node, below=(), more=node.more + len(node.below))
    return replace(node, below=tuple(cut(one, depth - 1) for one in node.below))
