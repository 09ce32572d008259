"""Ingestion of URLs: pages are fetched or crawled into the inbox, then landed and run like any other file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from brain_pipelines.connectors.crawl.browser import build_render
from brain_pipelines.connectors.crawl.crawler import Crawler, CrawlResult
from brain_pipelines.connectors.crawl.frontier import Frontier
from brain_pipelines.connectors.crawl.job import CrawlJob, InvalidCrawlError, config_of, new_job
from brain_pipelines.connectors.http.archive import keep_page
from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.targets import FetchError
from brain_pipelines.connectors.http.urls import canonical
from brain_pipelines.ingest.console import Bars
from brain_pipelines.ingest.files import LANDING_INTERRUPTED, NothingToIngestError, ingest
from brain_pipelines.ingest.interrupts import on_interrupt
from brain_pipelines.ingest.report import IngestReport
from brain_pipelines.landing.landing import NO_POLICY
from brain_pipelines.landing.own_users import create_space
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings

PAGES, CRAWLED = "web-page", "web-crawl"


def is_url(name: str) -> bool:
    """Return whether an argument is an http(s) URL and not a path."""
    return name.lower().startswith(("http://", "https://"))


def ingest_named(
    home: Home,
    *,
    user: str,
    names: Sequence[str],
    source: str | None = None,
    event_time: datetime | None = None,
    policy: SourcePolicy = NO_POLICY,
    even_forgotten: bool = False,
    bars: Bars | None = None,
) -> IngestReport:
    """Ingest files, directories and URLs, and report.

    Raises:
        NothingToIngestError: if nothing is found, or URLs are given with a source type that only takes files.
    """
    urls = [name for name in names if is_url(name)]
    if urls and source not in (None, PAGES, "web_page", "webpage"):
        raise NothingToIngestError(f"URLs are ingested as '{PAGES}', not as {source!r}")
    paths = [Path(name) for name in names if not is_url(name)]
    with on_interrupt(lambda: LANDING_INTERRUPTED):
        fetched, refused = fetch_pages(home.space(user), load_settings(home.path), urls, bars)
    if not paths and not fetched and urls:
        report = IngestReport(user, PAGES)
    else:
        given: dict[str, Any] = {"event_time": event_time, "policy": policy, "even_forgotten": even_forgotten}
        report = ingest(home, user=user, source=source, paths=[*paths, *fetched], bars=bars, **given)
    for url, reason in refused:
        report.refuse(url, reason)
    return report


def fetch_pages(
    space: Space, settings: Settings, urls: Sequence[str], bars: Bars | None = None
) -> tuple[list[Path], list[tuple[str, str]]]:
    """Fetch pages into the inbox; return the files, and (url, reason) for each page that was not fetched.

    The user asked for these pages explicitly, so robots.txt is not consulted; the limits and checks of the fetcher
    apply.
    """
    fetcher = Fetcher(settings.fetch)
    kept: list[Path] = []
    refused: list[tuple[str, str]] = []
    if bars and urls:
        bars.total("fetching", len(urls))
    for url in dict.fromkeys(urls):
        try:
            page = fetcher.fetch(url)
            if page.status != 200 or not page.body.strip():
                raise FetchError(f"answered with {page.status}" if page.status != 200 else "an empty page", "protocol")
            kept.append(keep_page(space, PAGES, canonical(page.final_url) or page.final_url, page, {}))
        except FetchError as error:
            refused.append((url, str(error)))
        if bars:
            bars.advance()
    return list(dict.fromkeys(kept)), refused


@dataclass
class CrawlReport:
    """Result of a crawl, and the ingestion report of its pages."""

    result: CrawlResult
    ingested: IngestReport
    reasons: list[dict[str, Any]] = field(default_factory=list)  # of URLs that failed or were skipped

    @property
    def success(self) -> bool:
        return self.result.job.status == "completed" and self.ingested.success

    def to_json(self) -> dict[str, Any]:
        return {"job": self.result.job.to_json(), "left_out": self.reasons, "ingest": self.ingested.to_json()}


def crawl(
    home: Home,
    *,
    user: str,
    seeds: Sequence[str] = (),
    resume: str | None = None,
    again: bool = False,
    bars: Bars | None = None,
    **changes: Any,
) -> CrawlReport:
    """Run a crawl job to completion, then ingest its pages.

    Args:
        user: owner of the job and the inbox.
        seeds: start URLs; the same seeds and limits identify the same job, which is resumed.
        resume: id of a job to resume, instead of seeds.
        again: restart a finished job; unchanged pages are not written again.
        bars: progress bars to update.
        changes: fields of CrawlConfig that override the settings.

    Raises:
        InvalidCrawlError: if there is no such job, or no seed.
    """
    settings = load_settings(home.path)
    space = create_space(home.space(user), settings)
    with Frontier(space) as frontier:
        job = _job(frontier, user, settings, seeds, resume, changes)
        job = frontier.open_job(job, again=again)
        result, fresh = CrawlResult(job), job.status == "pending"
        if job.status in ("pending", "running"):
            render, progress = build_render(settings), _on_progress(bars, job)
            crawler = Crawler(space, frontier, job, settings, render=render, progress=progress)
            with on_interrupt(lambda: "interrupted: run the same command again to resume the crawl"):
                result = crawler.run()
        reasons = frontier.left_out(job.id)
    # a run that died before ingesting its pages left them in the inbox
    paths = result.stored if fresh else [path for path in (space.inbox / CRAWLED,) if path.is_dir()]
    report = IngestReport(user, CRAWLED)
    if paths:
        report = ingest(home, user=user, source=CRAWLED, paths=paths, bars=bars)
    return CrawlReport(result, report, reasons)


def _job(
    frontier: Frontier, user: str, settings: Settings, seeds: Sequence[str], resume: str | None, changes: dict[str, Any]
) -> CrawlJob:
    if resume is None:
        return new_job(user, tuple(seeds), config_of(settings.crawl, **changes))
    known = frontier.job(resume)
    if known is None:
        raise InvalidCrawlError(f"no crawl {resume!r}; `brain crawl --list` shows those there are")
    return known


def _on_progress(bars: Bars | None, job: CrawlJob) -> Any:
    def show(counts: dict[str, int]) -> None:
        if bars:
            text = f"crawl: {counts['discovered']} found, {counts['failed']} failed"
            bars.total(text, min(job.config.max_pages, counts["discovered"]))
            bars.advance(counts["processed"])

    return show
