"""Putting units together up to a size, and taking those apart that are larger. Limits are kept exactly."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from brain_pipelines.stages.chunking.boundaries import best_cut, trim
from brain_pipelines.stages.chunking.ruler import Ruler, Span

MAX_OVERLAP_UNITS = 64


def pack(
    units: Sequence[Span], ruler: Ruler, *, limit: int, minimum: int, breaks: Collection[int] = (), fill: bool = True
) -> list[Span]:
    """Join neighbouring units into spans of at most `limit`.

    Args:
        units: spans in order, not overlapping; one that is over the limit is split.
        limit: the most a span may measure.
        minimum: a span smaller than this takes the next unit even across a break.
        breaks: indexes of units before which a span of at least `minimum` ends (a new topic or section).
        fill: join beyond `minimum` as long as there is room; False ends a span as soon as it has the minimum.
    """
    packed: list[Span] = []
    for n, (start, end) in enumerate(units):
        if packed:
            before = packed[-1]
            enough = ruler.size(*before) >= minimum
            stop = enough and (n in breaks or not fill)
            if not stop and ruler.size(before[0], end) <= limit:
                packed[-1] = (before[0], end)
                continue
        packed.extend(split(start, end, ruler, limit))
    return _absorb_last(packed, ruler, limit, minimum)


def _absorb_last(packed: list[Span], ruler: Ruler, limit: int, minimum: int) -> list[Span]:
    """Join a too small last span with the one before it, if there is room."""
    if len(packed) > 1 and ruler.size(*packed[-1]) < minimum:
        start, end = packed[-2][0], packed[-1][1]
        if ruler.size(start, end) <= limit:
            return [*packed[:-2], (start, end)]
    return packed


def split(start: int, end: int, ruler: Ruler, limit: int) -> list[Span]:
    """Cut a span into pieces of at most `limit`, at the best boundary near it; trimmed, none empty."""
    pieces: list[Span] = []
    start, end = trim(ruler.text, start, end)
    while start < end:
        reach = ruler.reach(start, limit)
        cut = end if reach >= end else max(best_cut(ruler.text, start, reach), start + 1)
        piece = shrink(*trim(ruler.text, start, cut), ruler, limit)
        pieces.append(piece)
        start, end = trim(ruler.text, piece[1], end)
    return pieces


def shrink(start: int, end: int, ruler: Ruler, limit: int) -> Span:
    """Shorten a span from its end until its exact size keeps the limit; one character always stays."""
    over = ruler.exact(start, end) - limit
    while over > 0 and end - start > 1:
        size = max(1, ruler.size(start, end) - over)
        reach = min(ruler.reach(start, size), end - 1)
        _, end = trim(ruler.text, start, max(start + 1, reach))
        over = ruler.exact(start, end) - limit
    return start, max(end, start + 1)


def keep_limit(spans: Sequence[Span], ruler: Ruler, limit: int) -> list[Span]:
    """Return the spans with those split whose exact size is over the limit."""
    kept: list[Span] = []
    for start, end in spans:
        kept.extend([(start, end)] if ruler.exact(start, end) <= limit else split(start, end, ruler, limit))
    return kept


def overlap_units(
    spans: Sequence[Span],
    units: Sequence[Span],
    ruler: Ruler,
    *,
    overlap: int,
    limit: int,
    walls: Collection[int] = (),
) -> list[Span]:
    """Let each span begin up to `overlap` earlier, at the start of a unit, so that what spans a cut is found whole.

    A span that begins at one of `walls` (characters) stays as it is: what lies before is of another section.
    """
    if not overlap or len(spans) < 2:
        return list(spans)
    starts = [start for start, _ in units]
    grown = [spans[0]]
    at = 0
    for before, (start, end) in pairwise(spans):
        while at < len(starts) and starts[at] < start:
            at += 1
        best = start
        reachable = [] if start in walls else starts[:at][-MAX_OVERLAP_UNITS:]
        for candidate in reversed(reachable):
            too_far = candidate <= before[0] or ruler.size(candidate, start) > overlap
            if too_far or ruler.exact(candidate, end) > limit:
                break
            best = candidate
        grown.append((best, end))
    return grown
