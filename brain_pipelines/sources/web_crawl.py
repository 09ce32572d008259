"""web-crawl: pages that the crawler fetched, one file per page. A page is the child of the page that linked to it.

Read like `web-page`; a separate source type, so that crawled pages can be distinguished from pages the user asked for.
"""

from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.sources import web_page
from brain_pipelines.sources.source import Source
from brain_pipelines.sources.web_attributes import read_page
from brain_retrieval.settings import Limits


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return one item per page, as `web-page` does."""
    return web_page.locate(delivery, zone, limits)


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the main text of a crawled page, or of the document behind a link.

    Raises:
        BadInputError: if its format is not supported, or it is damaged, too large or without text.
    """
    return read_page(raw_row, path, reading, source="web-crawl")


SOURCE = Source(
    name="web-crawl",
    context_type="web",
    description="Pages that the crawler found starting at a seed URL, with depth, job and linking page.",
    suffixes=(".warc.gz",),
    formats=web_page.FORMATS,
    locate=locate,
    read=read,
    chunking=web_page.CHUNKING,
    chunking_by_format=web_page.BY_FORMAT,
    trust="external",
    text_config=web_page.text_config,
    aliases=("web_crawl", "crawl"),
)
