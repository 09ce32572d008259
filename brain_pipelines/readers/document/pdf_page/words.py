"""Words of a PDF page with their boxes, as pdfium reads them, and positions on the page as displayed.

Runs in the sandbox's child.
"""

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from brain_pipelines.readers.document.pdf_page.lines import HYPHENS, Box

Point = tuple[float, float]
Place = Callable[[float, float], Point]  # a point of the PDF -> points right and down of the top left

_UNITS = 100_000  # device units of a page's side
_REACH = 1000  # points between the three points that determine the mapping


@dataclass(frozen=True)
class Word:
    """Characters without white space between them. `line` counts pdfium's lines of the page.

    `start` and `end` are the centres of its first and last character, `origin` is where the first stands on its line.
    `hyphenated` is a word that goes on in the next line.
    """

    text: str
    line: int
    box: Box  # left, top, right, bottom in points
    start: Point
    end: Point
    origin: Point
    hyphenated: bool = False

    @property
    def centre(self) -> Point:
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


def displayed(page: Any) -> Place:
    """Return the mapping to the page as displayed, cropped and rotated; pdfium determines it."""
    import pypdfium2.raw as raw

    width, height = page.get_size()
    x, y = ctypes.c_int(), ctypes.c_int()

    def device(across: int, up: int) -> Point:
        raw.FPDF_PageToDevice(page.raw, 0, 0, _UNITS, _UNITS, 0, across, up, x, y)
        return x.value / _UNITS * width, y.value / _UNITS * height

    (e, f), (ax, ay), (bx, by) = device(0, 0), device(_REACH, 0), device(0, _REACH)
    a, b, c, d = (ax - e) / _REACH, (ay - f) / _REACH, (bx - e) / _REACH, (by - f) / _REACH
    return lambda across, up: (a * across + c * up + e, b * across + d * up + f)


def words_of(textpage: Any, place: Place) -> list[Word]:
    """Return the words of a page in pdfium's order; characters without a box or a Unicode value are left out."""
    import pypdfium2.raw as raw

    words: list[Word] = []
    pending: list[tuple[int, Box]] = []
    line = 0
    origin = (0.0, 0.0)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    across, up = ctypes.c_double(), ctypes.c_double()
    handle = textpage.raw
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(handle, index)
        if code <= 32 and code != _MARK or code == 0xA0 or chr(code).isspace():
            if pending:
                words.append(_word(pending, line, origin))
                pending = []
            line += code == 10
            continue
        if not raw.FPDFText_GetCharBox(handle, index, left, right, bottom, top):
            continue
        if not pending:
            raw.FPDFText_GetCharOrigin(handle, index, across, up)
            origin = place(across.value, up.value)
        xa, ya = place(left.value, top.value)
        xb, yb = place(right.value, bottom.value)
        pending.append((code, (min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))))
    if pending:
        words.append(_word(pending, line, origin))
    return [word for word in words if word.text]


_MARK = 2  # older builds of pdfium mark a hyphen at a line's end by U+0002, newer ones by U+FFFE


def _word(characters: list[tuple[int, Box]], line: int, origin: Point) -> Word:
    text = "".join(chr(code) for code, _ in characters)
    # UTF-16 pairs count as two characters in some builds
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    boxes = [box for _, box in characters]
    ends = _centre(boxes[0]), _centre(boxes[-1])
    return Word(text.strip(HYPHENS), line, around(boxes), *ends, origin, text[-1:] in tuple(HYPHENS))


def around(boxes: Iterable[Box]) -> Box:
    """Return the box around some boxes, at least one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _centre(box: Box) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
