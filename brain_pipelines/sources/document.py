"""document: files kept for reference: PDF, Office files, e-books, web pages, tables, texts.

A document is read by the format of its bytes; a wrong suffix is reported. Binary formats are parsed in a child process.
"""

import re
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.chat.json_table import is_table
from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.document_date import date_inside
from brain_pipelines.readers.event_time import locate_whole
from brain_pipelines.readers.image.ocr import picture_config
from brain_pipelines.readers.registry import readers_of, suffixes_of
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.settings import ChunkingConfig, Limits

FAMILIES = ("document", "text", "notes", "chat", "data", "captions")
READERS = readers_of(*FAMILIES)


def locate(delivery: Delivery, zone: tzinfo, _limits: Limits) -> list[Item]:
    """Return the one item of a document, with the date inside it as event time if there is one."""
    return [locate_whole(delivery, zone, lambda: date_inside(delivery.path, zone))]


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the pages, sections and tables of a document.

    Raises:
        BadInputError: if the format is not read here, or the file is damaged, encrypted, too large or without text.
    """
    return read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)


SOURCE = Source(
    name="document",
    context_type="document",
    description="Documents of others: PDF, Office and OpenDocument files, e-books, web pages, tables, text, JSON.",
    suffixes=suffixes_of(*FAMILIES),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    chunking=ChunkingConfig(strategy="recursive", max_size=1000, overlap=100, min_size=200),
    chunking_by_format={"html": ChunkingConfig(strategy="document", max_size=800, overlap=80, min_size=150)},
    trust="external",
    text_config=picture_config,
    named=re.compile(r".\.(?:html?|[ct]sv|org|rst)$", re.I),  # a fragment of the format
    instead_of="note",
    claims=lambda _path, detected, head: detected == "jsonl" and is_table(head),
)
