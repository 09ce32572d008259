"""Addresses that the owner listed: single pages, and the pages of feeds and sitemaps, chosen by words of the query."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.targets import FetchError
from brain_pipelines.connectors.http.urls import absolute, canonical, host_of
from brain_pipelines.ingest.evidence.providers.provider import Found, SearchFailedError
from brain_retrieval.evidence.stance.coverage import forms_in
from brain_retrieval.evidence.trust import owner_of
from brain_retrieval.settings import FetchSettings
from brain_retrieval.settings.evidence import AddressListSettings

MOST_FILES, MOST_BYTES = 10, 16 << 20  # feeds and sitemaps read; bytes of one
TITLE, PLACE = 1.0, 0.7  # what a word of the query counts in the title and in the address


@dataclass(frozen=True)
class _Entry:
    found: Found
    named: bool  # listed as a single page
    place: int


class AddressList:
    """The listed pages of one section. Feeds and sitemaps are read once for a request."""

    listed = True

    def __init__(self, name: str, settings: AddressListSettings, fetch: FetchSettings) -> None:
        self.name, self.received = name, 0
        self._settings = settings
        self._fetcher = Fetcher(fetch.model_copy(update={"max_bytes": MOST_BYTES}))
        self._entries: list[_Entry] | None = None
        self._failed: list[str] = []

    def search(self, query: str, most: int, *, seconds: float) -> list[Found]:
        """Return at most `most` addresses with a word of the query in title or address, then the single pages.

        Raises:
            SearchFailedError: nothing could be read.
        """
        if self._entries is None:
            self._entries = self._read_all(monotonic() + seconds)
        if not self._entries and self._failed:
            raise SearchFailedError("; ".join(self._failed))
        words = forms_in(query, None)
        scored = [(_score(words, one.found), one) for one in self._entries]
        chosen = [(score, one) for score, one in scored if score > 0 or one.named]
        chosen.sort(key=lambda pair: (-pair[0], pair[1].place))
        return [one.found for _, one in chosen[:most]]

    def _read_all(self, until: float) -> list[_Entry]:
        own, found = self._settings, dict[str, _Entry]()
        for url in own.addresses:
            if name := canonical(url):
                found.setdefault(name, _Entry(Found(name), True, len(found)))
        queue = [*own.feeds, *own.sitemaps]
        asked: set[str] = set()
        while queue and len(asked) < MOST_FILES and len(found) < own.most:
            url = queue.pop(0)
            if url in asked:
                continue
            asked.add(url)
            try:
                pages, indexes = self._read(url, until - monotonic())
            except FetchError as error:
                self._failed.append(f"{host_of(url)}: {error}")
                continue
            queue += indexes
            for one in pages[: own.most - len(found)]:
                found.setdefault(one.url, _Entry(one, False, len(found)))
        return list(found.values())

    def _read(self, url: str, seconds: float) -> tuple[list[Found], list[str]]:
        """Return the pages and the further sitemaps of a feed or sitemap; those of other owners are left out."""
        if seconds <= 0:
            raise FetchError("no time is left", "timeout")
        page = self._fetcher.fetch(url, seconds=seconds)
        self.received += len(page.body)
        if page.status != 200:
            raise FetchError(f"answered with {page.status}", "protocol")
        owner = owner_of(host_of(url))
        pages, indexes = [], []
        for kind, link, title in _links(_unpacked(page.body)):
            name = absolute(page.final_url, link)
            if name is None or owner_of(host_of(name)) != owner:
                continue
            if kind == "sitemap":
                indexes.append(name)
            else:
                pages.append(Found(name, title))
        return pages, indexes


def _links(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield (name of the element, address, title) for each entry of a sitemap, RSS or Atom file."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root: Any = etree.fromstring(data, parser)
    except (etree.LxmlError, ValueError):
        root = None
    if root is None:
        raise FetchError("neither a feed nor a sitemap", "protocol")
    for element in root.iter("{*}url", "{*}sitemap", "{*}item", "{*}entry"):
        kind = etree.QName(element).localname
        if kind in ("url", "sitemap"):
            link = element.findtext("{*}loc") or ""
        elif kind == "item":
            link = element.findtext("{*}link") or ""
        else:
            links = [one for one in element.iterfind("{*}link") if one.get("rel", "alternate") == "alternate"]
            link = links[0].get("href", "") if links else ""
        if link.strip():
            yield kind, link.strip(), " ".join((element.findtext("{*}title") or "").split())[:500]


def _unpacked(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return zlib.decompressobj(31).decompress(data, MOST_BYTES)
    except zlib.error:
        raise FetchError("a damaged sitemap", "protocol") from None


def _score(words: tuple[str, ...], found: Found) -> float:
    parts = urlsplit(found.url)
    place = set(forms_in(unquote(f"{parts.path} {parts.query}").replace("-", " ").replace("_", " "), None))
    title = set(forms_in(found.title, None))
    return sum(TITLE if word in title else PLACE if word in place else 0.0 for word in words)
