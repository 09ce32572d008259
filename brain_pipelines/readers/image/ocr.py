"""OCR of the pictures that a reader wrote to its scratch directory: text with boxes. Runs outside the sandbox.

The pictures are plain PNGs that the sandbox's child wrote; no bytes of the original file are decoded here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import SEPARATOR, Anchor, Block, Extracted
from brain_retrieval.models.vision.build import build_ocr
from brain_retrieval.models.vision.protocol import OcrReader, TextLine
from brain_retrieval.settings import Settings

_WRAPPED = re.compile(r"[\w,;]$")
_GOES_ON = re.compile(r"^[a-zß-öø-ÿ(]")


def read_pictures(found: Extracted, reading: Reading) -> Extracted:
    """Return `found` with the text of its pictures appended to their blocks, each piece of a line with its box.

    A block without its own text whose picture has none is left out. With OCR switched off every picture counts as
    having none, and a repair says so.

    Raises:
        ModelMissingError: if the OCR model is not installed.
    """
    reader = build_ocr(reading.settings)
    blocks = [_recognised(block, reader, reading.scratch) for block in found.blocks]
    repairs = list(found.repairs)
    if reader is None:
        count = sum(block.picture is not None for block in found.blocks)
        repairs.append(f"{count} picture{'s' * (count != 1)} not read: text recognition is switched off")
    kept = [new for old, new in zip(found.blocks, blocks, strict=True) if old.picture is None or new.text.strip()]
    return replace(found, blocks=kept, repairs=repairs)


def picture_config(settings: Settings) -> list[Any]:
    """Return the settings that the text of pictures depends on."""
    return [settings.ocr.provider, settings.ocr.min_confidence, settings.ocr.max_side]


def _recognised(block: Block, reader: OcrReader | None, scratch: Path) -> Block:
    if block.picture is None:
        return block
    lines = read_lines(block.picture, reader, scratch)
    return with_lines(replace(block, picture=None), lines)


def read_lines(picture: str, reader: OcrReader | None, scratch: Path) -> list[TextLine]:
    """Return the lines of a picture in scratch, [] without a reader."""
    if Path(picture).name != picture:
        raise ValueError(f"{picture!r} is not a name in the scratch directory")
    return reader.read(scratch / picture) if reader else []


def with_lines(block: Block, lines: Sequence[TextLine]) -> Block:
    """Return `block` with the text of `lines` appended after a blank line, and an anchor for each of them."""
    if not lines:
        return block
    lead = block.text + SEPARATOR if block.text.strip() else ""
    text, anchors = join_lines(lines, offset=len(lead), page=block.page)
    return replace(block, text=lead + text, anchors=(*block.anchors, *anchors))


def join_lines(
    lines: Sequence[TextLine], *, offset: int = 0, page: int | None = None
) -> tuple[str, tuple[Anchor, ...]]:
    """Return lines as text: rows below each other, wrapped sentences joined, paragraphs separated by a blank line.

    Args:
        lines: in reading order.
        offset: number of characters of the block before this text.
        page: for the anchors.
    """
    parts: list[str] = []
    anchors: list[Anchor] = []
    previous: TextLine | None = None
    position = offset
    for line in lines:
        glue = _glue(previous, line)
        if glue == "" and previous is not None:
            parts[-1] = parts[-1][:-1]  # the hyphen at the end of a row
            position -= 1
            anchors[-1] = replace(anchors[-1], end=position)
        parts += [glue, line.text]
        start = position + len(glue)
        position = start + len(line.text)
        anchors.append(Anchor(start, position, page=page, box=line.box))
        previous = line
    return "".join(parts), tuple(anchors)


def _glue(previous: TextLine | None, line: TextLine) -> str:
    """Return the separator between two pieces of text; "" if the second continues a hyphenated word."""
    if previous is None:
        return ""
    if previous.paragraph != line.paragraph:
        return SEPARATOR
    if previous.row == line.row:
        return " "
    if not _GOES_ON.match(line.text):
        return "\n"
    if re.search(r"[^\W\d_]{2}-$", previous.text):
        return ""
    return " " if _WRAPPED.search(previous.text) and len(previous.text) > 20 else "\n"
