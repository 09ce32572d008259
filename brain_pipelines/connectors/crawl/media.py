"""Pictures and recordings of crawled pages: fetched if the job asks for it, each stored as a file of its own.

They go through the same fetcher as pages, so addresses, sizes and seconds are checked alike, and robots.txt of their
host holds. A file names its page as parent and linking page, and is read by its own format.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from brain_pipelines.connectors.crawl.job import CrawlConfig
from brain_pipelines.connectors.http.archive import keep_page, page_path
from brain_pipelines.connectors.http.fetch import Fetcher, Page
from brain_pipelines.connectors.http.robots import Robots
from brain_pipelines.connectors.http.targets import FetchError, Target
from brain_pipelines.connectors.http.urls import canonical
from brain_retrieval.home import Space

SMALL_PICTURE = 4 << 10  # bytes; a smaller picture is an icon, a line or a tracking pixel
KINDS = ("image/", "audio/")
_DRAWING = "image/svg+xml"  # no picture reader takes it


@dataclass
class MediaFetcher:
    """Fetches the media of pages for one job, one after the other, at the job's pace for each host."""

    space: Space
    source: str
    config: CrawlConfig
    fetcher: Fetcher
    robots: Robots
    most: int  # files of one page
    interval: float  # seconds between two requests to one host
    _last: dict[str, float] = field(default_factory=dict)  # host -> monotonic time of the last request

    def collect(self, urls: Iterable[str], fields: dict[str, str | int | None]) -> list[Path]:
        """Fetch and store the pictures and recordings at absolute URLs, and return the files written.

        Those already stored are not fetched again; what does not answer, is too large or is no picture or recording is
        left out. `fields` are those of the metadata record, with the page as "via" and "parent".
        """
        return list(self._collected(dict.fromkeys(urls), fields))

    def _collected(self, urls: Iterable[str], fields: dict[str, str | int | None]) -> Iterator[Path]:
        asked = 0
        for url in urls:
            name = canonical(url)
            if name is None or asked >= self.most:
                continue
            if page_path(self.space, self.source, name).is_file():
                continue
            asked += 1
            page = self._fetched(name)
            if page is not None and self._is_wanted(page):
                yield keep_page(self.space, self.source, name, page, fields)

    def _fetched(self, url: str) -> Page | None:
        host = urlsplit(url).netloc
        time.sleep(max(0.0, self._last.get(host, 0.0) + self.interval - time.monotonic()))
        try:
            return self.fetcher.fetch(url, before_hop=self._check, seconds=self.config.timeout_seconds)
        except FetchError:
            return None
        finally:
            self._last[host] = time.monotonic()

    def _check(self, target: Target) -> None:
        # media often lie on another host than their page: only the exclude patterns of the job hold
        if self.config.excludes(target.url) or not self.robots.allows(target.url):
            raise FetchError("left out by the job or by robots.txt", "refused")

    def _is_wanted(self, page: Page) -> bool:
        kind = page.content_type
        if page.status != 200 or not kind.startswith(KINDS) or kind == _DRAWING:
            return False
        return kind.startswith("audio/") or len(page.body) >= SMALL_PICTURE
