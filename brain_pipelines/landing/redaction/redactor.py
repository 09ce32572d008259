"""Replacement of detected values by placeholders such as `[EMAIL_1]`; equal values in a source get the same number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from brain_pipelines.landing.redaction.found import Found
from brain_pipelines.landing.redaction.patterns import find_patterns
from brain_retrieval.ids import content_id

# Attributes whose values identify a message across sources.
IDENTIFIERS = frozenset({"message_id", "message_ids", "thread_id", "in_reply_to", "references", "uid"})
Finder = Callable[[str], list[Found]]


@dataclass(frozen=True)
class Edit:
    """Characters `start` to `end` of the original text are replaced by `put`."""

    start: int
    end: int
    put: str


@dataclass
class Redactor:
    """Redacts the texts of one source; numbers are assigned in order of first occurrence."""

    find: Finder = find_patterns
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _count: dict[str, int] = field(default_factory=dict)

    def edits(self, text: str, offset: int = 0) -> list[Edit]:
        """Return the edits that redact `text`, in order; `offset` is added to their positions."""
        return [Edit(f.start + offset, f.end + offset, self._placeholder(f)) for f in self.find(text)]

    def text(self, text: str) -> str:
        """Return the text with all detected values replaced."""
        return apply(text, self.edits(text))

    def name(self, name: str) -> str:
        """Return the replacement for a person's name from a structured field: a role or a placeholder."""
        return self.text(name)

    def identifier(self, value: str) -> str:
        """Return an identifier unchanged, or a hash of one that contains personal data, as message ids often do.

        A placeholder would not work: the same number means different values in different sources, so threads would mix.
        """
        return content_id("ref", value) if self.find(value) else value

    def url(self, url: str | None) -> str | None:
        """Return a URL with its path, user and query values redacted."""
        if not url:
            return url
        try:
            parts = urlsplit(url)
        except ValueError:
            return self.text(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        clean = [(key, self.text(value)) for key, value in pairs]
        query = parts.query if clean == pairs else urlencode(clean, safe="[]")
        return self.text(urlunsplit(parts._replace(query=query)))

    def value(self, value: Any) -> Any:
        """Return a plain JSON value with every string in it redacted, including keys."""
        if isinstance(value, str):
            return self.url(value) if value.startswith(("http://", "https://")) else self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self._part(key, part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(part) for part in value]
        return value

    def _part(self, key: Any, part: Any) -> Any:
        if key not in IDENTIFIERS:
            return self.value(part)
        many = [self.identifier(one) if isinstance(one, str) else self.value(one) for one in _listed(part)]
        return many if isinstance(part, list | tuple) else many[0]

    def _placeholder(self, found: Found) -> str:
        key = (found.kind, found.key)
        if key not in self._numbers:
            self._count[found.kind] = self._numbers[key] = self._count.get(found.kind, 0) + 1
        return f"[{found.kind}_{self._numbers[key]}]"


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with the edits applied; they must be in order and not overlap."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += [text[position : edit.start], edit.put]
        position = edit.end
    return "".join([*parts, text[position:]])
