"""OCR layout analysis: text boxes → page rotation, columns, rows, paragraphs and reading order. Geometry only.

Coordinates are pixels in the deskewed frame of the text: u runs along the lines, v across them, downwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

MIN_COLUMN_ROWS = 3
PROSE_CHARS = 18  # of a typical line of running text; shorter ones are cells of a table
MAX_CROSSING = 0.25  # maximum share of pieces that cross a gutter: titles, footers
PARAGRAPH_GAP = 0.75  # of a row's height
HEADING_RATIO = 1.45  # ratio of two row heights from which they are different kinds of text


@dataclass(frozen=True)
class Piece:
    """A detected piece of text: number, extent in the frame of the text, and number of characters."""

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
    """A piece's position in reading order; numbers start at 0."""

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
    """Return the number of counter-clockwise turns by 90° that make a page upright, 0 to 3.

    The longest pieces decide: one or two characters are about as high as wide in any orientation, and the classifier
    is often wrong about a single piece.

    Args:
        quads: as for `order`.
        upside_down: for each piece, whether it looks upside down, after turning vertical pieces counter-clockwise by
            90°.
    """
    wide, high = _sides(quads)
    standing = is_standing(quads)
    weight = np.where(np.maximum(wide, high) >= 2 * np.minimum(wide, high), np.maximum(wide, high), 1e-6)
    turned = bool((weight * standing).sum() * 2 > weight.sum())
    side = np.where(standing == turned, weight, 0)
    back = bool((side * np.asarray(upside_down)).sum() * 2 > side.sum())
    return int(turned) + 2 * int(back)


def is_standing(quads: np.ndarray) -> np.ndarray:
    """Return for each piece whether its height is at least 1.5 times its width; the recogniser turns such pieces."""
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
    """Split the pieces into columns at a gutter, if there is one; a piece across it comes before those below it."""
    gutter = _gutter(pieces)
    if gutter is None:
        return [pieces]
    across = sorted((p for p in pieces if p.left < gutter < p.right), key=lambda p: (p.middle, p.left))
    rest = [p for p in pieces if not p.left < gutter < p.right]
    groups: list[list[Piece]] = []
    waiting: list[Piece] = []  # pieces across the gutter since the last column text
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
    """Return the position of the gutter between two columns; None if there is one column or a table."""
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
    # The cells of a table are aligned in rows; the lines of a side bar and the text beside it are not.
    small, large = sorted((left, right), key=len)
    beside = sum(any(abs(p.middle - q.middle) < 0.3 * height for q in large) for p in small)
    return beside * 2 < len(small)


def _rows(pieces: list[Piece]) -> list[list[Piece]]:
    """Return the rows from top to bottom, each from left to right; pieces in a row overlap by half of their height."""
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
    """Return whether a paragraph ends between two rows: by their distance, or by a different letter size."""
    heights = median(p.height for p in above), median(p.height for p in below)
    gap = median(p.top for p in below) - median(p.bottom for p in above)
    return gap > PARAGRAPH_GAP * min(heights) or max(heights) > HEADING_RATIO * min(heights)
