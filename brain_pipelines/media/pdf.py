"""PDF to pages and tables. Runs in the sandbox's child.

pdfium gives the text of plain pages (27 times faster than pdfplumber, equal text); pages with drawn lines go through
pdfplumber, which finds ruled tables. No text recognition is done: a scan is refused by name.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.media.encoding import check_size
from brain_pipelines.media.extracted import Block, Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MIN_DRAWN = 4  # lines or boxes on a page below which no ruled table is looked for
MAX_DRAWN = 20_000  # a map or a drawing: pdfplumber would take minutes
MAX_TABLE_PAGES = 200  # 0.1 s each; beyond, pages are read as plain text
TAIL_BYTES = 2048
_PASSWORD = re.compile(r"password", re.I)


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return one block a page, and one a ruled table in reading order.

    Raises:
        BadInputError: encrypted, truncated, damaged, empty, too many pages, or without any text.
    """
    import pypdfium2

    check_size(path, limits.max_pdf_bytes)
    whole = _has_trailer(path)
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise BadInputError(_why(str(error), whole)) from None
    try:
        if not whole:
            raise BadInputError("truncated PDF: its end is missing; send it again")
        count = len(document)
        if count == 0:
            raise BadInputError("damaged PDF: it has no pages")
        if count > limits.max_pages:
            raise BadInputError(f"too many pages: {count}, the limit is {limits.max_pages}")
        return _read_pages(path, document)
    finally:
        document.close()


def _why(message: str, whole: bool) -> str:
    if _PASSWORD.search(message):
        return "encrypted PDF: a password is needed"
    return "damaged PDF: it cannot be opened" if whole else "truncated PDF: its end is missing; send it again"


def _has_trailer(path: Path) -> bool:
    """Tell whether the file ends like a PDF. pdfium rebuilds what is cut off, silently without the lost pages."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - (1 << 16)))
        tail = file.read().rstrip(b"\0\r\n\t ")[-TAIL_BYTES:]
    return b"startxref" in tail or b"%%EOF" in tail


def _read_pages(path: Path, document: Any) -> Extracted:
    blocks: list[Block] = []
    drawn: list[int] = []
    images: list[int] = []
    repairs: list[str] = []
    for index in range(len(document)):
        text, has_image, objects = _scan(document, index, repairs)
        if MIN_DRAWN <= objects <= MAX_DRAWN:
            drawn.append(index)
        if has_image and len(text) < 20:
            images.append(index + 1)
        blocks.append(Block(text, "page", page=index + 1))
    if skipped := drawn[MAX_TABLE_PAGES:]:
        repairs.append(
            f"tables from page {skipped[0] + 1} on read as plain text: more than {MAX_TABLE_PAGES} such pages"
        )
    tables = _tables(path, drawn[:MAX_TABLE_PAGES], repairs)
    pages = [block for plain in blocks for block in tables.get((plain.page or 1) - 1, [plain])]
    if not any(block.text.strip() for block in pages):
        raise BadInputError(_no_text(len(document), images))
    if images:
        repairs.append(f"no text taken from page {', '.join(map(str, images[:20]))}: an image of a page (a scan)")
    meta = document.get_metadata_dict()
    author = _clean(meta.get("Author", ""))
    return Extracted("pdf", pages, _title(meta, pages), [author] if author else [], None, repairs)


def _no_text(count: int, images: list[int]) -> str:
    pages = f"{count} page{'s' if count > 1 else ''}"
    return f"no text: {pages}, images only (a scan)" if images else f"no text: {pages}, all blank"


def _scan(document: Any, index: int, repairs: list[str]) -> tuple[str, bool, int]:
    """Return a page's text, whether it shows an image, and how many lines or boxes are drawn on it."""
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        repairs.append(f"page {index + 1} is damaged and was left out")
        return "", False, 0
    textpage = page.get_textpage()
    text = _tidy(textpage.get_text_bounded() if textpage.count_chars() else "")
    drawn, has_image = 0, False
    for item in page.get_objects(max_depth=3):
        has_image = has_image or item.type == raw.FPDF_PAGEOBJ_IMAGE
        if item.type == raw.FPDF_PAGEOBJ_PATH:
            # one path may draw a whole grid; a box has five segments
            drawn += max(1, raw.FPDFPath_CountSegments(item.raw) // 5)
    textpage.close()
    page.close()
    return text, has_image, drawn


def _tables(path: Path, indices: list[int], repairs: list[str]) -> dict[int, list[Block]]:
    try:
        return _ruled_pages(path, indices)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the stricter of two parsers; the other has the text
        repairs.append(f"tables read as plain text: the file is damaged ({type(error).__name__})")
        return {}


def _ruled_pages(path: Path, indices: list[int]) -> dict[int, list[Block]]:
    """Return the blocks of those pages on which pdfplumber finds a ruled table, by page index."""
    if not indices:
        return {}
    import pdfplumber

    found: dict[int, list[Block]] = {}
    with pdfplumber.open(path, pages=[index + 1 for index in indices]) as document:
        for page in document.pages:
            tables = [(table.bbox, rows) for table in page.find_tables() if _is_table(rows := table.extract())]
            if tables:
                found[page.page_number - 1] = list(_page_blocks(page, tables))
            page.close()  # parsed pages are kept otherwise
    return found


def _is_table(rows: list[list[str | None]]) -> bool:
    """Tell a table from a frame around text: two rows and columns, and more than a third of the cells filled."""
    cells = [cell for row in rows for cell in row]
    filled = sum(bool(cell and cell.strip()) for cell in cells)
    return len(rows) > 1 and len(rows[0]) > 1 and filled > 3 and filled * 3 > len(cells)


def _page_blocks(page: Any, tables: list[tuple[tuple[float, ...], list[list[str | None]]]]) -> Iterator[Block]:
    """Yield text and tables of a page from top to bottom; text beside a table belongs to what is above it."""
    edges = [table[0][1] for table in sorted(tables, key=lambda t: (t[0][1], t[0][0]))]
    boxes = [box for box, _ in tables]
    rest = page.filter(lambda item: not _inside(item, boxes))
    top = page.bbox[1]
    for edge, (_, rows) in zip(edges, sorted(tables, key=lambda t: (t[0][1], t[0][0])), strict=True):
        yield Block(_band(rest, top, edge), "page", page=page.page_number)
        yield Block(table_text(rows), "table", page=page.page_number)
        top = max(top, edge)
    yield Block(_band(rest, top, page.bbox[3]), "page", page=page.page_number)


def _inside(item: dict[str, Any], boxes: list[tuple[float, ...]]) -> bool:
    if "x0" not in item:
        return False
    x, y = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)


def _band(page: Any, top: float, bottom: float) -> str:
    chars = page.filter(lambda item: top <= (item.get("top", 0) + item.get("bottom", 0)) / 2 < bottom)
    return _tidy(chars.extract_text() or "")


def table_text(rows: Iterable[Iterable[str | None]]) -> str:
    """Return a table as one line a row, cells parted by " | "; a wrapped cell becomes one line."""
    lines = (" | ".join(" ".join((cell or "").split()) for cell in row) for row in rows)
    return "\n".join(line for line in lines if line.strip(" |"))


def _tidy(text: str) -> str:
    # pdfium marks a hyphen at a line's end as U+FFFE (older builds: U+0002); the word is one.
    text = re.sub(r"[\ufffe\x02]\s*\r?\n?", "", text.replace("\r\n", "\n"))
    # Lines are the page's, not the author's: a line that goes on in lower case is the same sentence.
    return re.sub(r"(?<=[\w,;)]) *\n(?=[a-zß-öø-ÿ])", " ", text).strip()


def _title(meta: dict[str, str], pages: list[Block]) -> str:
    title = _clean(meta.get("Title", ""))
    if title and not re.search(r"\.(docx?|tex|indd|qxd|pptx?|xlsx?|dvi)$|^untitled", title, re.I):
        return title
    first = next((block.text for block in pages if block.text.strip()), "").split("\n", 1)[0].strip()
    return first if 3 <= len(first) <= 100 else ""


def _clean(text: str) -> str:
    text = " ".join(text.replace("\0", "").split())
    return "" if text.strip("()").lower() in ("anonymous", "unspecified", "unknown") else text
