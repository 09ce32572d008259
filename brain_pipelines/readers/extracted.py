"""Return type of every reader (`Extracted`: blocks of text with their places) and the joining of blocks to one text.

Readers know their format and have no access to sources, users or stores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

SEPARATOR = "\n\n"
AS_DETECTED = ""  # as `Extracted.format`: the format that was detected from the file's bytes


@dataclass(frozen=True)
class Anchor:
    """Place of the characters `start` to `end` of a block: fields of schemas.PLACE, None where they do not apply."""

    start: int
    end: int
    page: int | None = None
    box: tuple[float, float, float, float] | None = None  # left, top, right, bottom, fractions of the page or picture
    start_seconds: float | None = None
    end_seconds: float | None = None
    cells: str | None = None


@dataclass(frozen=True)
class Block:
    """One structural unit. `raw_start`/`raw_end` count characters of the decoded original, where it is a text.

    `picture` is the name of a PNG in the scratch directory whose text is still to be recognised: `recognise.py` runs
    OCR on it outside the sandbox and appends the result to `text`. `anchors` count characters of `text`.
    """

    text: str
    kind: str = "body"  # as schemas.SEGMENT says
    raw_start: int | None = None
    raw_end: int | None = None
    section: str | None = None
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    start_seconds: float | None = None
    end_seconds: float | None = None
    cells: str | None = None
    message_id: str | None = None
    speaker: str | None = None
    time: datetime | None = None
    anchors: tuple[Anchor, ...] = ()
    picture: str | None = None


@dataclass(frozen=True)
class Extracted:
    """The content of one file. `repairs` are sentences on corrections and omissions, shown to the user.

    `waits` are sentences on what a remote model is to be asked about another time.
    `embedded` names documents within the file, still to be read by `embedded.py` in the sandbox's child.
    `sound` is the name of a 16 kHz mono 16-bit WAV in the scratch directory, still to be transcribed.
    """

    format: str
    blocks: list[Block]
    title: str = ""
    authors: list[str] = field(default_factory=list)
    language: str | None = None
    repairs: list[str] = field(default_factory=list)
    participants: list[str] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)  # plain JSON values
    url: str | None = None  # the address the file gives for itself
    sound: str | None = None
    waits: list[str] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)


_NOT_IN_SEGMENTS = ("text", "anchors", "picture")


def join_blocks(
    blocks: Sequence[Block], separator: str = SEPARATOR
) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
    """Return one text, and the segments and anchors (dicts of schemas.SEGMENT and ANCHOR) of its non-empty blocks."""
    parts: list[str] = []
    segments: list[dict[str, Any]] = []
    anchors: list[dict[str, Any]] = []
    position = 0
    for block in blocks:
        if not block.text.strip():
            continue
        if parts:
            parts.append(separator)
            position += len(separator)
        # dataclasses.asdict makes deep copies, which is slow
        row = {key: value for key, value in vars(block).items() if key not in _NOT_IN_SEGMENTS}
        segments.append({"start": position, "end": position + len(block.text), **row})
        for anchor in block.anchors:
            anchors.append({**vars(anchor), "start": position + anchor.start, "end": position + anchor.end})
        parts.append(block.text)
        position += len(block.text)
    return "".join(parts), segments, anchors
