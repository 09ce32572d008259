"""note: personal notes as Markdown or plain text.

Front matter gives date, title, tags, author, retention and sensitivity; headings become sections. One file is one item.
"""

from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading, ReadResult
from brain_pipelines.readers.document.markdown import read_markdown
from brain_pipelines.readers.document.plain_text import read_plain
from brain_pipelines.readers.document_date import date_inside
from brain_pipelines.readers.event_time import locate_whole
from brain_pipelines.readers.formats import Reader
from brain_pipelines.readers.registry import readers_of, text_formats
from brain_pipelines.readers.source_policy import stated_in
from brain_pipelines.readers.text_reader import TextReader
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits

# Other text formats that are sent as a note are kept verbatim.
READERS: dict[str, Reader] = {
    **dict.fromkeys(text_formats(), TextReader(read_plain)),
    "markdown": TextReader(read_markdown),
}


def locate(delivery: Delivery, zone: tzinfo, _limits: Limits) -> list[Item]:
    """Return the one item of a note; retention and sensitivity are those of its front matter."""
    item = locate_whole(delivery, zone, lambda: date_inside(delivery.path, zone))
    return [replace(item, meta=stated_in(delivery.path)[0].to_meta())]


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the sections of a note.

    Raises:
        BadInputError: if it is not a text.
    """
    result = read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
    problems = stated_in(path)[1]
    result.issues.extend(Issue(raw_row["source_id"], raw_row["uri"], said, "repaired") for said in problems)
    return result


SOURCE = Source(
    name="note",
    context_type="note",
    description="Notes in Markdown or plain text; front matter is honoured.",
    suffixes=(".md", ".txt"),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    usual_for=tuple(readers_of("text", "contact")),
    aliases=("text-note", "memory_file"),
    own_voice=True,
    chunking=ChunkingConfig(strategy="document", max_size=800, overlap=80, min_size=150),
)
