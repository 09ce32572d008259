"""web-crawl: what the crawler brought, one file a page. A page that another linked to is its child.

Read as `web-page`; the source type of its own keeps what was sought apart from what was wandered into.
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
    """Return one item a page, as `web-page` does."""
    return web_page.locate(delivery, zone, limits)


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the main text of a crawled page, or of the document behind a link.

    Raises:
        BadInputError: if its format is not read, or it is damaged, too large or without text.
    """
    return read_page(raw_row, path, reading, source="web-crawl")


SOURCE = Source(
    name="web-crawl",
    description="Pages that the crawler found from a seed on; depth, job and linking page are kept.",
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
