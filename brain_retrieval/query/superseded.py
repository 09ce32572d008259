"""`SupersededBy`: that a statement in a passage has ended, by which newer statement, and how sure that is."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class StatementRef:
    """Where a statement is made: the half-open character range in the cleaned text of a source."""

    source_id: str
    source: str
    uri: str
    span: tuple[int, int]
    title: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the reference without an empty title."""
        value = {"source_id": self.source_id, "source": self.source, "uri": self.uri, "span": list(self.span)}
        return value | ({"title": self.title} if self.title else {})


KNOWN_BY = 20  # characters of a statement by which a text that shows it is known


@dataclass(frozen=True)
class SupersededBy:
    """The newer statement (`text`), and the one of the passage that it ends (`ended_text`, at `ended_span`).

    Attributes:
        source_ref: where the newer statement is made.
        effective_from: from when it holds; said_at: when it was said.
        sure: false if the newer one only speaks of a change.
        rule: why one ends the other, see `knowledge/memories/supersession.py`.
        asked: whether the ended statement is what the question asks for; such a passage comes after the current one.
    """

    text: str
    source_ref: StatementRef
    effective_from: datetime
    said_at: datetime
    sure: bool
    rule: str
    ended_text: str
    ended_span: tuple[int, int]
    asked: bool = False

    def quote(self, passage: str, first: int) -> str:
        """Return the ended statement as it stands in its passage, which begins at character `first` of the source."""
        return " ".join(passage[max(self.ended_span[0] - first, 0) : max(self.ended_span[1] - first, 0)].split())

    def ends_part_of(self, shown: str, passage: str, first: int) -> bool:
        """Return whether what is shown of a passage has the ended statement."""
        quote = self.quote(passage, first)
        return bool(quote) and quote[:KNOWN_BY] in " ".join(shown.split())

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601 in UTC."""
        return {
            "text": self.text,
            "source_ref": self.source_ref.to_json(),
            "effective_from": self.effective_from.astimezone(UTC).isoformat(),
            "said_at": self.said_at.astimezone(UTC).isoformat(),
            "sure": self.sure,
            "rule": self.rule,
            "ended_text": self.ended_text,
            "ended_span": list(self.ended_span),
            "asked": self.asked,
        }
