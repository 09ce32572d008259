"""Reader of separated values (.csv, .tsv) with separator detection. Runs in the sandbox's child.

Every cell is read; rows after an unparseable field, and rows beyond the limit, are left out and counted.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from brain_pipelines.readers.document.tables import grid_blocks
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

SEPARATORS = (",", ";", "\t", "|")
SAMPLE_LINES = 50
MAX_LINE_CHARS = 1 << 20
TABLE_LINES = 30  # from which the separator is detected


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the rows as tables of at most `tables.ROWS_A_BLOCK` rows, each row with its cells.

    Raises:
        BadInputError: if it is empty, not text, or has a line or field that is too long.
    """
    decoded = read_decoded(path, limits)
    lines = decoded.text.removeprefix("\ufeff").splitlines(keepends=True)
    longest = max(map(len, lines), default=0)
    if longest > MAX_LINE_CHARS:
        raise BadInputError(f"a line of {longest:,} characters, the limit is {MAX_LINE_CHARS:,}")
    repairs = list(decoded.repairs)
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:
        separator = lines.pop(0).strip()[4]  # Excel's own hint
    else:
        separator = find_separator(lines[:SAMPLE_LINES])
    blocks, rows, left_out = grid_blocks(_rows(lines, separator, repairs))
    if not blocks:
        raise BadInputError("no filled cell in the table")
    attributes = {"rows": rows, "separator": separator}
    return Extracted(
        AS_DETECTED,
        blocks,
        repairs=[*repairs, *([left_out] if left_out else [])],
        attributes=attributes,
    )


def find_separator(lines: list[str]) -> str:
    """Return the separator that splits most lines into the same number of fields, more than one."""

    def agreement(separator: str) -> tuple[int, int]:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=separator) if row)
        width, count = max(((w, n) for w, n in widths.items() if w > 1), key=lambda wn: wn[::-1], default=(1, 0))
        return count, width

    try:
        return max(SEPARATORS, key=agreement)
    except csv.Error:
        return ","


def _rows(lines: list[str], separator: str, repairs: list[str]) -> Iterator[list[str]]:
    reader = csv.reader((line.replace("\0", "") for line in lines), delimiter=separator)
    try:
        yield from reader
    except csv.Error as error:
        repairs.append(f"rows from line {reader.line_num:,} on left out: {error}")


def is_table(start: bytes, complete: bool, separators: tuple[str, ...]) -> bool:
    """Return whether all lines at the beginning have the same number of cells, and these look like values."""
    lines = start.decode("utf-8", "replace").splitlines()
    lines = [line for line in (lines if complete else lines[:-1]) if line.strip()][:TABLE_LINES]
    return len(lines) > 1 and any(_parts_into_cells(lines, separator) for separator in separators)


def _parts_into_cells(lines: list[str], separator: str) -> bool:
    try:
        rows = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error:
        return False
    width = len(rows[0])
    if width < 2 or any(len(row) != width for row in rows) or (len(rows) == 2 and width < 3):
        return False
    cells = [cell for row in rows for cell in row]
    # In prose a comma is followed by a space and the pieces are long.
    spaced = sum(cell.startswith(" ") for row in rows for cell in row[1:])
    return spaced * 2 < len(cells) and sum(map(len, cells)) < 80 * len(cells)


READ = Isolated(read_file, ("charset_normalizer",))
FORMATS = (
    Format(
        "tsv",
        "text/tab-separated-values",
        "a table of tab-separated values",
        family="data",
        suffixes=(".tsv",),
        as_text=True,
        shape=lambda start, complete: is_table(start, complete, ("\t",)),
        read=READ,
    ),
    Format(
        "csv",
        "text/csv",
        "a table of comma-separated values",
        family="data",
        suffixes=(".csv",),
        as_text=True,
        shape=lambda start, complete: is_table(start, complete, (",", ";", "|")),
        read=READ,
    ),
)
