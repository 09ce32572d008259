"""Text lines of a PDF page with their boxes, as read by pdfium. Runs in the sandbox's child."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from brain_pipelines.readers.extracted import Anchor

Box = tuple[float, float, float, float]
Line = tuple[str, Box | None]

_SIDE = 100_000  # device units of either side of a page
_LINE = re.compile(r"[^\r\n]+")
HYPHENS = "\ufffe\x02"  # how pdfium marks a hyphen at a line's end; older builds write U+0002
_GOES_ON = re.compile(r"[a-zß-öø-ÿ]")
_OPEN = re.compile(r"[\w,;)]$")


def lines_of(page: Any, textpage: Any) -> list[Line]:
    """Return the lines of a page in reading order; a box is None where pdfium's text and characters disagree."""
    count = textpage.count_chars()
    if not count:
        return []
    text = textpage.get_text_range()
    if len(text) != count:  # characters outside the page, or without a Unicode code point
        return [(match[0], None) for match in _LINE.finditer(textpage.get_text_bounded())]
    return [(m[0], place_on(page, _around(textpage, m.start(), len(m[0])))) for m in _LINE.finditer(text)]


def _around(textpage: Any, start: int, length: int) -> Box | None:
    """Return left, bottom, right, top of a run of characters in points."""
    rects = [textpage.get_rect(index) for index in range(textpage.count_rects(start, length))]
    if not rects:
        return None
    left, bottom, right, top = zip(*rects, strict=True)
    return min(left), min(bottom), max(right), max(top)


def place_on(page: Any, box: Box | None) -> Box | None:
    """Convert a box in points (left, bottom, right, top) to fractions of the page as displayed: cropped and rotated.

    pdfium computes it, because the boxes of a page may be inherited, missing or larger than one another.
    """
    if box is None:
        return None
    import ctypes

    import pypdfium2.raw as raw

    x, y = ctypes.c_int(), ctypes.c_int()
    corners: list[tuple[float, float]] = []
    for across, up in ((box[0], box[1]), (box[2], box[3])):
        raw.FPDF_PageToDevice(page.raw, 0, 0, _SIDE, _SIDE, 0, across, up, x, y)
        corners.append((_within(x.value / _SIDE), _within(y.value / _SIDE)))
    (xa, ya), (xb, yb) = corners
    x0, y0, x1, y1 = min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _within(share: float) -> float:
    return min(1.0, max(0.0, share))


def join(lines: Iterable[Line], page: int) -> tuple[str, tuple[Anchor, ...]]:
    """Return lines as text, and an anchor for each.

    Line breaks come from the layout: a line that begins in lower case continues the sentence, and words hyphenated at
    a line's end are joined.
    """
    text, anchors = "", []
    hyphenated = False
    for raw, box in lines:
        words = _unmark(raw)
        if not words:
            continue
        if text:
            text += "" if hyphenated else " " if _OPEN.search(text) and _GOES_ON.match(words) else "\n"
        anchors.append(Anchor(len(text), len(text) + len(words), page=page, box=box))
        text += words
        hyphenated = raw.rstrip()[-1:] in HYPHENS
    return text, tuple(anchors)


def _unmark(text: str) -> str:
    return text.translate(_NO_MARKS).strip()


_NO_MARKS = dict.fromkeys(map(ord, HYPHENS))


def is_garbled(lines: Sequence[Line]) -> bool:
    """Return whether a text layer is unusable: mostly characters without a Unicode mapping in their font."""
    text = "".join(line for line, _ in lines)
    lost = sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" for c in text)
    return lost * 3 > len(text.strip()) > 0
