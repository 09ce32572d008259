"""Near-duplicate detection among passages: word shingles, or overlapping spans of one source. Pure functions."""

import re
from functools import lru_cache

from brain_retrieval.query.hits import Hit

SHINGLE = 3  # words
THRESHOLD = 0.8  # containment (share of the new passage's shingles) from which it is a duplicate
OVERLAP = 0.5  # share of the shorter span from which it is a duplicate


class DuplicateFilter:
    """The passages accepted so far. `twin` is linear in their number, which the token budget bounds."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, Hit, frozenset[tuple[str, ...]]]] = []

    def add(self, hit: Hit, citation: int) -> None:
        self._taken.append((citation, hit, shingles(hit.text)))

    def twin(self, hit: Hit) -> int | None:
        """Return the citation of an accepted passage that `hit` nearly repeats, or None."""
        own = shingles(hit.text)
        for citation, taken, theirs in self._taken:
            if span_overlap(hit, taken) >= OVERLAP:
                return citation
            if containment(own, theirs) >= THRESHOLD and numbers(hit.text) <= numbers(taken.text):
                return citation
        return None


def distinct(hits: list[Hit], limit: int) -> list[Hit]:
    """Return the first `limit` hits without those that nearly repeat one before them."""
    taken, seen = list[Hit](), DuplicateFilter()
    for hit in hits:
        if len(taken) == limit:
            break
        if seen.twin(hit) is None:
            taken.append(hit)
            seen.add(hit, len(taken))
    return taken


@lru_cache(maxsize=1024)
def numbers(text: str) -> frozenset[str]:
    """Return the numbers of `text`: two passages that differ in a date or an amount say different things."""
    return frozenset(re.findall(r"\d+", text))


@lru_cache(maxsize=1024)  # a passage is compared before it is taken and with each one after it
def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the case-folded three-word shingles of `text`; a shorter text is one shingle."""
    # Texts without words ("👍", "👎") are compared as they are.
    words = re.findall(r"\w+", text.lower()) or text.split()
    if len(words) < SHINGLE:
        return frozenset([tuple(words)])
    return frozenset(zip(*(words[place:] for place in range(SHINGLE)), strict=False))


def containment(own: frozenset[tuple[str, ...]], theirs: frozenset[tuple[str, ...]]) -> float:
    """Return |own ∩ theirs| / |own| in [0, 1] (Broder 1997): how much of the new passage the other one contains."""
    return len(own & theirs) / len(own)


def span_overlap(one: Hit, two: Hit) -> float:
    """Return the overlap of two spans over the shorter one's length, in [0, 1]; 0 for different sources."""
    if one.source_ref.source_id != two.source_ref.source_id:
        return 0.0
    (a, b), (c, d) = one.source_ref.span, two.source_ref.span
    return max(0, min(b, d) - max(a, c)) / max(1, min(b - a, d - c))
