"""Lookup of quoted words in a text, ignoring case, white space and the form of quotation marks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from brain_retrieval.language.folding import fold_with_places

Span = tuple[int, int]


@dataclass(frozen=True)
class Quotable:
    """A text, folded once for all lookups."""

    text: str

    def holds(self, quote: str) -> bool:
        """Return whether `quote` occurs."""
        return next(self.every(quote), None) is not None

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


def _is_whole(folded: str, start: int, end: int) -> bool:
    """Return whether the span does not cut a word; scripts without spaces are not checked."""
    before = start > 0 and folded[start].isalnum() and folded[start - 1].isalnum() and folded[start].isascii()
    after = end < len(folded) and folded[end].isalnum() and folded[end - 1].isalnum() and folded[end - 1].isascii()
    return not before and not after
