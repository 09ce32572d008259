"""Settings of what reaches out: the safe fetcher, the crawler, the connectors."""

from pydantic import Field

from brain_retrieval.settings.sections import MEGABYTE, Section


class FetchSettings(Section, frozen=True):
    """The one outbound HTTP client. Addresses that are not public are refused unless listed in `allow_networks`."""

    user_agent: str = Field(default="Brain/0.1 (+self-hosted second brain)", min_length=1)
    connect_seconds: float = Field(default=10.0, gt=0)
    total_seconds: float = Field(default=60.0, gt=0)  # of one page with all its redirects
    max_bytes: int = Field(default=32 * MEGABYTE, ge=1)  # after decompression
    max_redirects: int = Field(default=5, ge=0, le=20)
    ports: tuple[int, ...] = (80, 443, 8080, 8443)
    allow_networks: tuple[str, ...] = ()  # CIDR; metadata addresses stay blocked


class CrawlSettings(Section, frozen=True):
    """Defaults of a crawl job; each can be set for one job."""

    max_depth: int = Field(default=2, ge=0, le=20)
    max_pages: int = Field(default=100, ge=1, le=1_000_000)
    requests_per_second: float = Field(default=1.0, gt=0)
    respect_robots_txt: bool = True
    browser: bool = False  # fall back to a browser for pages that hold no text without their scripts


class ConnectorSettings(Section, frozen=True):
    """Which connectors look for new material. All are off until configured."""
