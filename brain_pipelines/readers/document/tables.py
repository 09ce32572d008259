"""Conversion of rows of cells to text, one line `a | b | c` per row, and to table blocks with cell ranges as anchors.

Independent of the file format. Runs in the sandbox's child.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from brain_pipelines.readers.extracted import Anchor, Block

MAX_ROWS = 100_000  # of one file; further rows are counted as left out
MAX_COLUMNS = 500
MAX_EMPTY_ROWS = 100_000  # in a row; columns behind them are ignored
ROWS_A_BLOCK = 40  # each block of a long table repeats the header
MAX_CELL_CHARS = 20_000
_Row = tuple[int, list[str]]  # number from 1, cells


def row_text(cells: Iterable[str | None]) -> str:
    """Return a row of a table as one line, cells separated by " | ", wrapped cells joined; "" if all are empty."""
    line = " | ".join(" ".join((cell or "").split()) for cell in cells)
    return line if line.strip(" |") else ""


def table_text(rows: Iterable[Iterable[str | None]]) -> str:
    """Return a table as text, one line per row."""
    return "\n".join(line for row in rows if (line := row_text(row)))


def column_name(index: int) -> str:
    """Return the letters of a column counted from 0: A … Z, AA …"""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


def cell_text(value: Any) -> str:
    """Return a cell's value as displayed: 2026-01-05, 14:30, 12.5, TRUE; one line, single spaces."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    if isinstance(value, datetime):
        if value.time() == time(0):
            return value.date().isoformat()
        return value.replace(microsecond=0).isoformat(" ").removesuffix(":00")
    if isinstance(value, time):
        return value.replace(microsecond=0).isoformat().removesuffix(":00")
    if isinstance(value, date | timedelta | int):
        return str(value)
    return " ".join(str(value)[:MAX_CELL_CHARS].split())


def grid_blocks(
    rows: Iterable[Sequence[Any]], *, sheet: str = "", first_row: int = 1, first_column: int = 0, most: int = MAX_ROWS
) -> tuple[list[Block], int, str]:
    """Return the blocks of a sheet, the number of rows in them, and a remark on what was left out, or "".

    Args:
        rows: of values; empty rows and columns are skipped.
        sheet: its name, "" for a file without sheets.
        first_row: the number of the first row, from 1.
        first_column: of the first cell in each row, from 0.
        most: rows to take.
    """
    taken, left_out = _take(rows, first_row, most)
    used = sorted({n for _, cells in taken for n, cell in enumerate(cells) if cell})
    if not used:
        return [], 0, left_out
    header = taken[0] if _is_header([taken[0][1][n] for n in used if n < len(taken[0][1])], len(used)) else None
    blocks = []
    for start in range(0, len(taken), ROWS_A_BLOCK):
        piece = taken[start : start + ROWS_A_BLOCK]
        shown = [header, *piece] if header and start else piece
        blocks.append(_block(shown, piece, used, sheet, first_column))
    return blocks, len(taken), left_out


def _take(rows: Iterable[Sequence[Any]], first_row: int, most: int) -> tuple[list[_Row], str]:
    taken: list[_Row] = []
    wide, empty = 0, 0
    for number, row in enumerate(rows, first_row):
        wide = max(wide, len(row))
        cells = [cell_text(value) for value in islice(row, MAX_COLUMNS)]
        if not any(cells):
            empty += 1
            if empty > MAX_EMPTY_ROWS:
                return taken, f"what follows {MAX_EMPTY_ROWS:,} empty rows, from row {number:,} on, was left out"
            continue
        empty = 0
        if len(taken) >= most:
            return taken, f"rows from {number:,} on left out: a file's limit is {MAX_ROWS:,} rows"
        taken.append((number, cells))
    return taken, f"columns behind the first {MAX_COLUMNS} left out" if wide > MAX_COLUMNS else ""


def _is_header(cells: list[str], width: int) -> bool:
    """Return whether the first row is a header: every cell is filled, short and not a number."""
    return len(cells) == width > 1 and all(
        cell and len(cell) <= 60 and not cell.replace(".", "").replace(",", "").lstrip("-").isdigit() for cell in cells
    )


def _block(shown: list[_Row], own: list[_Row], used: list[int], sheet: str, first_column: int) -> Block:
    lines, anchors = [], []
    position = 0
    left, right = column_name(first_column + used[0]), column_name(first_column + used[-1])
    place = f"{sheet}!" if sheet else ""
    for number, cells in shown:
        line = " | ".join(cells[n] if n < len(cells) else "" for n in used).rstrip(" |")
        cells_of_row = f"{place}{left}{number}:{right}{number}"
        anchors.append(Anchor(position, position + len(line), cells=cells_of_row))
        lines.append(line)
        position += len(line) + 1
    cells_of_block = f"{place}{left}{own[0][0]}:{right}{own[-1][0]}"
    return Block("\n".join(lines), "table", section=sheet or None, cells=cells_of_block, anchors=tuple(anchors))
