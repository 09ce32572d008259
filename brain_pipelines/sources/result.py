"""From what a reader found to what a source returns: one text with its segments, and repairs as issues."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brain_pipelines.issue import Issue
from brain_pipelines.media.event_time import file_name
from brain_pipelines.media.extracted import SEPARATOR, Extracted, join_blocks
from brain_pipelines.media.readers import Reader, read_by_format
from brain_pipelines.sources.source import ReadResult
from brain_retrieval.settings import Limits


def read_whole(
    raw_row: dict[str, Any], path: Path, limits: Limits, *, readers: Mapping[str, Reader], source: str
) -> ReadResult:
    """Read a file that is one item by the reader of its format.

    Raises:
        BadInputError: if the source does not read the format, or its reader refuses the file.
    """
    name = file_name(raw_row["uri"])
    found = read_by_format(path, limits, detected=raw_row["format"], name=name, readers=readers, source=source)
    return to_result(raw_row, found)


def to_result(raw_row: dict[str, Any], found: Extracted, *, separator: str = SEPARATOR) -> ReadResult:
    """Return the read result of an item; a text without a title is called after its file."""
    text, segments = join_blocks(found.blocks, separator)
    return ReadResult(
        title=found.title or title_of_name(raw_row["uri"]),
        text=text,
        format=found.format,
        segments=segments,
        authors=found.authors,
        language=found.language,
        issues=[Issue(raw_row["source_id"], raw_row["uri"], reason, "repaired") for reason in found.repairs],
    )


def title_of_name(uri: str) -> str:
    """Return the file name of a uri as words, without its suffix."""
    stem = file_name(uri).rsplit(".", 1)[0] if "." in file_name(uri)[1:] else file_name(uri)
    return " ".join(stem.replace("_", " ").split()) or "untitled"
