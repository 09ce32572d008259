"""A small loopback site for the crawler, and helpers to run a job over it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from brain_pipelines.connectors.crawl.crawler import Crawler, CrawlResult
from brain_pipelines.connectors.crawl.frontier import Frontier
from brain_pipelines.connectors.crawl.job import CrawlConfig, CrawlJob, new_job
from brain_retrieval.home import Space
from brain_retrieval.settings import CrawlSettings, FetchSettings, Settings
from tests.pipelines.connectors.http.servers import Site, reply

WORDS = "library table calendar launch budget review design token render release bench ferry harbour garden".split()


def text(seed: str) -> str:
    """Return forty words that are unique to this page."""
    start = sum(map(ord, seed))
    return " ".join(f"{WORDS[(start + n * 7) % len(WORDS)]}{seed.strip('/').replace('/', 'x')}{n}" for n in range(40))


def body(path: str, links: list[str], head: str = "") -> str:
    anchors = "".join(f'<li><a href="{link}">link</a></li>' for link in links)
    return (
        f"<html><head><title>{path}</title>{head}</head><body><article><p>{text(path)}</p></article>"
        f"<ul>{anchors}</ul></body></html>"
    )


def answers(pages: dict[str, list[str]]) -> dict[str, Callable[..., bytes]]:
    """Return the responses of a site, given path -> links."""

    def page(path: str, links: list[str]) -> Callable[..., bytes]:
        return lambda _request: reply(body(path, links))

    return {path: page(path, links) for path, links in pages.items()}


def settings(site: Site, **crawl: Any) -> Settings:
    values = {"cool_down_seconds": 0.05, **crawl}
    fetch = FetchSettings(allow_networks=("127.0.0.0/8",), ports=(site.port,), total_seconds=60.0)
    return Settings(fetch=fetch, crawl=CrawlSettings(**values))


def job(site: Site, *, seeds: tuple[str, ...] = ("/",), **config: Any) -> CrawlJob:
    values = {"requests_per_second": 1000.0, "use_sitemaps": False, **config}
    return new_job("alice", tuple(site.url(path) for path in seeds), CrawlConfig(**values))


def crawl(
    home: Path,
    site: Site,
    wanted: CrawlJob,
    *,
    again: bool = False,
    options: Settings | None = None,
    restore: bool = True,
) -> CrawlResult:
    """Run a job to completion and return the result."""
    space = Space(home, "alice").create()
    with Frontier(space) as frontier:
        opened = frontier.open_job(wanted, again=again)
        return Crawler(space, frontier, opened, options or settings(site), retry_seconds=0.02, restore=restore).run()


def states(home: Path, wanted: CrawlJob) -> dict[str, tuple[str, str]]:
    """Return {path: (state, reason)} of every URL of a job."""
    with Frontier(Space(home, "alice")) as frontier:
        rows = frontier.rows("SELECT url, state, coalesce(reason, '') FROM visit WHERE job = ?", (wanted.id,))
    return {"/" + url.split("/", 3)[3]: (state, reason) for url, state, reason in rows}


def kept_files(home: Path) -> list[str]:
    """Return the names of the pages in the inbox, without the digest of their URL."""
    folder = home / "inbox" / "alice" / "web-crawl"
    return sorted(path.name.rsplit("-", 1)[0] for path in folder.rglob("*.warc.gz"))
