"""Names of rows beside a ruled table in a PDF, outside of its lines. Runs in the sandbox's child."""

from collections.abc import Sequence
from dataclasses import dataclass

from brain_pipelines.readers.document.pdf_rows import Cells, lines_in, middle
from brain_pipelines.readers.document.pdf_rules import NEAR, Grid
from brain_pipelines.readers.document.pdf_words import Word, around

MIN_NAMES = 3
MIN_MATCHED = 0.8  # of the lines beside the table that are level with a line in it: a column of prose is not
MIN_NAMED = 0.5  # of the lines in the table


@dataclass
class Filled:
    """A table of a page: its grid, the positions of its words among those of the page, and the words by cell."""

    grid: Grid
    words: set[int]
    cells: Cells


def add_names(table: Filled, words: Sequence[Word], free: set[int]) -> set[int]:
    """Add words to the left or right of a table as a column of its own, and return their positions.

    They are added if they are level with the table's lines, one by one.
    """
    left, top, right, bottom = around(cell for row in table.grid for cell in row if cell)
    inside = lines_in([words[index] for index in sorted(table.words)])
    level = [index for index in free if top <= words[index].centre[1] <= bottom]
    added: set[int] = set()
    for column, beside in (
        (-1, {index for index in level if words[index].box[2] <= left + NEAR}),
        (len(table.grid[0]), {index for index in level if words[index].box[0] >= right - NEAR}),
    ):
        if len(beside) < MIN_NAMES:
            continue
        lines = lines_in([words[index] for index in sorted(beside)])
        matched = sum(any(_level(line, other) for other in inside) for line in lines)
        if matched >= MIN_NAMES and matched >= MIN_MATCHED * len(lines) and matched >= MIN_NAMED * len(inside):
            for index in sorted(beside):
                table.cells[_row(table.grid, words[index]), column].append(words[index])
            added |= beside
    table.words |= added
    return added


def _level(line: Sequence[Word], other: Sequence[Word]) -> bool:
    heights = (word.box[3] - word.box[1] for word in (*line, *other))
    return abs(middle(line) - middle(other)) <= max(heights) / 3


def _row(grid: Grid, word: Word) -> int:
    """Return the last row that begins above the middle of a word."""
    tops = [min(box[1] for box in row if box) for row in grid]
    return max((n for n, top in enumerate(tops) if top <= word.centre[1]), default=0)
