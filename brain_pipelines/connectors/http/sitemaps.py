"""Sitemap URLs of a site: sitemaps named in robots.txt, and /sitemap.xml (sitemaps.org protocol), with limits."""

import html
import re
import zlib
from collections.abc import Callable
from urllib.parse import urlsplit

from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.robots import Robots
from brain_pipelines.connectors.http.targets import FetchError
from brain_pipelines.connectors.http.urls import canonical, host_of

MAX_FILES, MAX_BYTES = 20, 16 << 20  # sitemap files per site; bytes per file, decompressed
FETCH_SECONDS = 15.0
_LOCATION = re.compile(r"<(?:\w+:)?loc>\s*+(?:<!\[CDATA\[\s*+)?([^<\]\s]{1,2000})", re.I)


def sitemap_urls(seed: str, fetcher: Fetcher, robots: Robots, *, most: int, allows: Callable[[str], bool]) -> list[str]:
    """Return at most `most` canonical page URLs listed by the site of `seed`, in sitemap order.

    Sitemaps that cannot be fetched or parsed are skipped. URLs on other hosts than the sitemap's are ignored.
    """
    parts = urlsplit(seed)
    queue = [*robots.of(seed).sitemaps, f"{parts.scheme}://{parts.netloc}/sitemap.xml"]
    asked: set[str] = set()
    found: dict[str, None] = {}
    while queue and len(asked) < MAX_FILES and len(found) < most:
        url = canonical(queue.pop(0))
        if url is None or url in asked or not allows(url) or not robots.allows(url):
            continue
        asked.add(url)
        text = _text(url, fetcher)
        locations = [canonical(html.unescape(match)) for match in _LOCATION.findall(text)]
        same = [one for one in locations if one and host_of(one) == host_of(url)]
        if "<sitemapindex" in text[:2000]:
            queue += same[:MAX_FILES]
        else:
            found.update(dict.fromkeys(same[: most - len(found)]))
    return list(found)


def _text(url: str, fetcher: Fetcher) -> str:
    try:
        page = fetcher.fetch(url, seconds=FETCH_SECONDS)
    except FetchError:
        return ""
    if page.status != 200:
        return ""
    data = page.body
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(31).decompress(data, MAX_BYTES)
        except zlib.error:
            return ""
    return data[:MAX_BYTES].decode("utf-8", "replace")
