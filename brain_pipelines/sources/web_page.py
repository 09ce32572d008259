"""web-page: web pages as fetched by Brain (WARC), saved by a browser (HTML, MHTML), or in other web archives.

The main text of a page is kept, and its metadata as attributes. Data of the request (URL, time, status, the page that
linked to it) comes with the item.
"""

from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document_date import date_inside
from brain_pipelines.readers.event_time import locate_whole, parse_time
from brain_pipelines.readers.registry import readers_of
from brain_pipelines.readers.webpage.mhtml import saved_headers
from brain_pipelines.sources.parts import parts_config
from brain_pipelines.sources.source import Source
from brain_pipelines.sources.web_archive import locate_records
from brain_pipelines.sources.web_attributes import read_page
from brain_retrieval.settings import ChunkingConfig, Limits, Settings

CHUNKING = ChunkingConfig(strategy="recursive", max_size=1000, overlap=100, min_size=200)
PAGE_CHUNKING = ChunkingConfig(strategy="document", max_size=800, overlap=80, min_size=150)
BY_FORMAT = {"html": PAGE_CHUNKING, "mhtml": PAGE_CHUNKING}
FORMATS = tuple(sorted(readers_of()))


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return one item per page of a web archive; any other file is one item."""
    if detect_format(delivery.path).name == "warc" and (items := locate_records(delivery, zone, limits)):
        return items
    return [locate_whole(delivery, zone, lambda: _date(delivery.path, zone))]


def _date(path: Path, zone: tzinfo) -> tuple[Any, str]:
    if detect_format(path).name == "mhtml":
        return parse_time(str(saved_headers(path).get("Date") or ""), zone), "metadata"
    return date_inside(path, zone)


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the main text of a page, or the text of another fetched document by its format.

    Raises:
        BadInputError: if its format is not supported, or it is damaged, too large or without text.
    """
    return read_page(raw_row, path, reading, source="web-page")


def text_config(settings: Settings) -> Any:
    """Return the settings that the text depends on."""
    return [settings.crawl.extract_media, parts_config(settings)]


SOURCE = Source(
    name="web-page",
    context_type="web",
    description="Web pages: fetched, saved by a browser, or in a web archive.",
    suffixes=(".warc.gz", ".warc", ".html", ".htm", ".mhtml", ".mht"),
    formats=FORMATS,
    locate=locate,
    read=read,
    chunking=CHUNKING,
    chunking_by_format=BY_FORMAT,
    trust="external",
    text_config=text_config,
    usual_for=tuple(readers_of("web")),
    aliases=("web_page", "webpage"),
)
