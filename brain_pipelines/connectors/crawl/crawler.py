"""The crawl loop: which page is fetched next, how often a failing page is retried, and when the job is done.

Pages are fetched in threads, one request per host at a time; results are evaluated and recorded by the thread that runs
the loop. Breadth first: the pages of a host come in order of depth.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from brain_pipelines.connectors.crawl.frontier import Frontier, Visit
from brain_pipelines.connectors.crawl.job import CrawlJob
from brain_pipelines.connectors.crawl.media import MediaFetcher
from brain_pipelines.connectors.crawl.visit import SOURCE, Render, Visitor
from brain_pipelines.connectors.http.fetch import Fetcher, Page, Validators
from brain_pipelines.connectors.http.pace import BUSY, Pace
from brain_pipelines.connectors.http.robots import Robots
from brain_pipelines.connectors.http.sitemaps import sitemap_urls
from brain_pipelines.connectors.http.targets import FetchError, Target
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings

POLL_SECONDS = 0.2
RETRY_SECONDS = 5.0  # before the second attempt; doubles with each attempt
SERVER_ERRORS = range(500, 600)
Progress = Callable[[dict[str, int]], None]


class _DisallowedError(FetchError):
    """robots.txt or the job's own limits forbid a request."""


@dataclass
class CrawlResult:
    """Result of a run of a job: the job with its progress, and the inbox files written."""

    job: CrawlJob
    stored: list[Path] = field(default_factory=list)


class Crawler:
    """Runs one job until no pages are left or its page limit is reached."""

    def __init__(
        self,
        space: Space,
        frontier: Frontier,
        job: CrawlJob,
        settings: Settings,
        *,
        fetcher: Fetcher | None = None,
        render: Render | None = None,
        progress: Progress = lambda _counts: None,
        retry_seconds: float = RETRY_SECONDS,
        restore: bool = True,
    ) -> None:
        self._frontier, self._job, self._settings = frontier, job, settings
        self._fetcher = fetcher or Fetcher(settings.fetch, user_agent=job.config.user_agent)
        self._robots = Robots(self._fetcher, respect=job.config.respect_robots_txt)
        self._pace = Pace(
            interval=max(1.0 / job.config.requests_per_second, job.config.delay_seconds),
            cool_down=settings.crawl.cool_down_seconds,
            block_after=settings.crawl.block_after,
        )
        media = None
        if job.config.extract_media:
            interval, most = 1.0 / job.config.requests_per_second, settings.crawl.media_per_page
            interval = max(interval, job.config.delay_seconds)
            media = MediaFetcher(space, SOURCE, job.config, self._fetcher, self._robots, most, interval)
        self._visitor = Visitor(space, frontier, job, settings.limits, render, media, restore)
        self._progress, self._retry_seconds = progress, retry_seconds
        self._running: dict[Future[Page], Visit] = {}

    def run(self) -> CrawlResult:
        """Visit pages until the job is done, and return its result."""
        self._frontier.set_status(self._job.id, "running")
        for host in self._frontier.blocked_hosts():
            self._pace.block(host)
        with ThreadPoolExecutor(self._settings.crawl.hosts_in_parallel, thread_name_prefix="crawl") as pool:
            try:
                self._read_sitemaps()
                self._loop(pool)
            finally:
                for future in self._running:
                    future.cancel()
        counts = self._frontier.progress(self._job.id)
        error = "no page could be fetched" if not counts["processed"] else ""
        self._frontier.set_status(self._job.id, "failed" if error else "completed", error)
        return CrawlResult(self._frontier.job(self._job.id) or self._job, self._visitor.stored)

    def _loop(self, pool: ThreadPoolExecutor) -> None:
        while True:
            self._start(pool)
            if self._running:
                done, _ = wait(self._running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    self._handle_result(self._running.pop(future), future)
                self._progress(self._frontier.progress(self._job.id))
                continue
            seconds = self._seconds_to_next()
            if seconds is None or self._full():
                return
            time.sleep(min(max(seconds, 0.001), POLL_SECONDS))

    def _full(self) -> bool:
        done = self._frontier.progress(self._job.id)["processed"]
        return done + len(self._running) >= self._job.config.max_pages

    def _start(self, pool: ThreadPoolExecutor) -> None:
        busy = {visit.host for visit in self._running.values()}
        for host, _ in self._frontier.hosts(self._job.id):
            if len(self._running) >= self._settings.crawl.hosts_in_parallel or self._full():
                return
            if self._pace.blocked(host):
                self._frontier.block(self._job, host)
                continue
            if host in busy or self._pace.wait(host) > 0:
                continue
            visit = self._frontier.next(self._job.id, host)
            if visit is not None:
                self._pace.start(host)
                validators = self._visitor.validators(visit.url)
                self._running[pool.submit(self._fetch, visit, validators)] = visit

    def _seconds_to_next(self) -> float | None:
        """Return the seconds until a page may be requested, None if no page is left."""
        hosts = self._frontier.hosts(self._job.id)
        return min((max(self._pace.wait(host), due - time.time()) for host, due in hosts), default=None)

    def _fetch(self, visit: Visit, validators: Validators | None) -> Page:
        config = self._job.config
        return self._fetcher.fetch(
            visit.url, validators=validators, before_hop=self._check_hop, seconds=config.timeout_seconds
        )

    def _check_hop(self, target: Target) -> None:
        if not self._job.config.allows(target.url):
            raise _DisallowedError(f"led to {target.url[:200]}, which the job leaves out", "refused")
        if not self._robots.allows(target.url):
            raise _DisallowedError("robots.txt forbids it, or could not be read", "refused")

    def _handle_result(self, visit: Visit, future: Future[Page]) -> None:
        try:
            page = future.result()
        except _DisallowedError as error:
            self._frontier.finish(self._job, visit, "skipped", reason=str(error))
            return
        except FetchError as error:
            self._fail(visit, error)
            return
        # robots.txt asks for a slower rate than the job's: push this host's next slot back
        if (delay := self._robots.delay(visit.url)) * self._job.config.requests_per_second > 1.0:
            self._pace.start(visit.host, delay)
        rest = self._pace.finish(visit.host, page.status, page.header("retry-after"))
        if page.status in BUSY or page.status in SERVER_ERRORS:
            self._retry(visit, f"answered with {page.status}", max(rest, self._backoff(visit)))
        else:
            self._visitor.process(visit, page)

    def _fail(self, visit: Visit, error: FetchError) -> None:
        if error.transient:
            self._retry(visit, str(error), self._backoff(visit))
        else:
            self._frontier.finish(self._job, visit, "failed", reason=str(error))

    def _retry(self, visit: Visit, reason: str, seconds: float) -> None:
        if visit.attempts + 1 >= self._settings.crawl.max_attempts:
            self._frontier.finish(self._job, visit, "failed", reason=f"{reason}, {visit.attempts + 1} times")
        else:
            self._frontier.postpone(self._job, visit, seconds, reason)

    def _backoff(self, visit: Visit) -> float:
        return self._retry_seconds * 2**visit.attempts

    def _read_sitemaps(self) -> None:
        config, most = self._job.config, self._settings.crawl.sitemap_pages
        if not config.use_sitemaps or not most or not config.max_depth or self._frontier.sitemaps_done(self._job.id):
            return
        found: list[tuple[str, str]] = []
        for seed in self._job.seeds:
            urls = sitemap_urls(seed, self._fetcher, self._robots, most=most, allows=config.allows)
            found += [(url, seed) for url in urls if config.allows(url)]
        self._frontier.add_from_sitemaps(self._job, found)
