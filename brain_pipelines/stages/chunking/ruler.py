"""Sizes of spans of one text, in tokens or characters, without tokenising each span.

The text is tokenised once; the size of a span is the number of tokens it touches, found by bisection. Cutting inside a
word may add a token at the edge; `exact` tokenises the span and is slower.
"""

import re
from bisect import bisect_left, bisect_right
from typing import Protocol

Span = tuple[int, int]  # characters, half-open

# WordPiece calls a run of more than 100 characters without a space one unknown token; a megabyte of base64 would
# be one "token". Text of any language has fewer characters a token than this.
MAX_CHARS_A_TOKEN = 16
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Counter(Protocol):
    """Counts and locates the tokens of a text; see `brain_retrieval.models.embedding.tokenizer`."""

    def count(self, text: str) -> int: ...

    def spans(self, text: str) -> list[Span]: ...


class RememberingCounter:
    """A counter with a cache, so that a piece is tokenised once. Use one for each text, since it keeps the pieces."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = self._counter.count(text)
        return self._counts[text]

    def spans(self, text: str) -> list[Span]:
        return self._counter.spans(text)


class CharacterRuler:
    """Sizes in characters."""

    def __init__(self, text: str) -> None:
        self.text = text

    def size(self, start: int, end: int) -> int:
        return end - start

    def exact(self, start: int, end: int) -> int:
        return end - start

    def reach(self, start: int, size: int) -> int:
        """Return the greatest end such that `size(start, end)` is at most `size`, at least one character on."""
        return min(len(self.text), start + max(1, size))

    def back(self, end: int, size: int) -> int:
        """Return the least start such that `size(start, end)` is at most `size`."""
        return max(0, end - size)


class TokenRuler:
    """Sizes in tokens of a real tokenizer."""

    def __init__(self, text: str, counter: Counter) -> None:
        self.text, self._counter = text, counter
        # Tokenizers take UTF-8, which has no halves of a surrogate pair; the length stays.
        self._readable = _SURROGATE.sub("\ufffd", text)
        spans = counter.spans(self._readable)
        self._starts, self._ends = [s for s, _ in spans], [e for _, e in spans]

    def size(self, start: int, end: int) -> int:
        tokens = bisect_left(self._starts, end) - bisect_right(self._ends, start)
        return max(tokens, -(-(end - start) // MAX_CHARS_A_TOKEN))

    def exact(self, start: int, end: int) -> int:
        return max(self._counter.count(self._readable[start:end]), -(-(end - start) // MAX_CHARS_A_TOKEN))

    def reach(self, start: int, size: int) -> int:
        first = bisect_right(self._ends, start)
        after = first + max(1, size)
        end = self._starts[after] if after < len(self._starts) else len(self.text)
        return max(start + 1, min(end, start + max(1, size) * MAX_CHARS_A_TOKEN))

    def back(self, end: int, size: int) -> int:
        first = bisect_left(self._starts, end) - size
        start = self._starts[first] if size and 0 <= first < len(self._starts) else (0 if size else end)
        return max(start, end - size * MAX_CHARS_A_TOKEN)


Ruler = CharacterRuler | TokenRuler
