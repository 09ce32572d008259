"""Choice and completion of a page's main text by coverage of its prose.

trafilatura finds the article, but drops parts of it: paragraphs with unusual classes, repeated ones, sometimes nearly
all. The prose of the page is what to compare with: long paragraphs with few links outside navigation. The *region* of
an extraction is the deepest element with nearly all the prose that it has kept. If much of the region is missing, a
less strict extraction is tried; what is still missing there is put back at its place.
"""

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from brain_pipelines.readers.webpage.page_prose import Paragraph, letters

KEY = 60  # letters and digits at either end that a paragraph is recognised by
MAX_REPEATS = 50  # of a paragraph
HELD = 0.9  # of the kept prose is inside the region
RELIABLE = 0.7  # of the region; below it, the rest is more likely a list of other articles or comments
DENSE = 0.75  # of the page's visible text is prose: hardly anything on it is navigation
LIKELY_WHOLE = 0.6  # of the prose of such a page; if less is kept, all of it is meant to be read
MIN_ROW = 3  # kept paragraphs in boxes side by side, from which another such box is one of theirs
LIKELY = 0.5  # of the region; below it, a less strict extraction adds other articles
MIN_LIST = 5  # kept paragraphs, each in a box of its own, that make a page a list
_MARKED = re.compile(r"(?![#>|`]|\s*[-*+] |\s*\d+\. )")  # a line that is not a heading, a list item or a table row


@dataclass(frozen=True)
class Coverage:
    """How much prose a text has.

    `kept` counts the characters of the paragraphs that it has; `shared` those of them in its region, `region` all
    prose there, repetitions counted as present. For every paragraph: whether it is kept, kept with a hole, and inside
    the region.
    """

    kept: int
    shared: int
    region: int
    flags: tuple[bool, ...]
    holed: tuple[bool, ...]
    inside: tuple[bool, ...]
    is_list: bool  # nearly every kept paragraph lies in a box of its own

    @property
    def share(self) -> float:
        """Return the share of the region's prose that is kept."""
        return self.shared / self.region if self.region else 0.0


def coverage(prose: list[Paragraph], text: str) -> Coverage:
    """Return how much of the prose of a page is in a text."""
    found = _Matches(letters(text))
    flags, holed = [False] * len(prose), [False] * len(prose)
    for n in sorted(range(len(prose)), key=lambda n: -len(prose[n].letters)):  # a short one may be part of a long one
        flags[n], holed[n] = found.take(prose[n].letters)
    present = {paragraph.letters for paragraph, has in zip(prose, flags, strict=True) if has}
    region = _region(prose, [paragraph.letters in present for paragraph in prose])
    inside = [region in paragraph.path for paragraph in prose]
    boxes = {paragraph.box for paragraph, has in zip(prose, flags, strict=True) if has}
    within = [paragraph for paragraph, is_in in zip(prose, inside, strict=True) if is_in]
    return Coverage(
        kept=sum(len(paragraph.text) for paragraph, has in zip(prose, flags, strict=True) if has),
        shared=sum(len(paragraph.text) for paragraph in within if paragraph.letters in present),
        region=sum(len(paragraph.text) for paragraph in within),
        flags=tuple(flags),
        holed=tuple(holed),
        inside=tuple(inside),
        is_list=len(boxes) >= max(MIN_LIST, HELD * sum(flags)),
    )


class _Matches:
    """Places of paragraphs in a text of letters; each place counts for one paragraph."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: list[int] = []
        self.ends: list[int] = []

    def take(self, wanted: str) -> tuple[bool, bool]:
        """Return whether a paragraph has a free place, and whether only its two ends are there, with a hole between."""
        if (at := self._free(wanted)) >= 0:
            self._use(at, at + len(wanted))
            return True, False
        head, tail = wanted[:KEY], wanted[-KEY:]
        at = self._free(head)
        last = self.text.find(tail, max(at, 0), at + 2 * len(wanted)) if at >= 0 else self._free(tail)
        if at >= 0 and last >= 0:
            self._use(at, last + len(tail))
            return True, last - at < len(wanted)
        if (at := max(at, last)) >= 0:
            self._use(at, at + KEY)
        return at >= 0, False

    def _free(self, wanted: str) -> int:
        at = self.text.find(wanted)
        for _ in range(MAX_REPEATS):
            n = bisect_right(self.starts, at)
            if at < 0 or n == 0 or self.ends[n - 1] <= at:
                return at
            at = self.text.find(wanted, self.ends[n - 1])
        return -1

    def _use(self, start: int, end: int) -> None:
        n = bisect_right(self.starts, start)
        self.starts.insert(n, start)
        self.ends.insert(n, end)


def _region(prose: list[Paragraph], flags: list[bool]) -> int:
    """Return the number of the deepest element with HELD of the kept prose, 0 if none is kept."""
    kept: Counter[int] = Counter()
    for paragraph, has in zip(prose, flags, strict=True):
        if has:
            for number in paragraph.path:
                kept[number] += len(paragraph.text)
    most = max(kept.values(), default=0)
    return max((number for number, count in kept.items() if count >= HELD * most), default=0)


def is_better(strict: Coverage, loose: Coverage) -> bool:
    """Return whether a less strict extraction has found more of the same region, or prose where there was none.

    In a list it is better with about the same prose: the strict one drops the short lines of an entry, such as its
    author.
    """
    if not strict.kept:
        return loose.kept > 0
    more = loose.shared >= HELD * strict.shared if strict.is_list else loose.shared > strict.shared
    return strict.share >= LIKELY and more and loose.region <= 1.2 * strict.region


def completed(text: str, prose: list[Paragraph], found: Coverage, length: int) -> str:
    """Return a Markdown text with the missing prose of its region, each paragraph after the one it follows.

    Only paragraphs beside kept ones are put back: a box of its own is more often an advertisement. But if a page is
    nearly all prose (`length`: characters of its visible text), and much of that is missing, all is put back.
    """
    total = sum(len(one.text) for one in prose)
    if total >= DENSE * length and found.kept < LIKELY_WHOLE * total:
        wanted = [True] * len(prose)
    elif found.share < RELIABLE:
        return text
    else:
        wanted = _beside(prose, found)
    complete = not any(
        is_wanted and (holed or not kept)
        for is_wanted, holed, kept in zip(wanted, found.holed, found.flags, strict=True)
    )
    if complete:
        return text
    lines = text.split("\n")
    squashed = [letters(line) for line in lines]
    added: dict[int, list[str]] = {}
    at = -1  # the line of the paragraph before
    for n, one in enumerate(prose):
        if found.flags[n]:
            at = _line_of(one, squashed, max(at, 0), at)
            if found.holed[n] and at >= 0 and len(squashed[at]) <= len(one.letters) and _MARKED.match(lines[at]):
                lines[at] = one.text
        elif wanted[n]:
            added.setdefault(at, []).append(one.text)
    result = added.get(-1, [])
    for number, line in enumerate(lines):
        result.append(line)
        for paragraph in added.get(number, []):
            result += ["", paragraph, ""]
    return "\n".join(result)


def _beside(prose: list[Paragraph], found: Coverage) -> list[bool]:
    """Return which paragraphs of the region lie in the box of a kept one, or in one of a row of such boxes."""
    boxes = Counter(one.box for one, kept in zip(prose, found.flags, strict=True) if kept)
    rows = Counter(row for one, kept in zip(prose, found.flags, strict=True) if kept for row in _rows(one))
    return [
        is_in and (one.box in boxes or any(rows[row] >= MIN_ROW for row in _rows(one)))
        for one, is_in in zip(prose, found.inside, strict=True)
    ]


def _rows(one: Paragraph) -> list[tuple[int, int]]:
    """Return the elements around a paragraph's box in which boxes like it may stand in a row, with its depth there."""
    return [(number, len(one.path)) for number in one.path[-3:-1]]


def _line_of(one: Paragraph, squashed: list[str], start: int, default: int) -> int:
    head, tail = one.letters[:KEY], one.letters[-KEY:]
    return next((n for n in range(start, len(squashed)) if head in squashed[n] or tail in squashed[n]), default)
