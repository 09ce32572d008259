"""Reader of PDF pages with ruled tables (pdfplumber): text and tables in reading order. Runs in the sandbox's child."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.pdf_lines import Box, Line, join
from brain_pipelines.readers.extracted import Anchor, Block

Table = tuple[Any, list[list[str | None]]]  # pdfplumber's table and its cells


def tables_by_page(path: Path, indices: list[int], repairs: list[str]) -> dict[int, list[Block]]:
    """Return page index -> blocks, for the pages that have a ruled table; a failure is a repair."""
    if not indices:
        return {}
    try:
        return _ruled_pages(path, indices)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # stricter than pdfium, which has read the text already
        repairs.append(f"tables read as plain text: the file is damaged ({type(error).__name__})")
        return {}


def _ruled_pages(path: Path, indices: list[int]) -> dict[int, list[Block]]:
    import pdfplumber

    found: dict[int, list[Block]] = {}
    with pdfplumber.open(path, pages=[index + 1 for index in indices]) as document:
        for page in document.pages:
            tables = [(table, rows) for table in page.find_tables() if _is_table(rows := table.extract())]
            if tables:
                found[page.page_number - 1] = list(_page_blocks(page, tables))
            page.close()  # pdfplumber would keep parsed pages in memory
    return found


def _is_table(rows: list[list[str | None]]) -> bool:
    """Return whether it is a table and not a frame around text: two rows and columns, a quarter of the cells filled.

    None stands for a position covered by a merged cell and does not count as a cell.
    """
    cells = [cell for row in rows for cell in row if cell is not None]
    filled = sum(bool(cell.strip()) for cell in cells)
    return len(rows) > 1 and len(rows[0]) > 1 and filled > 3 and filled * 4 >= len(cells)


def _page_blocks(page: Any, tables: list[Table]) -> Iterator[Block]:
    """Yield text and tables of a page from top to bottom; text beside a table belongs to the block above it."""
    tables = sorted(tables, key=lambda table: (table[0].bbox[1], table[0].bbox[0]))
    boxes = [table.bbox for table, _ in tables]
    rest = page.filter(lambda item: not _inside(item, boxes))
    top = page.bbox[1]
    for table, rows in tables:
        yield _band(rest, top, table.bbox[1])
        yield _table_block(page, table, rows)
        top = max(top, table.bbox[1])
    yield _band(rest, top, page.bbox[3])


def _inside(item: dict[str, Any], boxes: list[tuple[float, ...]]) -> bool:
    if "x0" not in item:
        return False
    x, y = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)


def _band(page: Any, top: float, bottom: float) -> Block:
    part = page.filter(lambda item: top <= (item.get("top", 0) + item.get("bottom", 0)) / 2 < bottom)
    lines: list[Line] = [
        (line["text"], _fractions(page, (line["x0"], line["top"], line["x1"], line["bottom"])))
        for line in part.extract_text_lines(return_chars=False)
    ]
    text, anchors = join(lines, page.page_number)
    return Block(text, "page", page=page.page_number, anchors=anchors)


def _table_block(page: Any, table: Any, rows: list[list[str | None]]) -> Block:
    text, anchors = "", []
    for row, cells in zip(table.rows, rows, strict=False):
        if not (line := row_text(cells)):
            continue
        text += "\n" if text else ""
        box = _fractions(page, row.bbox)
        anchors.append(Anchor(len(text), len(text) + len(line), page=page.page_number, box=box))
        text += line
    box = _fractions(page, table.bbox)
    return Block(text, "table", page=page.page_number, box=box, anchors=tuple(anchors))


def _fractions(page: Any, box: tuple[float, ...]) -> Box | None:
    left, top, right, bottom = page.bbox
    width, height = max(right - left, 1e-6), max(bottom - top, 1e-6)
    x0, x1 = ((min(max(x, left), right) - left) / width for x in (box[0], box[2]))
    y0, y1 = ((min(max(y, top), bottom) - top) / height for y in (box[1], box[3]))
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def row_text(cells: Iterable[str | None]) -> str:
    """Return a row of a table as one line, cells separated by " | ", wrapped cells joined; "" if all are empty."""
    line = " | ".join(" ".join((cell or "").split()) for cell in cells)
    return line if line.strip(" |") else ""


def table_text(rows: Iterable[Iterable[str | None]]) -> str:
    """Return a table as text, one line per row."""
    return "\n".join(line for row in rows if (line := row_text(row)))
