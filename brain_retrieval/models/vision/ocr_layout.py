"""From boxes of text to reading order: which way the page is turned, columns, rows, paragraphs. Geometry only.

Coordinates here are pixels in the frame of the text: u runs along the lines, v across them, downwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

MIN_COLUMN_ROWS = 3
PROSE_CHARS = 18  # of a typical line of running text; shorter ones are cells of a table
MAX_CROSSING = 0.25  # share of pieces that may lie across a gutter: titles, footers
PARAGRAPH_GAP = 0.75  # of a row's height
HEADING_RATIO = 1.45  # of the heights of two rows that are not the same kind of text


@dataclass(frozen=True)
class Piece:
    """What the detector found: its number, its extent in the frame of the text, and how many characters it holds."""

    index: int
    left: float
    top: float
    right: float
    bottom: float
    chars: int

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Placed:
    """Where a piece comes in reading order; numbers count up from 0."""

    index: int
    row: int
    paragraph: int


def order(quads: np.ndarray, chars: Sequence[int]) -> list[Placed]:
    """Return the pieces of an upright page in reading order.

    Args:
        quads: (n, 4, 2) corners in pixels, as the detector gives them: clockwise from the top left one.
        chars: the number of characters of each piece.
    """
    if not len(quads):
        return []
    angle = _skew(quads)
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-along[1], along[0]])
    u, v = quads @ along, quads @ across
    pieces = [
        Piece(i, float(u[i].min()), float(v[i].min()), float(u[i].max()), float(v[i].max()), chars[i])
        for i in range(len(quads))
    ]
    placed: list[Placed] = []
    row = paragraph = 0
    for group in _columns(pieces):
        previous: list[Piece] | None = None
        for members in _rows(group):
            if previous is not None:
                row += 1
                paragraph += _parted(previous, members)
            placed.extend(Placed(piece.index, row, paragraph) for piece in members)
            previous = members
        row, paragraph = row + 1, paragraph + 1
    return placed


def quarter_turns(quads: np.ndarray, upside_down: Sequence[bool]) -> int:
    """Return how often a page must be turned counter-clockwise by 90 degrees to stand upright, 0 to 3.

    The longest pieces decide: one or two characters are about as high as they are wide, whichever way they stand, and
    the classifier is often wrong about a single piece.

    Args:
        quads: as for `order`.
        upside_down: for each piece, whether it looks upside down. A piece that stands on end was first turned
            counter-clockwise by 90 degrees.
    """
    wide, high = _sides(quads)
    standing = is_standing(quads)
    weight = np.where(np.maximum(wide, high) >= 2 * np.minimum(wide, high), np.maximum(wide, high), 1e-6)
    turned = bool((weight * standing).sum() * 2 > weight.sum())
    side = np.where(standing == turned, weight, 0)
    back = bool((side * np.asarray(upside_down)).sum() * 2 > side.sum())
    return int(turned) + 2 * int(back)


def is_standing(quads: np.ndarray) -> np.ndarray:
    """Tell of each piece whether it is half again as high as wide: that is when the recogniser turns it."""
    wide, high = _sides(quads)
    return high >= 1.5 * wide


def _sides(quads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.hypot(*(quads[:, 1] - quads[:, 0]).T), np.hypot(*(quads[:, 3] - quads[:, 0]).T)


def _skew(quads: np.ndarray) -> float:
    """Return the direction of the lines in radians, clockwise from the x axis: a median, weighted by their length."""
    wide, _ = _sides(quads)
    weight = np.where(is_standing(quads), 1e-6, wide + 1e-6)
    side = quads[:, 1] - quads[:, 0]
    return _weighted_median(np.arctan2(side[:, 1], side[:, 0]), weight)


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    places = np.argsort(values, kind="stable")
    total = np.cumsum(weights[places])
    return float(values[places][np.searchsorted(total, total[-1] / 2)])


def _columns(pieces: list[Piece]) -> list[list[Piece]]:
    """Part the pieces at a gutter, as far as there is one; what lies across it is read before what is below it."""
    gutter = _gutter(pieces)
    if gutter is None:
        return [pieces]
    across = sorted((p for p in pieces if p.left < gutter < p.right), key=lambda p: (p.middle, p.left))
    rest = [p for p in pieces if not p.left < gutter < p.right]
    groups: list[list[Piece]] = []
    waiting: list[Piece] = []  # what lies across and has nothing between
    for edge, piece in [*((p.middle, p) for p in across), (float("inf"), None)]:
        band = [p for p in rest if p.middle < edge]
        rest = [p for p in rest if p.middle >= edge]
        if band:
            groups += [waiting] if waiting else []
            waiting = []
            for side in ([p for p in band if p.right <= gutter], [p for p in band if p.left >= gutter]):
                groups += _columns(side) if side else []
        if piece is not None:
            waiting.append(piece)
    return groups + ([waiting] if waiting else [])


def _gutter(pieces: list[Piece]) -> float | None:
    """Return where two columns of text part, None if there is one column or a table."""
    if len(pieces) < 2 * MIN_COLUMN_ROWS:
        return None
    height = median(p.height for p in pieces)
    best: tuple[float, float] | None = None
    for left_edge in sorted({p.right for p in pieces}):
        right = [p.left for p in pieces if p.left >= left_edge]
        at = (left_edge + min(right)) / 2 if right else left_edge
        width = 2 * (at - left_edge)
        if width >= height * 0.6 and (best is None or width > best[0]) and _is_gutter(pieces, at, height):
            best = (width, at)
    return best[1] if best else None


def _is_gutter(pieces: list[Piece], at: float, height: float) -> bool:
    left = [p for p in pieces if p.right <= at]
    right = [p for p in pieces if p.left >= at]
    if min(len(left), len(right)) < MIN_COLUMN_ROWS or len(pieces) - len(left) - len(right) > MAX_CROSSING * len(
        pieces
    ):
        return False
    if all(median(p.chars for p in side) >= PROSE_CHARS for side in (left, right)):
        return True
    # A table's cells stand beside each other; a side bar's lines and those of the text beside it do not.
    small, large = sorted((left, right), key=len)
    beside = sum(any(abs(p.middle - q.middle) < 0.3 * height for q in large) for p in small)
    return beside * 2 < len(small)


def _rows(pieces: list[Piece]) -> list[list[Piece]]:
    """Return the rows from top to bottom, each from left to right: what overlaps half of its height is one row."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda p: (p.middle, p.left)):
        if rows and _beside(rows[-1], piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda p: (p.left, p.top, p.index)) for row in rows]


def _beside(row: list[Piece], piece: Piece) -> bool:
    top, bottom = median(p.top for p in row), median(p.bottom for p in row)
    shared = min(bottom, piece.bottom) - max(top, piece.top)
    return shared > 0.5 * min(bottom - top, piece.height)


def _parted(above: list[Piece], below: list[Piece]) -> bool:
    """Tell whether a paragraph ends between two rows: by the space between, or by letters of another size."""
    heights = median(p.height for p in above), median(p.height for p in below)
    gap = median(p.top for p in below) - median(p.bottom for p in above)
    return gap > PARAGRAPH_GAP * min(heights) or max(heights) > HEADING_RATIO * min(heights)
