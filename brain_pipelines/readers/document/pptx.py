"""Reader of PowerPoint slides (.pptx): text, tables, charts, notes, pictures. Runs in the sandbox's child.

A slide is a page. Shapes are read in visual order, and each line of text has the box of its shape as anchor.
Comments, animations and content inherited from the slide master are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.archive import check_archive
from brain_pipelines.readers.document.charts import chart_lines
from brain_pipelines.readers.document.embedded_documents import embedded_documents
from brain_pipelines.readers.document.embedded_images import PictureSink
from brain_pipelines.readers.document.ooxml import archive_facts, office_date
from brain_pipelines.readers.document.tables import table_text
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Anchor, Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_SHAPES = 5000  # of one slide
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Shape:
    shape: Any
    box: Box | None  # of the group it is in, if it is in one


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return blocks: one of text per slide, one per table, one per slide's notes and one per picture.

    Raises:
        BadInputError: if it is a zip or entity bomb, damaged, has too many slides, or neither text nor pictures.
    """
    import pptx

    check_size(path, limits.max_file_bytes)
    check_archive(path, limits)
    try:
        with path.open("rb") as file:
            deck = pptx.Presentation(file)
        slides = list(deck.slides)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # python-pptx passes on the errors of five other libraries
        raise BadInputError(f"damaged presentation: {type(error).__name__}: {str(error)[:100]}") from None
    if len(slides) > limits.max_pages:
        raise BadInputError(f"too many slides: {len(slides)}, the limit is {limits.max_pages}")
    sink = PictureSink(limits, scratch)
    size = (deck.slide_width or 1, deck.slide_height or 1)
    repairs: list[str] = []
    blocks: list[Block] = []
    for number, slide in enumerate(slides, 1):
        blocks += _slide_blocks(slide, number, size, sink, repairs)
    embedded = embedded_documents(path)
    if not embedded and not any(block.text.strip() or block.picture for block in blocks):
        raise BadInputError("no text in the presentation")
    facts = archive_facts(path)
    title = facts.get("title", "")
    if not title or title.lower() == "powerpoint presentation":
        title = next((block.section for block in blocks if block.section), "")
    attributes: dict[str, Any] = {"pages": len(slides), "pictures": sink.count}
    repairs += sink.remarks()
    authors = facts.get("authors", [])
    return Extracted("pptx", blocks, title, authors, repairs=repairs, attributes=attributes, embedded=embedded)


def _slide_blocks(slide: Any, number: int, size: tuple[int, int], sink: PictureSink, repairs: list[str]) -> list[Block]:
    title = _title(slide)
    blocks: list[Block] = []
    lines: list[tuple[str, Box | None]] = []
    try:
        for found in _ordered(slide, size):
            _read_shape(found, number, title, sink, lines, blocks)
        notes = slide.notes_slide.notes_text_frame.text.strip() if slide.has_notes_slide else ""
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        repairs.append(f"slide {number} is damaged and was read in part ({type(error).__name__})")
        notes = ""
    page = _text_block(lines, number, title)
    found = [page, *blocks] if page.text else blocks
    if notes:
        found.append(Block(f"Notes: {notes}", "section", section=title, page=number))
    return found


def _title(slide: Any) -> str | None:
    try:
        shape = slide.shapes.title
        return " ".join(shape.text_frame.text.split())[:200] or None if shape is not None else None
    except (AttributeError, ValueError, KeyError):
        return None


def _ordered(slide: Any, size: tuple[int, int]) -> list[_Shape]:
    """Return the shapes without groups: the title first, the others from top to bottom, rows from left to right."""
    stack = [_Shape(shape, None) for shape in reversed(list(slide.shapes))]
    flat: list[_Shape] = []
    while stack and len(flat) < MAX_SHAPES:
        found = stack.pop()
        box = found.box or _box(found.shape, size)
        if hasattr(found.shape, "shapes"):
            stack += [_Shape(inner, box) for inner in reversed(list(found.shape.shapes))]
        else:
            flat.append(_Shape(found.shape, box))
    first = slide.shapes.title
    own = first.shape_id if first is not None else None
    return sorted(flat, key=lambda f: (f.shape.shape_id != own, *((round(f.box[1], 1), f.box[0]) if f.box else (2, 0))))


def _box(shape: Any, size: tuple[int, int]) -> Box | None:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    edges = (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
    left, top, right, bottom = (round(min(1.0, max(0.0, edge / size[n % 2])), 4) for n, edge in enumerate(edges))
    return (left, top, right, bottom) if left < right and top < bottom else None


def _read_shape(
    found: _Shape,
    number: int,
    title: str | None,
    sink: PictureSink,
    lines: list[tuple[str, Box | None]],
    blocks: list[Block],
) -> None:
    shape = found.shape
    if getattr(shape, "has_table", False):
        rows = ([cell.text for cell in row.cells] for row in shape.table.rows)
        blocks.append(Block(table_text(rows), "table", section=title, page=number, box=found.box))
    elif getattr(shape, "has_chart", False):
        lines.extend((line, found.box) for line in chart_lines(shape.chart._chartSpace))
    elif hasattr(type(shape), "image"):  # python-pptx's own accessor would look for a linked file
        if block := sink.take(_image_bytes(shape), page=number, box=found.box, section=title):
            blocks.append(block)
    elif shape.has_text_frame:
        lines.extend((line, found.box) for line in _paragraphs(shape.text_frame))


def _image_bytes(shape: Any) -> bytes:
    try:
        return shape.image.blob
    except (ValueError, KeyError, AttributeError):  # linked, not embedded
        return b""


def _paragraphs(frame: Any) -> Iterator[str]:
    for paragraph in frame.paragraphs:
        text = " ".join(paragraph.text.replace("\v", " ").split())
        if text:
            yield ("  " * (paragraph.level - 1) + "- " if paragraph.level else "") + text


def _text_block(lines: list[tuple[str, Box | None]], number: int, title: str | None) -> Block:
    anchors = []
    position = 0
    for text, box in lines:
        if box:
            anchors.append(Anchor(position, position + len(text), page=number, box=box))
        position += len(text) + 1
    return Block("\n".join(text for text, _ in lines), "page", section=title, page=number, anchors=tuple(anchors))


FORMAT = Format(
    "pptx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "PowerPoint slides (.pptx)",
    family="document",
    suffixes=(".pptx",),
    promised=True,
    zip_folder="ppt/",
    read=Isolated(read_file, ("pptx", "PIL.Image")),
    date_of=office_date,
)
