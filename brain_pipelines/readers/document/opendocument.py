"""Reader of OpenDocument texts and presentations (.odt, .odp): sections, tables, slides. Runs in the sandbox's child.

Notes are in brackets at their reference; comments, deleted passages and tables of contents are left out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.archive import check_archive
from brain_pipelines.readers.document.embedded_documents import embedded_documents, remarks
from brain_pipelines.readers.document.embedded_images import PictureSink, archive_pictures
from brain_pipelines.readers.document.ooxml import archive_facts, check_not_encrypted, opendocument_date, read_member
from brain_pipelines.readers.document.tables import table_text
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import AS_DETECTED, Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_OFFICE, _TEXT, _TABLE, _DRAW = (_NS % name for name in ("office", "text", "table", "drawing"))
_SHOW = _NS % "presentation"
_LEFT_OUT = {
    _OFFICE + "annotation",
    _OFFICE + "annotation-end",
    _TEXT + "tracked-changes",
    _TEXT + "note-citation",
    _TEXT + "table-of-content",
    _OFFICE + "forms",
    _TEXT + "sequence-decls",
}
_WHITE = {_TEXT + "tab": "\t", _TEXT + "line-break": "\n"}
MAX_COLUMNS, MAX_SPACES = 64, 100  # of a repetition; a bomb asks for millions


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return one block per heading or slide with its text, one per table and one per picture.

    Raises:
        BadInputError: if it is a zip or entity bomb, damaged, encrypted, or has neither text nor pictures.
    """
    check_size(path, limits.max_file_bytes)
    check_archive(path, limits)
    check_not_encrypted(path)
    root = read_member(path, "content.xml")
    body = root.find(f"{_OFFICE}body") if root is not None else None
    if body is None:
        raise BadInputError("damaged OpenDocument file: it has no content")
    slides = list(body.iter(_DRAW + "page"))
    if len(slides) > limits.max_pages:
        raise BadInputError(f"too many slides: {len(slides)}, the limit is {limits.max_pages}")
    blocks = [b for n, slide in enumerate(slides, 1) for b in _slide(slide, n)] if slides else list(_text_blocks(body))
    sink = PictureSink(limits, scratch)
    blocks += archive_pictures(path, ("Pictures/",), sink)
    unread = remarks(embedded := embedded_documents(path))
    if not any(block.text.strip() or block.picture for block in blocks):
        raise BadInputError("; ".join(["no text in the document", *unread]))
    facts = archive_facts(path)
    title = facts.get("title") or next((b.section.split(" > ")[0] for b in blocks if b.section), "")
    attributes: dict[str, Any] = {"pictures": sink.count} | ({"pages": len(slides)} if slides else {})
    if embedded:
        attributes["attachments"] = embedded
    return Extracted(
        AS_DETECTED,
        blocks,
        title,
        facts.get("authors", []),
        facts.get("language"),
        [*sink.remarks(), *unread],
        attributes=attributes,
    )


def _text_blocks(body: Any) -> Iterator[Block]:
    path: list[tuple[int, str]] = []
    lines: list[str] = []

    def section() -> str | None:
        return " > ".join(name for _, name in path) or None

    def flush() -> Iterator[Block]:
        if lines:
            yield Block("\n\n".join(lines), "section" if section() else "body", section=section())
        lines.clear()

    for element, depth in _parts(body, 0):
        if element.tag == _TABLE + "table":
            yield from flush()
            yield Block(table_text(_rows(element)), "table", section=section())
            continue
        text = _inner(element).strip()
        if text and element.tag == _TEXT + "h":
            yield from flush()
            level = int(element.get(_TEXT + "outline-level") or 1)
            path = [*[entry for entry in path if entry[0] < level], (level, " ".join(text.split()))]
        if text:
            lines.append(("  " * (depth - 1) + "- " if depth else "") + text)
    yield from flush()


def _parts(parent: Any, depth: int) -> Iterator[tuple[Any, int]]:
    """Yield headings, paragraphs and tables in order, with their depth in lists."""
    for element in parent:
        if element.tag in (_TEXT + "h", _TEXT + "p", _TABLE + "table"):
            yield element, depth
        elif element.tag not in _LEFT_OUT and isinstance(element.tag, str):
            yield from _parts(element, depth + (element.tag == _TEXT + "list"))


def _inner(element: Any) -> str:
    """Return the text of a paragraph with its notes and text boxes."""
    if element.tag == _TEXT + "s":
        return " " * min(int(element.get(_TEXT + "c") or 1), MAX_SPACES)
    if element.tag in _WHITE:
        return _WHITE[element.tag]
    if element.tag in _LEFT_OUT or not isinstance(element.tag, str):
        return ""
    parts = [element.text or ""]
    for child in element:
        # a paragraph inside a paragraph is a text box or a note
        lead = "\n" if child.tag == _TEXT + "p" and element.tag != _TEXT + "note-body" else ""
        parts += [lead, _inner(child), child.tail or ""]
    text = " ".join("".join(parts).split()) if element.tag == _TEXT + "note" else "".join(parts)
    return f" [{text}]" if element.tag == _TEXT + "note" else text


def _rows(table: Any) -> Iterator[list[str]]:
    for row in table.iter(_TABLE + "table-row"):
        cells: list[str] = []
        for cell in row:
            if cell.tag in (_TABLE + "table-cell", _TABLE + "covered-table-cell"):
                text = " ".join(" ".join(_inner(part) for part in cell).split())
                times = min(int(cell.get(_TABLE + "number-columns-repeated") or 1), MAX_COLUMNS)
                cells += [text] * times
        yield cells[:500]


def _slide(slide: Any, number: int) -> Iterator[Block]:
    title: str | None = None
    lines: list[str] = []
    tables: list[str] = []
    notes = ""
    for frame in slide:
        if frame.tag == _SHOW + "notes":
            notes = "\n".join(_lines(frame))
            continue
        for table in frame.iter(_TABLE + "table"):
            tables.append(table_text(_rows(table)))
        if frame.find(f".//{_TABLE}table") is None:
            own = _lines(frame)
            if frame.get(_SHOW + "class") == "title" and own:
                title = " ".join(own)
            lines += own
    yield Block("\n".join(lines), "page", section=title, page=number)
    for text in tables:
        yield Block(text, "table", section=title, page=number)
    if notes:
        yield Block(f"Notes: {notes}", "section", section=title, page=number)


def _lines(frame: Any) -> list[str]:
    texts = (("- " if depth > 1 else "") + _inner(element).strip() for element, depth in _parts(frame, 0))
    return [text for text in texts if text.strip("- ")]


READ = Isolated(read_file, ("lxml.etree", "PIL.Image"))
FORMATS = (
    Format(
        "odt",
        "application/vnd.oasis.opendocument.text",
        "an OpenDocument text",
        family="document",
        suffixes=(".odt",),
        promised=True,
        zip_mimetype=b"opendocument.text",
        read=READ,
        date_of=opendocument_date,
    ),
    Format(
        "odp",
        "application/vnd.oasis.opendocument.presentation",
        "an OpenDocument presentation",
        family="document",
        suffixes=(".odp",),
        zip_mimetype=b"opendocument.presentation",
        read=READ,
        date_of=opendocument_date,
    ),
)
