"""Packing of units into chunks: joins small units, splits large ones, adds overlap. Limits are kept exactly."""

from bisect import bisect_left
from collections.abc import Collection, Sequence

from brain_pipelines.stages.chunking.boundaries import best_cut, between_characters, inside_character
from brain_pipelines.stages.chunking.ruler import Ruler, Span
from brain_retrieval.language.sentences import trim


def pack(
    units: Sequence[Span],
    ruler: Ruler,
    *,
    limit: int,
    whole: int,
    minimum: int,
    breaks: Collection[int] = (),
    fill: bool = True,
) -> list[Span]:
    """Join neighbouring units into spans of at most `limit`.

    Args:
        units: spans in order, not overlapping.
        limit: the most that joined units, or a piece of a split one, may measure.
        whole: the most that a unit may measure without being split, at least `limit`.
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
        fits = ruler.size(start, end) <= whole
        # If `whole` leaves room, a piece may be a token too large; `keep_limit` enforces the limit later.
        packed.extend([(start, end)] if fits else split(start, end, ruler, limit, exact=whole <= limit))
    return _absorb_last(packed, ruler, limit, minimum)


def _absorb_last(packed: list[Span], ruler: Ruler, limit: int, minimum: int) -> list[Span]:
    """Join a too small last span with the one before it, if there is room."""
    if len(packed) > 1 and ruler.size(*packed[-1]) < minimum:
        start, end = packed[-2][0], packed[-1][1]
        if ruler.size(start, end) <= limit:
            return [*packed[:-2], (start, end)]
    return packed


def split(start: int, end: int, ruler: Ruler, limit: int, *, exact: bool = True) -> list[Span]:
    """Cut a span into pieces of at most `limit`, at the best boundary near it; trimmed, none empty.

    Unless `exact`, a piece that ends inside a word may be a few tokens over.
    """
    pieces: list[Span] = []
    start, end = trim(ruler.text, start, end)
    while start < end:
        reach = ruler.reach(start, limit)
        cut = end if reach >= end else max(best_cut(ruler.text, start, reach), start + 1)
        piece = trim(ruler.text, start, cut)
        piece = shrink(*piece, ruler, limit) if exact else piece
        pieces.append(piece)
        start, end = trim(ruler.text, piece[1], end)
    return pieces


def shrink(start: int, end: int, ruler: Ruler, limit: int) -> Span:
    """Shorten a span from its end until its exact size keeps the limit; one character always stays."""
    over = ruler.exact(start, end) - limit
    while over > 0 and end - start > 1:
        size = max(1, ruler.size(start, end) - over)
        reach = between_characters(ruler.text, start, min(ruler.reach(start, size), end - 1))
        _, end = trim(ruler.text, start, max(start + 1, reach))
        over = ruler.exact(start, end) - limit
    return start, max(end, start + 1)


def overlap_starts(
    spans: Sequence[Span], units: Sequence[Span], ruler: Ruler, *, overlap: int, limit: int, walls: Collection[int] = ()
) -> list[int]:
    """Return the start of each span extended backwards by up to `overlap`, so that passages across a cut stay findable.

    The new start is at a unit or, within a split unit, at a word. A span that begins at one of `walls` (character
    offsets) is not extended, because the text before belongs to another section.
    """
    starts = [start for start, _ in units]
    chosen = [start for start, _ in spans]
    for n in range(1, len(spans) if overlap else 0):
        start, end = spans[n]
        if start in walls:
            continue
        earliest = max(ruler.back(start, overlap), ruler.back(end, limit), spans[n - 1][0] + 1)
        at = bisect_left(starts, earliest)
        inside = bisect_left(starts, start)
        if at < inside:
            chosen[n] = starts[at]
        elif inside == len(starts) or starts[inside] > start:
            chosen[n] = _word_start(ruler.text, earliest, start)
    return chosen


def _word_start(text: str, earliest: int, latest: int) -> int:
    """Return the first place from `earliest` on where a word begins, else a character; `latest` if there is none."""
    begins = (n for n in range(max(1, earliest), latest) if text[n - 1].isspace() and not text[n].isspace())
    place = next(begins, min(earliest, latest))
    while place < latest and (text[place].isspace() or inside_character(text, place)):
        place += 1
    return place


def keep_limit(
    spans: Sequence[Span], starts: Sequence[int], units: Sequence[Span], ruler: Ruler, limit: int
) -> list[Span]:
    """Return the spans begun at `starts`; one whose exact size exceeds the limit keeps its start or is split."""
    kept: list[Span] = []
    for (start, end), early in zip(spans, starts, strict=True):
        fits = (not kept or early > kept[-1][0]) and ruler.exact(early, end) <= limit
        kept.extend([(early, end)] if fits else _parts(start, end, units, ruler, limit))
    return kept


def _parts(start: int, end: int, units: Sequence[Span], ruler: Ruler, limit: int) -> list[Span]:
    """Halve a span between its units until every part keeps the limit; a unit alone is split."""
    if ruler.exact(start, end) <= limit:
        return [(start, end)]
    first, last = (bisect_left(units, place, key=lambda unit: unit[0]) for place in (start + 1, end))
    if first == last:
        return split(start, end, ruler, limit)
    middle = units[(first + last) // 2][0]
    halves = (trim(ruler.text, start, middle), trim(ruler.text, middle, end))
    return [part for half in halves for part in _parts(*half, units, ruler, limit)]
