"""Reader of Word documents (.docx): sections and tables. Runs in the sandbox's child.

Text is taken from the XML in document order, with tracked insertions and without tracked deletions, and with foot- and
endnotes in brackets at their reference; headers, footers, comments and the fallback copies of text boxes are left out.
Charts, embedded pictures (for OCR) and embedded documents come at the end.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.archive import check_archive
from brain_pipelines.readers.document.charts import chart_blocks
from brain_pipelines.readers.document.docx_lists import Lists
from brain_pipelines.readers.document.embedded_documents import embedded_documents
from brain_pipelines.readers.document.embedded_images import PictureSink, archive_pictures
from brain_pipelines.readers.document.ooxml import office_date, read_member, stored_pages
from brain_pipelines.readers.document.tables import table_text
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NO_NAMES = {"python-docx", "un-named", "unknown", "author", "microsoft office user"}  # what programs sign with
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = {_W + "del", _W + "moveFrom", _W + "instrText", _FALLBACK}
_WHITE = {_W + "tab": "\t", _W + "br": "\n", _W + "cr": "\n", _W + "noBreakHyphen": "-"}


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return one block per heading with the text below it, and one per table.

    Raises:
        BadInputError: if it is a zip or entity bomb, damaged, encrypted, or without text.
    """
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    check_size(path, limits.max_file_bytes)
    check_archive(path, limits)
    try:
        with path.open("rb") as file:
            document = docx.Document(file)
    except KeyError:
        raise BadInputError("Word document without a main part, or in the Strict variant; save it as .docx") from None
    except (PackageNotFoundError, ValueError) as error:
        raise BadInputError(f"damaged Word document: {str(error)[:120]}") from None
    _insert_notes(path, document.element.body)
    blocks = list(_blocks(document, Lists(path, document.styles.element)))
    sink = PictureSink(limits, scratch)
    blocks += archive_pictures(path, ("word/media/",), sink)
    blocks += chart_blocks(path)
    embedded = embedded_documents(path)
    if not embedded and not any(block.text.strip() or block.picture for block in blocks):
        raise BadInputError("no text in the document")
    properties = document.core_properties
    first = next((block.section for block in blocks if block.section), "")
    title = properties.title or (first or "").split(" > ")[0]
    author = "" if properties.author.lower() in _NO_NAMES else properties.author
    attributes: dict[str, Any] = {"pictures": sink.count}
    if pages := stored_pages(path):
        attributes["pages"] = pages
    authors = [author] if author else []
    return Extracted("docx", blocks, title, authors, repairs=sink.remarks(), attributes=attributes, embedded=embedded)


def _insert_notes(path: Path, body: Any) -> None:
    """Insert the text of each note in brackets at its reference."""
    for kind in ("footnote", "endnote"):
        try:
            root = read_member(path, f"word/{kind}s.xml")
        except BadInputError:  # damaged notes are left out
            continue
        notes = {note.get(_W + "id"): " ".join(_text(note).split()) for note in root} if root is not None else {}
        for call in list(body.iter(f"{_W}{kind}Reference")):
            if text := notes.get(call.get(_W + "id")):
                call.tag, call.text = _W + "t", f" [{text}]"


def _blocks(document: Any, lists: Lists) -> Iterator[Block]:
    levels = _heading_levels(document)
    path: list[tuple[int, str]] = []
    lines: list[str] = []

    def flush() -> Iterator[Block]:
        section = " > ".join(name for _, name in path) or None
        if lines:
            yield Block("\n\n".join(lines), "section" if section else "body", section=section)
        lines.clear()

    for element in _body(document.element.body):
        if element.tag == _W + "tbl":
            yield from flush()
            section = " > ".join(name for _, name in path) or None
            yield Block(table_text(_rows(element)), "table", section=section)
            continue
        text = _text(element).strip()
        style = _style(element)
        level = levels.get(style, 0)
        mark = lists.mark(element, style) if text else ""
        if level and text:
            yield from flush()
            path = [*[entry for entry in path if entry[0] < level], (level, " ".join(text.split()))]
        if text:
            lines.append(text if level else mark + text)
    yield from flush()


def _heading_levels(document: Any) -> dict[str, int]:
    """Return style id -> heading level, also for localised style names; "Title" is level 1 like "Heading 1"."""
    levels: dict[str, int] = {}
    for style in document.styles.element.iterfind(f"{_W}style"):
        name = style.find(f"{_W}name")
        label = (name.get(_W + "val") or "").lower() if name is not None else ""
        if label == "title":
            levels[style.get(_W + "styleId")] = 1
        elif label.startswith("heading ") and label[8:].isdigit():
            levels[style.get(_W + "styleId")] = int(label[8:])
    return levels


def _style(paragraph: Any) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return style.get(_W + "val") or "" if style is not None else ""


def _body(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order, also those inside content controls and inserted passages."""
    for element in parent:
        if element.tag in (_W + "p", _W + "tbl"):
            yield element
        elif element.tag in (_W + "sdt", _W + "sdtContent", _W + "ins", _W + "customXml", _W + "moveTo"):
            yield from _body(element)


def _text(element: Any) -> str:
    if element.tag in _LEFT_OUT:
        return ""
    if element.tag == _W + "t":
        return element.text or ""
    if element.tag in _WHITE:
        return _WHITE[element.tag]
    inner = "".join(_text(child) for child in element)
    # a paragraph inside a paragraph is a text box
    return inner + "\n" if element.tag == _W + "p" else inner


def _rows(table: Any) -> Iterator[list[str]]:
    for row in _own(table, _W + "tr"):
        yield [" ".join(_text(cell).split()) for cell in _own(row, _W + "tc")]


def _own(parent: Any, tag: str) -> Iterator[Any]:
    """Yield the rows of a table or the cells of a row, without those of nested tables."""
    for element in parent:
        if element.tag == tag:
            yield element
        elif element.tag in (_W + "sdt", _W + "sdtContent", _W + "ins", _W + "customXml"):
            yield from _own(element, tag)


FORMAT = Format(
    "docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "a Word document (.docx)",
    family="document",
    suffixes=(".docx",),
    promised=True,
    zip_folder="word/",
    read=Isolated(read_file, ("docx", "PIL.Image")),
    date_of=office_date,
    advice="; drop it under 'document'",
)
