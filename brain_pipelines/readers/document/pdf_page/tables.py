"""Ruled tables of a PDF page: the words are pdfium's, the drawn lines give the rows and cells.

Where the two do not agree, because words run across cells, the page stays plain text. Runs in the sandbox's child.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from brain_pipelines.readers.document.pdf_page.lines import HYPHENS, Box, Line, join
from brain_pipelines.readers.document.pdf_page.rows import Cells, Filled, Row, add_names, rows_of
from brain_pipelines.readers.document.pdf_page.rules import Grid, grids_of
from brain_pipelines.readers.document.pdf_page.words import Point, Word, around, displayed, words_of
from brain_pipelines.readers.extracted import Anchor, Block

MAX_TABLE_PAGES = 500  # with lines drawn on them, of one document; beyond, pages are read as plain text
MAX_ACROSS = 0.1  # of a table's words: those that begin in one cell and end in another
STEEP = 1.5  # height by width of a word of three characters, from which it is written upwards or downwards


@dataclass(frozen=True)
class _Sheet:
    """The displayed page, in points, and the turn by which its writing becomes horizontal.

    `turn` is 0, 1 for writing from bottom to top, -1 for writing from top to bottom.
    """

    width: float
    height: float
    number: int
    turn: int

    def turned(self, point: Point) -> Point:
        x, y = point
        return (x, y) if not self.turn else (-self.turn * y, self.turn * x)

    def word(self, word: Word) -> Word:
        start, end, origin = map(self.turned, (word.start, word.end, word.origin))
        return replace(word, box=self._box(word.box), start=start, end=end, origin=origin)

    def _box(self, box: Box) -> Box:
        (xa, ya), (xb, yb) = self.turned((box[0], box[1])), self.turned((box[2], box[3]))
        return min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)

    def fractions(self, box: Box) -> Box | None:
        """Return a box of the turned page as fractions of the displayed one."""
        x0, y0, x1, y1 = replace(self, turn=-self.turn)._box(box)
        x0, x1 = (min(1.0, max(0.0, x / max(self.width, 1e-6))) for x in (x0, x1))
        y0, y1 = (min(1.0, max(0.0, y / max(self.height, 1e-6))) for y in (y0, y1))
        return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


@dataclass(frozen=True)
class _Table:
    words: frozenset[int]  # positions in the page's words
    rows: list[Row]


class TableFinder:
    """Reads the pages of one document that have lines drawn on them, up to a limit of pages."""

    def __init__(self) -> None:
        self._pages = 0
        self._first_left_out = 0
        self._damaged: list[int] = []

    def blocks(self, page: Any, textpage: Any, paths: list[Any], number: int) -> list[Block] | None:
        """Return the text and the ruled tables of a page in pdfium's order; None if it has no table."""
        import pypdfium2

        self._pages += 1
        if self._pages > MAX_TABLE_PAGES:
            self._first_left_out = self._first_left_out or number
            return None
        try:
            return _page_blocks(page, textpage, paths, number)
        except (pypdfium2.PdfiumError, ValueError, ArithmeticError):  # lines at infinity, or without a matrix
            self._damaged.append(number)
            return None

    def remarks(self) -> list[str]:
        """Return the repairs: pages whose tables were read as plain text."""
        found = []
        if self._damaged:
            pages = ", ".join(map(str, self._damaged[:20]))
            found.append(f"tables of page {pages} read as plain text: damaged lines")
        if first := self._first_left_out:
            found.append(f"tables from page {first} on read as plain text: more than {MAX_TABLE_PAGES} such pages")
        return found


def _page_blocks(page: Any, textpage: Any, paths: list[Any], number: int) -> list[Block] | None:
    place = displayed(page)
    grids = grids_of(paths, place)
    if not grids:
        return None
    words = words_of(textpage, place)
    width, height = page.get_size()
    sheet = _Sheet(width, height, number, _turn(words))
    if sheet.turn:
        words = [sheet.word(word) for word in words]
        grids = grids_of(paths, lambda across, up: sheet.turned(place(across, up)))
    found: list[Filled] = []
    free = set(range(len(words)))
    for grid in sorted(grids, key=_area):  # a table inside a cell of another one takes its words first
        filled = _fill(grid, words, free)
        if filled is not None:
            free -= filled.words
            found.append(filled)
    for filled in found:
        free -= add_names(filled, words, free)
    tables = [_Table(frozenset(filled.words), rows_of(filled.grid, filled.cells)) for filled in found]
    return list(_in_order(words, tables, sheet)) if tables else None


def _turn(words: Sequence[Word]) -> int:
    """Return how the writing of a page is turned, by most of its words."""
    votes = {0: 0, 1: 0, -1: 0}
    for word in words:
        if len(word.text) >= 3:
            steep = word.box[3] - word.box[1] > STEEP * (word.box[2] - word.box[0])
            votes[0 if not steep else 1 if word.end[1] < word.start[1] else -1] += 1
    return max(votes, key=lambda turn: votes[turn])


def _area(grid: Grid) -> float:
    left, top, right, bottom = around(cell for row in grid for cell in row if cell)
    return (right - left) * (bottom - top)


def _fill(grid: Grid, words: Sequence[Word], free: set[int]) -> Filled | None:
    """Return the words of a table, and those of each cell by row and column; None where they do not agree with it.

    A table has two rows and columns with words and a quarter of its cells filled; otherwise it is a frame around text.
    """
    find = _finder(grid)
    own: set[int] = set()
    cells: Cells = defaultdict(list)
    across = 0
    for index in sorted(free):
        word = words[index]
        cell = find(word.centre)
        if cell is None:
            continue
        own.add(index)
        cells[cell].append(word)
        begin, end = find(word.start), find(word.end)
        across += begin is not None and end is not None and begin != end
    count = sum(cell is not None for row in grid for cell in row)
    rows, columns = ({cell[n] for cell in cells} for n in (0, 1))
    is_table = len(rows) > 1 and len(columns) > 1 and len(cells) > 3 and len(cells) * 4 >= count
    return Filled(grid, own, cells) if is_table and across <= MAX_ACROSS * len(own) else None


def _finder(grid: Grid) -> Any:
    """Return the function from a point to the row and column of the cell around it, or None."""
    boxes = [(box, (r, c)) for r, row in enumerate(grid) for c, box in enumerate(row) if box]
    xs = sorted({x for box, _ in boxes for x in (box[0], box[2])})
    ys = sorted({y for box, _ in boxes for y in (box[1], box[3])})
    columns, rows = {x: n for n, x in enumerate(xs)}, {y: n for n, y in enumerate(ys)}
    squares = {
        (x, y): place
        for box, place in boxes
        for x in range(columns[box[0]], columns[box[2]])
        for y in range(rows[box[1]], rows[box[3]])
    }
    return lambda point: squares.get((bisect_right(xs, point[0]) - 1, bisect_right(ys, point[1]) - 1))


def _in_order(words: Sequence[Word], tables: Sequence[_Table], sheet: _Sheet) -> Iterator[Block]:
    """Yield text and tables; a table comes where its first word is."""
    table_of = {index: n for n, table in enumerate(tables) for index in table.words}
    done: set[int] = set()
    pending: list[Word] = []
    for index, word in enumerate(words):
        table = table_of.get(index)
        if table is None:
            pending.append(word)
        elif table not in done:
            yield from _text_block(pending, sheet)
            pending = []
            done.add(table)
            yield _table_block(tables[table].rows, sheet)
    yield from _text_block(pending, sheet)


def _text_block(words: Sequence[Word], sheet: _Sheet) -> Iterator[Block]:
    by_line: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        by_line[word.line].append(word)
    lines: list[Line] = []
    for members in by_line.values():
        mark = HYPHENS[0] if members[-1].hyphenated else ""
        lines.append((" ".join(w.text for w in members) + mark, sheet.fractions(around(w.box for w in members))))
    text, anchors = join(lines, sheet.number)
    if text:
        yield Block(text, "page", page=sheet.number, anchors=anchors)


def _table_block(rows: Sequence[Row], sheet: _Sheet) -> Block:
    text, anchors = "", []
    for line, box in rows:
        text += "\n" if text else ""
        anchors.append(Anchor(len(text), len(text) + len(line), page=sheet.number, box=sheet.fractions(box)))
        text += line
    whole = sheet.fractions(around(box for _, box in rows))
    return Block(text, "table", page=sheet.number, box=whole, anchors=tuple(anchors))
