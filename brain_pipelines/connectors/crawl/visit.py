"""Evaluation of one response: stored, unchanged, duplicate, gone, or refused. Retries are decided in `crawler.py`."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from brain_pipelines.connectors.crawl.frontier import Frontier, Kept, Visit, refreshed
from brain_pipelines.connectors.crawl.job import CrawlJob
from brain_pipelines.connectors.crawl.media import MediaFetcher
from brain_pipelines.connectors.http.archive import keep_page, page_path, stored_origin, uri_of
from brain_pipelines.connectors.http.fetch import Page, Validators
from brain_pipelines.connectors.http.urls import absolute, may_be_page, page_name
from brain_pipelines.readers.webpage.page_links import PAGE_LINKS
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Space
from brain_retrieval.settings import Limits

SOURCE = "web-crawl"
AGENT, NAMED = "agent", (None, "named")  # origins: an agent gave the seeds, the owner did
MAX_LINKS = 500
MIN_WORDS = 20  # shorter texts are no evidence that two pages are duplicates
GONE = (404, 410)
_HTML = ("text/html", "application/xhtml+xml", "")
_OTHER = ("application/pdf", "text/plain", "text/markdown", "application/epub+zip", "application/rtf")
_OFFICE = ("application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument.")

Render = Callable[[str], Page | None]  # URL -> page after its scripts have run; None on failure


@dataclass(frozen=True)
class Verdict:
    """Result of a visit: `state` as in the frontier; `stored` is the file if the inbox changed."""

    state: str  # done | failed | skipped
    reason: str = ""
    stored: Path | None = None


@dataclass(frozen=True)
class _PageInfo:
    """What the crawl needs from a page: canonical URL, text digest, word count, links, media, robots directives."""

    name: str
    words: str
    count: int
    links: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    index: bool = True
    follow: bool = True


@dataclass
class Visitor:
    """Evaluates the responses of one job and stores pages. Single-threaded: it writes the frontier and the inbox."""

    space: Space
    frontier: Frontier
    job: CrawlJob
    limits: Limits
    render: Render | None = None
    media: MediaFetcher | None = None
    restore: bool = True  # store a page again that the user removed from the inbox
    stored: list[Path] = field(default_factory=list)

    def validators(self, url: str) -> Validators | None:
        """Return the validators of an earlier response, if its file is still in the inbox."""
        kept = self.frontier.kept(url)
        if kept is None or not page_path(self.space, SOURCE, kept.name).is_file():
            return None
        return Validators(kept.final_url, kept.etag, kept.last_modified)

    def process(self, visit: Visit, page: Page) -> Verdict:
        """Record a final response (one that is not retried) and return the verdict."""
        if page.status == 304 and (kept := self.frontier.kept(visit.url)):
            links = self._followed(kept.links)
            self.frontier.finish(
                self.job, visit, "done", name=kept.name, links=links, kept=refreshed(kept, page.fetched_at)
            )
            return Verdict("done", "unchanged")
        if page.status != 200:
            return self._refused(visit, page)
        if page.content_type not in (*_HTML, *_OTHER) and not page.content_type.startswith(_OFFICE):
            return self._end(visit, "skipped", f"no page: {page.content_type[:60]}")
        if not page.body.strip():
            return self._end(visit, "failed", "an empty page")
        return self._process_page(visit, page)

    def _refused(self, visit: Visit, page: Page) -> Verdict:
        kept = self.frontier.kept(visit.url)
        gone = page.status in GONE
        reason = f"gone: answered with {page.status}" if gone else f"answered with {page.status}"
        self.frontier.finish(
            self.job, visit, "failed", reason=reason, name=kept.name if kept else None, gone=gone and kept is not None
        )
        return Verdict("failed", reason)

    def _process_page(self, visit: Visit, page: Page) -> Verdict:
        info = self._page_info(page)
        if info.count < MIN_WORDS and self.render and page.content_type in _HTML:
            rendered = self.render(page.final_url)
            if rendered is not None:
                page, info = rendered, self._page_info(rendered)
        links = self._followed(info.links) if info.follow else ()
        if self.frontier.visited(self.job.id, info.name, visit.url):
            return self._end(visit, "skipped", f"the same page as {info.name}")
        if not info.index:
            self.frontier.finish(self.job, visit, "skipped", reason="asks not to be kept (noindex)", links=links)
            return Verdict("skipped", "asks not to be kept (noindex)")
        if info.count >= MIN_WORDS and (duplicates := self._duplicates(info)):
            return self._end(visit, "skipped", f"the same words as {duplicates[0]}")
        return self._keep(visit, page, info, links)

    def _keep(self, visit: Visit, page: Page, info: _PageInfo, links: tuple[str, ...]) -> Verdict:
        before = self.frontier.kept(info.name)
        digest = hashlib.sha256(page.body).hexdigest()
        there = page_path(self.space, SOURCE, info.name).is_file()
        if before and not there and not self.restore:
            return self._end(visit, "skipped", "removed from the inbox by its owner")
        # equal visible text counts as unchanged: markup often differs per request (tokens, ads, timestamps)
        same = before is not None and there and (digest == before.digest or info.words == before.words != "")
        origin = self._origin(page, page_path(self.space, SOURCE, info.name))
        same = same and (origin is not None or stored_origin(page_path(self.space, SOURCE, info.name)) != AGENT)
        parent = before.parent if before and there else self._parent(visit, info.name)
        path = None
        if not same:
            fields = {"via": visit.parent, "depth": visit.depth, "job": self.job.id, "parent": parent, "origin": origin}
            rendered = {"rendered": "yes"} if ("x-rendered", "yes") in page.headers else {}
            path = keep_page(self.space, SOURCE, info.name, page, {**fields, **rendered})
            self.stored.append(path)
            if self.media is not None and info.media:
                own = {"via": page.final_url, "depth": visit.depth, "job": self.job.id, "origin": origin, "part": "yes"}
                self.stored += self.media.collect(info.media, {**own, "parent": uri_of(self.space, path)})
        etag, modified = page.header("etag")[:500] or None, page.header("last-modified")[:100] or None
        kept = Kept(info.name, page.final_url, etag, modified, digest, info.words, parent, info.links, page.fetched_at)
        self.frontier.finish(self.job, visit, "done", name=info.name, links=links, kept=kept)
        return Verdict("done", "unchanged" if same else "stored", path)

    def _origin(self, page: Page, path: Path) -> str | None:
        """Return how Brain came to a page; None: its owner named the site, now or when it was stored before."""
        if not self.job.is_of_seeds(page.final_url):
            return "followed"
        named = path.is_file() and stored_origin(path) in NAMED
        return AGENT if self.job.config.by_agent and not named else None

    def _parent(self, visit: Visit, name: str) -> str | None:
        """Return the uri of the linking page, if it is stored."""
        linking = self.frontier.name_of(self.job.id, visit.parent) if visit.parent else None
        if linking is None or linking == name:
            return None
        path = page_path(self.space, SOURCE, linking)
        return uri_of(self.space, path) if path.is_file() else None

    def _duplicates(self, info: _PageInfo) -> list[str]:
        others = self.frontier.duplicates(info.name, info.words)
        return [other for other in others if page_path(self.space, SOURCE, other).is_file()]

    def _followed(self, links: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(url for url in links if may_be_page(url) and self.job.config.allows(url))

    def _page_info(self, page: Page) -> _PageInfo:
        own = page_name(page.final_url, None) or page.final_url
        if page.content_type not in _HTML:
            return _PageInfo(own, hashlib.sha256(page.body).hexdigest(), MIN_WORDS)
        try:
            found = self._read(page.body)
        except BadInputError:
            return _PageInfo(own, "", 0)
        base = absolute(page.final_url, found.get("base", "")) or page.final_url
        name = page_name(page.final_url, found.get("canonical")) or own
        if not self.job.config.allows(name):
            name = own
        resolved = (absolute(base, link) for link in found.get("links", []))
        links = tuple(dict.fromkeys(link for link in resolved if link and link != name))[:MAX_LINKS]
        directives = self._robots_directives(f"{found.get('robots', '')},{page.header('x-robots-tag')}")
        media = tuple(link for one in found.get("media", []) if (link := absolute(base, one["url"])))
        return _PageInfo(name, found["digest"], found["words"], links, media, *directives)

    def _robots_directives(self, text: str) -> tuple[bool, bool]:
        """Return (index, follow) from the robots meta tag and the X-Robots-Tag header."""
        words = set(re.split(r"[\s,:]+", text.lower())) if self.job.config.respect_robots_txt else set()
        return not words & {"noindex", "none"}, not words & {"nofollow", "none"}

    def _read(self, body: bytes) -> dict[str, Any]:
        self.space.scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(dir=self.space.scratch, prefix="page-") as file:
            file.write(body)
            file.flush()
            return PAGE_LINKS(Path(file.name), self.limits).attributes

    def _end(self, visit: Visit, state: str, reason: str) -> Verdict:
        self.frontier.finish(self.job, visit, state, reason=reason)
        return Verdict(state, reason)
