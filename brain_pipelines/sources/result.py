"""Conversion of a reader's content to the result of a source: one text with segments, and repairs as issues."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brain_pipelines.readers.by_format import read_by_format
from brain_pipelines.readers.contract import Issue, Reading, ReadResult
from brain_pipelines.readers.extracted import SEPARATOR, Extracted, join_blocks
from brain_pipelines.readers.formats import Reader
from brain_pipelines.readers.recognise import recognise

_ID = re.compile(r"[ _-][0-9a-f]{32}$")


def read_whole(
    raw_row: dict[str, Any], path: Path, reading: Reading, *, readers: Mapping[str, Reader], source: str
) -> ReadResult:
    """Read a file that is one item with the reader of its format, including OCR and speech recognition.

    Raises:
        BadInputError: if the source does not read the format, or its reader refuses the file.
    """
    found = read_by_format(
        path, reading, detected=raw_row["format"], name=raw_row["name"], readers=readers, source=source
    )
    return to_result(raw_row, recognise(found, reading))


def to_result(raw_row: dict[str, Any], found: Extracted, *, separator: str = SEPARATOR) -> ReadResult:
    """Return the read result of an item; the file's name is the title of a text without one."""
    text, segments, anchors = join_blocks(found.blocks, separator)
    key = (raw_row["source_id"], raw_row["uri"])
    issues = [Issue(*key, reason, "repaired") for reason in found.repairs]
    issues += [Issue(*key, reason, "waiting") for reason in found.waits]
    return ReadResult(
        title=found.title or title_of_name(raw_row["name"]),
        text=text,
        format=found.format,
        segments=segments,
        authors=found.authors,
        language=found.language,
        issues=issues,
        anchors=anchors,
        participants=found.participants or found.authors,
        attributes=found.attributes,
        url=found.url,
    )


def title_of_name(name: str) -> str:
    """Return a file name as words, without its suffix and the id that an app has put behind its title."""
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    stem = _ID.sub("", stem) or stem
    return " ".join(stem.replace("_", " ").split()) or "untitled"
