"""Crawl jobs: configuration and state.

The id is derived from the user, seeds and configuration, so requesting the same crawl again resumes it.
"""

import fnmatch
import re
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from brain_pipelines.connectors.http.urls import canonical, host_of, within
from brain_retrieval.errors import BrainError
from brain_retrieval.ids import content_id, stable_hash
from brain_retrieval.settings import CrawlSettings

Status = Literal["pending", "running", "completed", "failed"]
MAX_PATTERN, MAX_PATTERNS = 200, 100


class InvalidCrawlError(BrainError):
    """The crawl request is invalid: no seed, or too many or too long patterns."""

    exit_code = 2


@dataclass(frozen=True)
class CrawlConfig:
    """Limits of a job. Rates are per host and second; patterns are globs (* and ?) matched against the whole URL."""

    max_depth: int = 2
    max_pages: int = 100
    allowed_domains: tuple[str, ...] = ()  # (): the hosts of the seeds
    exclude_patterns: tuple[str, ...] = ()
    respect_robots_txt: bool = True
    requests_per_second: float = 1.0
    delay_seconds: float = 0.0  # between two requests to one host; the slower of this and the rate applies
    user_agent: str | None = None
    timeout_seconds: float | None = None  # per page
    extract_media: bool = False
    use_sitemaps: bool = True
    max_similar: int = 50  # limit for pages whose URLs differ only in digits or parameter values
    by_agent: bool = False  # an agent gave the seeds, so that nothing is trusted for being named

    def allows(self, url: str) -> bool:
        """Return whether a canonical URL is in the allowed domains and matches no exclude pattern."""
        if self.allowed_domains and not within(host_of(url), self.allowed_domains):
            return False
        return not self.excludes(url)

    def excludes(self, url: str) -> bool:
        """Return whether a URL matches an exclude pattern."""
        return any(pattern.match(url) for pattern in _compiled(self.exclude_patterns))


@dataclass(frozen=True)
class CrawlJob:
    """One crawl of one user."""

    id: str
    user: str
    seeds: tuple[str, ...]  # canonical
    config: CrawlConfig
    status: Status = "pending"
    progress: dict[str, int] = field(default_factory=lambda: {"discovered": 0, "processed": 0, "failed": 0})
    created_at: datetime | None = None
    completed_at: datetime | None = None
    error: str = ""

    def is_of_seeds(self, url: str) -> bool:
        """Return whether a URL lies on the site of a seed: its host, without "www", or below."""
        return within(host_of(url), tuple(host_of(seed).removeprefix("www.") for seed in self.seeds))

    def to_json(self) -> dict[str, Any]:
        """Return the job as plain JSON values."""
        times = {"created_at": self.created_at, "completed_at": self.completed_at}
        return {**asdict(self), **{key: time.isoformat() if time else None for key, time in times.items()}}


def new_job(user: str, seeds: tuple[str, ...], config: CrawlConfig) -> CrawlJob:
    """Return the job for the seeds.

    Raises:
        InvalidCrawlError: if a seed is not an http(s) URL, or there are too many or too long patterns.
    """
    named = [(seed, canonical(seed)) for seed in seeds]
    if not named or any(url is None for _, url in named):
        wrong = ", ".join(repr(seed[:100]) for seed, url in named if url is None)
        raise InvalidCrawlError(f"not a web address: {wrong}" if wrong else "a crawl needs a seed")
    if len(config.exclude_patterns) > MAX_PATTERNS or any(len(p) > MAX_PATTERN for p in config.exclude_patterns):
        raise InvalidCrawlError(f"at most {MAX_PATTERNS} exclude patterns of at most {MAX_PATTERN} characters")
    urls = tuple(dict.fromkeys(url for _, url in named if url))
    domains = config.allowed_domains or tuple(dict.fromkeys(host_of(url) for url in urls))
    chosen = CrawlConfig(**{**asdict(config), "allowed_domains": tuple(d.lower().strip(".") for d in domains)})
    options = {name: value for name, value in asdict(chosen).items() if name != "by_agent" or value}
    return CrawlJob(content_id("crawl", user, stable_hash([sorted(urls), options])), user, urls, chosen)


def config_of(settings: CrawlSettings, **changes: Any) -> CrawlConfig:
    """Return the default configuration with the given changes; None keeps a default."""
    usual = {
        "max_depth": settings.max_depth,
        "max_pages": settings.max_pages,
        "respect_robots_txt": settings.respect_robots_txt,
        "requests_per_second": settings.requests_per_second,
        "extract_media": settings.extract_media,
    }
    return CrawlConfig(**{**usual, **{key: value for key, value in changes.items() if value is not None}})


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    # Globs cannot backtrack catastrophically: fnmatch compiles "*" to atomic groups.
    return tuple(re.compile(fnmatch.translate(p if any(c in p for c in "*?") else f"*{p}*"), re.I) for p in patterns)
