"""Quote lookup: finds the span of quoted words in a text, ignoring case, white space and the form of quotation marks.

Quotes with a few miscopied letters are found by fuzzy matching.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from brain_retrieval.language.folding import fold_with_places

# Minimum length for fuzzy matching: shorter quotes match by accident.
FUZZY_CHARS = 12
FUZZY_SCORE = 90.0

Span = tuple[int, int]


@dataclass(frozen=True)
class Quotable:
    """A text with cached quote lookup."""

    text: str
    _found: dict[str, Span | None] = field(default_factory=dict, compare=False)

    def find(self, quote: str) -> Span | None:
        """Return the first span of `quote`, with whole words at both ends, or None."""
        if quote not in self._found:
            self._found[quote] = next(self.every(quote), None) or self._similar(quote)
        return self._found[quote]

    def every(self, quote: str) -> Iterator[Span]:
        """Yield every span of `quote`, ignoring case, white space and the form of quotation marks."""
        folded, places = self._folded
        wanted = fold_with_places(quote)[0].strip(" ")
        position = folded.find(wanted) if wanted else -1
        while position >= 0:
            end = position + len(wanted)
            if _is_whole(folded, position, end):
                yield places[position], places[end - 1] + 1
            position = folded.find(wanted, position + 1)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return fold_with_places(self.text)

    def _similar(self, quote: str) -> Span | None:
        from rapidfuzz import fuzz

        folded, places = self._folded
        wanted = fold_with_places(quote)[0].strip(" ")
        if not FUZZY_CHARS <= len(wanted) <= len(folded):
            return None
        best = fuzz.partial_ratio_alignment(wanted, folded, score_cutoff=FUZZY_SCORE)
        if best is None or best.dest_end <= best.dest_start:
            return None
        start, end = best.dest_start, best.dest_end
        while start > 0 and folded[start - 1].isalnum() and folded[start].isalnum():
            start -= 1
        while end < len(folded) and folded[end - 1].isalnum() and folded[end].isalnum():
            end += 1
        trimmed = folded[start:end]
        start += len(trimmed) - len(trimmed.lstrip())
        end -= len(trimmed) - len(trimmed.rstrip())
        return places[start], places[end - 1] + 1


def _is_whole(folded: str, start: int, end: int) -> bool:
    """Return whether the span does not cut a word; scripts without spaces are not checked."""
    before = start > 0 and folded[start].isalnum() and folded[start - 1].isalnum() and folded[start].isascii()
    after = end < len(folded) and folded[end].isalnum() and folded[end - 1].isalnum() and folded[end - 1].isascii()
    return not before and not after
