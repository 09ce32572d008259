"""What every reader of a format family returns: blocks of text with where they come from, and how blocks are joined.

Readers know their format and nothing of sources, users or stores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

SEPARATOR = "\n\n"


@dataclass(frozen=True)
class Block:
    """One structural unit. `raw_start`/`raw_end` count characters of the decoded original, where it is a text."""

    text: str
    kind: str = "body"  # page | message | section | table | body
    raw_start: int | None = None
    raw_end: int | None = None
    section: str | None = None
    page: int | None = None
    message_id: str | None = None
    speaker: str | None = None
    time: datetime | None = None


@dataclass(frozen=True)
class Extracted:
    """The content of one file. `repairs` are corrections worth telling the owner, in words."""

    format: str
    blocks: list[Block]
    title: str = ""
    authors: list[str] = field(default_factory=list)
    language: str | None = None
    repairs: list[str] = field(default_factory=list)


def join_blocks(blocks: Sequence[Block], separator: str = SEPARATOR) -> tuple[str, list[dict[str, Any]]]:
    """Return one text and the segments (dicts of schemas.SEGMENT) that its non-empty blocks became, in order."""
    parts: list[str] = []
    segments: list[dict[str, Any]] = []
    position = 0
    for block in blocks:
        if not block.text.strip():
            continue
        if parts:
            parts.append(separator)
            position += len(separator)
        row = {key: value for key, value in vars(block).items() if key != "text"}  # asdict copies deeply, and slowly
        segments.append({"start": position, "end": position + len(block.text), **row})
        parts.append(block.text)
        position += len(block.text)
    return "".join(parts), segments
