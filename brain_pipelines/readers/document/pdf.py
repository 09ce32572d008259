"""Reader of PDF: pages and ruled tables. Runs in the sandbox's child.

Every word is pdfium's; the lines drawn on a page give its tables their rows and cells. A page without a text layer
becomes a picture for OCR outside the sandbox. Annotations are left out.
"""

import re
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.embedded_documents import remarks
from brain_pipelines.readers.document.pdf_date import pdf_date
from brain_pipelines.readers.document.pdf_page.lines import is_garbled, join, lines_of, place_on
from brain_pipelines.readers.document.pdf_page.outline import page_sections
from brain_pipelines.readers.document.pdf_page.pictures import PictureTaker
from brain_pipelines.readers.document.pdf_page.tables import TableFinder
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MIN_DRAWN = 4  # lines or boxes on a page below which no ruled table is looked for
MAX_DRAWN = 20_000  # a map or a drawing
MIN_CHARS = 20  # of a text layer; below it a page with an image on it is a scan
MAX_OBJECTS = 200_000
MAX_ATTACHMENTS = 100
TAIL_BYTES = 2048
_PASSWORD = re.compile(r"password", re.I)


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return one block per page, and one per ruled table, in reading order.

    Raises:
        BadInputError: if it is encrypted, truncated, damaged, empty, has too many pages or no text at all.
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
        return _read_pages(document, scratch, limits)
    finally:
        document.close()


def _why(message: str, whole: bool) -> str:
    if _PASSWORD.search(message):
        return "encrypted PDF: a password is needed"
    return "damaged PDF: it cannot be opened" if whole else "truncated PDF: its end is missing; send it again"


def _has_trailer(path: Path) -> bool:
    """Return whether the file ends like a PDF; pdfium repairs a truncated file silently, without the lost pages."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - (1 << 16)))
        tail = file.read().rstrip(b"\0\r\n\t ")[-TAIL_BYTES:]
    return b"startxref" in tail or b"%%EOF" in tail


def _read_pages(document: Any, scratch: Path | None, limits: Limits) -> Extracted:
    repairs: list[str] = []
    taker = PictureTaker(scratch, limits)
    tables = TableFinder()
    pages = [_read_page(document, index, taker, tables, repairs) for index in range(len(document))]
    repairs += tables.remarks()
    sections = page_sections(document)
    blocks: list[Block] = []
    for index, page in enumerate(pages):
        own = (*page.blocks, *page.figures)
        blocks += [replace(block, section=sections.get(index)) for block in own]
    scans = [index + 1 for index, page in enumerate(pages) if page.is_scan]
    if not any(block.text.strip() or block.picture for block in blocks):
        raise BadInputError(_no_text(len(document), scans))
    _report(pages, scans, taker, limits, repairs)
    meta = document.get_metadata_dict()
    author = _clean(meta.get("Author", ""))
    attributes: dict[str, Any] = {
        "pages": len(pages),
        "scanned_pages": len(scans),
        "has_text_layer": any(len(block.text) >= MIN_CHARS for page in pages for block in page.blocks),
        "producer": _clean(meta.get("Producer", ""))[:200],
    }
    if names := _attachments(document):
        attributes["attachments"] = names
        repairs += remarks(names)
    return Extracted(
        "pdf", blocks, _title(meta, blocks), [author] if author else [], None, repairs, attributes=attributes
    )


def _attachments(document: Any) -> list[str]:
    """Return the names of attached files, which are not read."""
    count = min(document.count_attachments(), MAX_ATTACHMENTS)
    return [name for n in range(count) if (name := document.get_attachment(n).get_name()[:200])]


def _report(pages: list["_Page"], scans: list[int], taker: PictureTaker, limits: Limits, repairs: list[str]) -> None:
    unread = [n for n in scans if pages[n - 1].blocks[0].picture is None]
    if unread:
        numbers = ", ".join(map(str, unread[:20]))
        read = len(scans) - len(unread)
        if not read:
            why = "an image of a page (a scan)"
        elif read >= limits.max_scanned_pages:
            why = f"more than {limits.max_scanned_pages} scanned pages"
        else:
            why = "drawing the pages took too long"
        repairs.append(f"no text taken from page {numbers}: {why}")
    if taker.left_out:
        most = limits.max_pictures
        repairs.append(f"{taker.left_out} pictures not read: more than {most} in one document, or too slow to decode")


def _no_text(count: int, scans: list[int]) -> str:
    pages = f"{count} page{'s' if count > 1 else ''}"
    return f"no text: {pages}, images only (a scan)" if scans else f"no text: {pages}, all blank"


@dataclass(frozen=True)
class _Page:
    """A page: the blocks of its text and tables (a scan has one, for its picture), and its figures."""

    blocks: list[Block]
    figures: list[Block]
    is_scan: bool = False


def _read_page(document: Any, index: int, taker: PictureTaker, tables: TableFinder, repairs: list[str]) -> _Page:
    import pypdfium2

    number = index + 1
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        repairs.append(f"page {number} is damaged and was left out")
        return _Page([], [])
    textpage = page.get_textpage()
    try:
        lines = lines_of(page, textpage)
        images, paths, drawn = _objects(page)
        text, anchors = join(lines, number)
        if (len(text) < MIN_CHARS and _covers(page, images, some=bool(text))) or is_garbled(lines):
            picture = taker.scan(page, number)
            kept = ("", ()) if picture else (text, anchors)
            return _Page([Block(kept[0], "page", page=number, anchors=kept[1], picture=picture)], [], is_scan=True)
        blocks = tables.blocks(page, textpage, paths, number) if MIN_DRAWN <= drawn <= MAX_DRAWN and text else None
        blocks = blocks or [Block(text, "page", page=number, anchors=anchors)]
        return _Page(blocks, taker.figures(page, number, images))
    finally:
        textpage.close()
        page.close()


def _covers(page: Any, images: list[Any], *, some: bool) -> bool:
    """Return whether a page is a scan: images without text, or with little text and one that fills half the page."""
    boxes = [box for image in images if (box := place_on(page, image.get_bounds()))]
    return bool(images) and (
        not some or any((right - left) * (bottom - top) >= 0.5 for left, top, right, bottom in boxes)
    )


def _objects(page: Any) -> tuple[list[Any], list[Any], int]:
    """Return the images and the drawn paths of a page, and the number of lines or boxes in these."""
    import pypdfium2.raw as raw

    images: list[Any] = []
    paths: list[Any] = []
    drawn = 0
    for item in islice(page.get_objects(max_depth=3), MAX_OBJECTS):
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(item)
        elif item.type == raw.FPDF_PAGEOBJ_PATH:
            paths.append(item)
            # one path may draw a whole grid; a box has five segments
            drawn += max(1, raw.FPDFPath_CountSegments(item.raw) // 5)
    return images, paths, drawn


def _title(meta: dict[str, str], pages: list[Block]) -> str:
    title = _clean(meta.get("Title", ""))
    if title and not re.search(r"\.(docx?|tex|indd|qxd|pptx?|xlsx?|dvi)$|^untitled", title, re.I):
        return title
    first = next((block.text for block in pages if block.text.strip()), "").split("\n", 1)[0].strip()
    return first if 3 <= len(first) <= 100 else ""


def _clean(text: str) -> str:
    text = " ".join(text.replace("\0", "").split())
    return "" if text.strip("()").lower() in ("anonymous", "unspecified", "unknown") else text


def _is_pdf(head: bytes) -> bool:
    # the standard allows 1 kB of anything before the header
    begins = head.lstrip()[:5] == b"%PDF-"
    return b"%PDF-" in head[:1024] and (begins or b"\nendobj" in head or b"\rendobj" in head)


FORMAT = Format(
    "pdf",
    "application/pdf",
    "a PDF",
    family="document",
    suffixes=(".pdf",),
    promised=True,
    structure=_is_pdf,
    # Rendering scanned pages takes additional time.
    read=Isolated(
        read_file,
        ("pypdfium2", "pdfplumber", "PIL.Image", "PIL.PngImagePlugin"),
        seconds=lambda limits: 2 * limits.parse_seconds,
    ),
    date_of=pdf_date,
    advice="; drop it under 'document'",
)
