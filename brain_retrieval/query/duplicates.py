"""Which passages say nearly the same: the same words, or the same stretch of the same source. Pure, no store."""

import re

from brain_retrieval.query.hits import Hit

SHINGLE = 3  # words
THRESHOLD = 0.8  # share of the new passage that is said already
OVERLAP = 0.5  # share of the shorter span


class DuplicateFilter:
    """Passages taken so far. `twin` is linear in their number, which a token budget bounds."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, Hit, frozenset[tuple[str, ...]]]] = []

    def add(self, hit: Hit, citation: int) -> None:
        self._taken.append((citation, hit, shingles(hit.text)))

    def twin(self, hit: Hit) -> int | None:
        """Return the citation of a passage taken before that `hit` nearly repeats, or None."""
        own = shingles(hit.text)
        for citation, taken, theirs in self._taken:
            if span_overlap(hit, taken) >= OVERLAP or containment(own, theirs) >= THRESHOLD:
                return citation
        return None


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of three words in `text`, case aside; a shorter text is one run, never none."""
    # "👍" and "👎" hold no word, and are not the same.
    words = re.findall(r"\w+", text.lower()) or text.split()
    return frozenset(tuple(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1)))


def containment(own: frozenset[tuple[str, ...]], theirs: frozenset[tuple[str, ...]]) -> float:
    """Return the share of `own` runs that occur in `theirs`, in [0, 1]: is the new passage already said?"""
    return len(own & theirs) / len(own)


def span_overlap(one: Hit, two: Hit) -> float:
    """Return the share of the shorter span that both cover; 0 for different sources."""
    if one.source_ref.source_id != two.source_ref.source_id:
        return 0.0
    (a, b), (c, d) = one.source_ref.span, two.source_ref.span
    return max(0, min(b, d) - max(a, c)) / max(1, min(b - a, d - c))
