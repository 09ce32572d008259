"""Rows of a ruled table in a PDF as lines of text, with the names of rows beside it. Runs in the sandbox's child."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain_pipelines.readers.document.pdf_page.lines import Box
from brain_pipelines.readers.document.pdf_page.rules import NEAR, Grid
from brain_pipelines.readers.document.pdf_page.words import Word, around
from brain_pipelines.readers.document.tables import row_text

Row = tuple[str, Box]
Cells = dict[tuple[int, int], list[Word]]  # row and column -> the words of a cell

MIN_NAMES = 3
MIN_MATCHED = 0.8  # of the lines beside a table that are level with a line in it: a column of prose is not
MIN_NAMED = 0.5  # of the lines in the table
MIN_STACKED = 3  # values below one another in a cell; two may be a value and its remark
_VALUE = re.compile(r"[^\w]{0,4}(?:\d[\d.,:/'’]*|[-–—.*…])[^\w]{0,3}[a-zA-Z]?[^\w]{0,2}")  # 1,234 · (12 %) · – · 7a


@dataclass
class Filled:
    """A table of a page: its grid, the positions of its words among those of the page, and the words by cell."""

    grid: Grid
    words: set[int]
    cells: Cells


def rows_of(grid: Grid, cells: Cells) -> list[Row]:
    """Return the rows that have words, from top to bottom.

    Where a table has lines only between its columns, a row of the grid holds several rows of values below one another:
    it is divided at them. Writing from right to left reads its columns in that order too.
    """
    found: list[Row] = []
    columns = sorted({column for _, column in cells}, reverse=_from_the_right(cells))
    for number, boxes in enumerate(grid):
        row = [cells.get((number, column), []) for column in columns]
        if not any(row):
            continue
        stacked = list(_stacked(row))
        if stacked:
            found += stacked
        else:
            drawn = [box for box in boxes if box]
            found.append((row_text(map(cell_text, row)), around([*drawn, *(w.box for cell in row for w in cell)])))
    return found


def _from_the_right(cells: Cells) -> bool:
    directions = [unicodedata.bidirectional(word.text[0]) for cell in cells.values() for word in cell]
    return sum(name in ("R", "AL") for name in directions) > directions.count("L")


def cell_text(words: Sequence[Word]) -> str:
    """Return the words of a cell as one line; a word divided at a line's end is joined."""
    text = ""
    hyphenated = False
    for word in words:
        text += word.text if hyphenated or not text else f" {word.text}"
        hyphenated = word.hyphenated
    return text


def _stacked(row: Sequence[list[Word]]) -> Iterator[Row]:
    """Yield the rows that are stacked in one row of the grid; none if it is a single one."""
    lines = [_lines(cell) for cell in row]
    several = [cell for cell in lines if len(cell) > 1]
    values = [cell for cell in several if all(_is_value(line) for line in cell)]
    most = max(map(len, values), default=0)
    if most < MIN_STACKED or 2 * len(values) < len([cell for cell in several if cell is not lines[0]]):
        return
    every = sorted(((_base(line), column, line) for column, cell in enumerate(lines) for line in cell), key=_top)
    rows: list[dict[int, list[Word]]] = []
    last = 0.0
    for level, column, line in every:
        height = max(map(_height, line))
        if rows and column not in rows[-1] and level - last <= height / 2:
            rows[-1][column] = line
        else:
            rows.append({column: line})
            last = level
    for found in rows:
        text = row_text(cell_text(found.get(column, [])) for column in range(len(row)))
        yield text, around(word.box for line in found.values() for word in line)


def _top(entry: tuple[float, int, list[Word]]) -> tuple[float, int]:
    return entry[0], entry[1]


def _base(line: Sequence[Word]) -> float:
    return sum(word.origin[1] for word in line) / len(line)


def _height(word: Word) -> float:
    return word.box[3] - word.box[1]


def _lines(words: Sequence[Word]) -> list[list[Word]]:
    """Return words by the lines that they are in, from top to bottom, each line in the order given."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.origin[1]):
        if lines and word.origin[1] - _base(lines[-1]) <= max(map(_height, (word, *lines[-1]))) / 2:
            lines[-1].append(word)
        else:
            lines.append([word])
    order = {id(word): n for n, word in enumerate(words)}
    return [sorted(line, key=lambda word: order[id(word)]) for line in lines]


def _is_value(line: Sequence[Word]) -> bool:
    return all(_VALUE.fullmatch(word.text) for word in line)


def add_names(table: Filled, words: Sequence[Word], free: set[int]) -> set[int]:
    """Add words to the left or right of a table as a column of its own, and return their positions.

    They are added if they are level with the table's lines, one by one.
    """
    left, top, right, bottom = around(cell for row in table.grid for cell in row if cell)
    inside = _lines([words[index] for index in sorted(table.words)])
    level = [index for index in free if top <= words[index].centre[1] <= bottom]
    added: set[int] = set()
    for column, beside in (
        (-1, {index for index in level if words[index].box[2] <= left + NEAR}),
        (len(table.grid[0]), {index for index in level if words[index].box[0] >= right - NEAR}),
    ):
        if len(beside) < MIN_NAMES:
            continue
        lines = _lines([words[index] for index in sorted(beside)])
        matched = sum(any(_level(line, other) for other in inside) for line in lines)
        if matched >= MIN_NAMES and matched >= MIN_MATCHED * len(lines) and matched >= MIN_NAMED * len(inside):
            for index in sorted(beside):
                table.cells[_row(table.grid, words[index]), column].append(words[index])
            added |= beside
    table.words |= added
    return added


def _level(line: Sequence[Word], other: Sequence[Word]) -> bool:
    heights = (word.box[3] - word.box[1] for word in (*line, *other))
    return abs(_base(line) - _base(other)) <= max(heights) / 3


def _row(grid: Grid, word: Word) -> int:
    """Return the last row that begins above the middle of a word."""
    tops = [min(box[1] for box in row if box) for row in grid]
    return max((n for n, top in enumerate(tops) if top <= word.centre[1]), default=0)
