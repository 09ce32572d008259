"""Settings of the HTTP fetcher and the crawler."""

from ipaddress import ip_network
from pathlib import Path

from pydantic import Field, field_validator

from brain_retrieval import __version__
from brain_retrieval.settings.section import Section
from brain_retrieval.settings.sections import MEGABYTE


class FetchSettings(Section, frozen=True):
    """The one outbound HTTP client. Addresses that are not public are refused unless listed in `allow_networks`."""

    user_agent: str = Field(default=f"Brain/{__version__} (+self-hosted second brain)", min_length=1)
    connect_seconds: float = Field(default=10.0, gt=0)
    total_seconds: float = Field(default=60.0, gt=0)  # of one page with all its redirects
    max_bytes: int = Field(default=32 * MEGABYTE, ge=1)  # after decompression
    max_redirects: int = Field(default=5, ge=0, le=20)
    ports: tuple[int, ...] = (80, 443, 8080, 8443)
    allow_networks: tuple[str, ...] = ()  # CIDR; metadata addresses stay blocked
    max_ratio: float = Field(default=200.0, ge=2)  # of a compressed body, beyond its first megabyte
    host_seconds: dict[str, float] = Field(default_factory=dict)  # total_seconds of single hosts and those below them
    ca_file: Path | None = None  # PEM; the authorities of an intranet, beside the public ones

    @field_validator("allow_networks")
    @classmethod
    def _check_networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            ip_network(network)
        return networks

    @field_validator("host_seconds")
    @classmethod
    def _check_seconds(cls, seconds: dict[str, float]) -> dict[str, float]:
        if any(value <= 0 for value in seconds.values()):
            raise ValueError("seconds must be above 0")
        return seconds


class CrawlJobSettings(Section, frozen=True):
    """A scheduled crawl. None means the default from `CrawlSettings`."""

    user: str = Field(min_length=1)
    seeds: tuple[str, ...] = Field(min_length=1)
    interval_hours: float = Field(default=24.0, gt=0)
    max_depth: int | None = Field(default=None, ge=0, le=20)
    max_pages: int | None = Field(default=None, ge=1, le=1_000_000)
    allowed_domains: tuple[str, ...] = ()  # () is the hosts of the seeds
    exclude_patterns: tuple[str, ...] = ()  # with * and ?, matched against the whole URL
    requests_per_second: float | None = Field(default=None, gt=0)


class CrawlSettings(Section, frozen=True):
    """Defaults of a crawl job; each can be set for one job."""

    max_depth: int = Field(default=2, ge=0, le=20)
    max_pages: int = Field(default=100, ge=1, le=1_000_000)
    requests_per_second: float = Field(default=1.0, gt=0)
    respect_robots_txt: bool = True
    browser: bool = False  # fall back to a browser for pages that hold no text without their scripts
    browser_path: Path | None = None  # of Chromium; None is the one that playwright installed, or the system's
    browser_seconds: float = Field(default=20.0, gt=0)  # for one page
    hosts_in_parallel: int = Field(default=4, ge=1, le=64)
    max_attempts: int = Field(default=3, ge=1, le=20)  # of a page that does not answer
    cool_down_seconds: float = Field(default=30.0, gt=0)  # after 429 or 503 without Retry-After; doubles each time
    block_after: int = Field(default=5, ge=1)  # consecutive 403s after which a host is no longer crawled
    sitemap_pages: int = Field(default=1000, ge=0)  # URLs taken from the sitemaps of one host
    extract_media: bool = False  # list the pictures and recordings of a page, and fetch them when crawling
    media_per_page: int = Field(default=20, ge=0, le=200)  # pictures and recordings fetched of one page
    trusted_domains: tuple[str, ...] = ()  # trusted however Brain came to them, unless rejected; see `trust`
    jobs: tuple[CrawlJobSettings, ...] = ()  # jobs of the schedule `recrawl`
