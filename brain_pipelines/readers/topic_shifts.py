"""Topic segmentation of a sequence of units by lexical cohesion: TextTiling (Hearst 1997).

At each gap the words of the block before and the block after are compared by cosine; a gap is a shift where the
similarity dips deeper than usual below the peaks on both sides. With `embed`, vectors are compared instead of words.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from brain_retrieval.language.stop_words import talk_words

if TYPE_CHECKING:
    import numpy as np

BLOCK_UNITS = 4
MIN_SIDE = 2
# The depth that makes a dip a shift: mean + half a standard deviation, TextTiling's liberal cut-off.
DEVIATIONS = 0.5
MIN_DEPTH = 0.15
STEM_CHARS = 6  # prefixes conflate run/running well enough to compare blocks
_WORD = re.compile(r"[^\W\d_]{3,}")

Embed = Callable[[Sequence[str]], "np.ndarray"]


def topic_shifts(units: Sequence[str], embed: Embed | None = None) -> set[int]:
    """Return the indexes of the units that begin a new topic; 0 is never among them.

    Args:
        units: turns, paragraphs or sentences in order.
        embed: texts to unit vectors (n, dim); None compares words.
    """
    if len(units) < 3:
        return set()
    import numpy as np

    similarity = _vector_similarity(embed(units)) if embed else _word_similarity(units)
    depths = _depths(similarity)
    threshold = max(MIN_DEPTH, float(np.mean(depths)) + DEVIATIONS * float(np.std(depths)))
    inner = range(MIN_SIDE - 1, len(units) - MIN_SIDE)  # a single unit on one side is too little evidence
    return {
        gap + 1 for gap in inner if depths[gap] >= threshold and depths[gap] == max(depths[max(0, gap - 1) : gap + 2])
    }


def _word_similarity(units: Sequence[str]) -> list[float]:
    stop = talk_words()
    words = [Counter(w[:STEM_CHARS] for w in _WORD.findall(u.lower()) if w not in stop) for u in units]
    before, after = _Block(), _Block()
    for unit in words[:BLOCK_UNITS]:
        after.change(unit, 1, before)
    dot, found = 0, []
    for gap in range(1, len(words)):
        # Both blocks slide by one unit. The dot product is updated incrementally; counts are integers, so it is exact.
        passed, oldest, newest = gap - 1, gap - 1 - BLOCK_UNITS, gap - 1 + BLOCK_UNITS
        dot += before.change(words[passed], 1, after)
        dot += after.change(words[passed], -1, before)
        if oldest >= 0:
            dot += before.change(words[oldest], -1, after)
        if newest < len(words):
            dot += after.change(words[newest], 1, before)
        norm = math.sqrt(before.square * after.square)
        found.append(dot / norm if norm else 0.0)
    return found


class _Block:
    """Word counts of a block of neighbouring units, and their squared norm."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.square = 0

    def change(self, unit: Counter[str], sign: int, other: "_Block") -> int:
        """Add (`sign` 1) or remove (-1) a unit; return the change of the dot product with the other block."""
        dot = 0
        for word, count in unit.items():
            old = self.counts.get(word, 0)
            new = self.counts[word] = old + sign * count
            self.square += new * new - old * old
            dot += sign * count * other.counts.get(word, 0)
        return dot


def _vector_similarity(vectors: "np.ndarray") -> list[float]:
    import numpy as np

    found = []
    for gap in range(1, len(vectors)):
        before = vectors[max(0, gap - BLOCK_UNITS) : gap].mean(axis=0)
        after = vectors[gap : gap + BLOCK_UNITS].mean(axis=0)
        norm = float(np.linalg.norm(before) * np.linalg.norm(after))
        found.append(float(before @ after) / norm if norm else 0.0)
    return found


def _depths(similarity: Sequence[float]) -> list[float]:
    """Return the depth score of each gap: its distance below the nearest peak on the left plus that on the right."""
    left = _peaks(similarity)
    right = _peaks(similarity[::-1])[::-1]
    return [a + b - 2 * here for a, b, here in zip(left, right, similarity, strict=True)]


def _peaks(similarity: Sequence[float]) -> list[float]:
    """Return for each gap the similarity reached by going left for as long as it does not fall."""
    peaks: list[float] = []
    for gap, here in enumerate(similarity):
        peaks.append(peaks[-1] if gap and similarity[gap - 1] >= here else here)
    return peaks
