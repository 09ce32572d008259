"""Placeholders in the place of what was found: `[EMAIL_1]`, the same number for the same value within one source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from brain_pipelines.landing.redaction.patterns import Found, find_patterns
from brain_retrieval.ids import content_id

# Attributes whose values name a message to other sources.
IDENTIFIERS = frozenset({"message_id", "message_ids", "thread_id", "in_reply_to", "references", "uid"})
Finder = Callable[[str], list[Found]]


@dataclass(frozen=True)
class Edit:
    """Characters `start` to `end` of the text before became `put`."""

    start: int
    end: int
    put: str


@dataclass
class Redactor:
    """Redacts the texts of one source; numbers are given in the order in which values are met."""

    find: Finder = find_patterns
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _count: dict[str, int] = field(default_factory=dict)

    def edits(self, text: str, offset: int = 0) -> list[Edit]:
        """Return the edits that redact `text`, in order; `offset` is added to their places."""
        return [Edit(f.start + offset, f.end + offset, self._placeholder(f)) for f in self.find(text)]

    def text(self, text: str) -> str:
        """Return a text without what was found in it."""
        return apply(text, self.edits(text))

    def name(self, name: str) -> str:
        """Return what stands for the name of a person that a structure gave as such: a role or a placeholder."""
        return self.text(name)

    def identifier(self, value: str) -> str:
        """Return an identifier as it is, or a hash of one that looks personal, as those of messages do.

        A placeholder would not do: the same number stands for other values in other sources, and threads would mix.
        """
        return content_id("ref", value) if self.find(value) else value

    def url(self, url: str | None) -> str | None:
        """Return an address with its path, user and the values of its query redacted."""
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
        """Return a plain JSON value with every string in it redacted, keys too."""
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
    """Return the text with the edits made; they are in order and do not overlap."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += [text[position : edit.start], edit.put]
        position = edit.end
    return "".join([*parts, text[position:]])
