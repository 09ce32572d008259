"""robots.txt rules (RFC 9309): what may be fetched, the crawl delay, and the sitemaps.

200: the rules apply. Other 4xx: no rules. 429, 5xx or no response: nothing may be fetched until the next attempt.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from brain_pipelines.connectors.http.fetch import Page
from brain_pipelines.connectors.http.targets import FetchError

MAX_BYTES = 500 << 10  # the minimum that RFC 9309 requires parsers to read
KEPT_SECONDS, UNREACHABLE_SECONDS = 24 * 3600.0, 600.0
MAX_DELAY = 60.0  # seconds; longer Crawl-delay values are capped
FETCH_SECONDS = 15.0


class RulesSource(Protocol):
    """Fetches robots.txt, as `Fetcher` does."""

    @property
    def user_agent(self) -> str: ...
    def fetch(self, url: str, *, seconds: float) -> Page: ...


@dataclass(frozen=True)
class Rules:
    """The rules of one origin. `parsed` is None if there are none; `reachable` False forbids everything."""

    parsed: Any
    reachable: bool
    until: float  # on the monotonic clock

    def allows(self, url: str, agent: str) -> bool:
        return self.reachable and (self.parsed is None or self.parsed.can_fetch(url, agent))

    def delay(self, agent: str) -> float:
        """Return the crawl delay in seconds, at most MAX_DELAY."""
        if self.parsed is None:
            return 0.0
        rate = self.parsed.request_rate(agent)
        wanted = max(self.parsed.crawl_delay(agent) or 0.0, rate.seconds / rate.requests if rate else 0.0)
        return min(max(0.0, float(wanted)), MAX_DELAY)

    @property
    def sitemaps(self) -> Sequence[str]:
        return list(self.parsed.sitemaps)[:50] if self.parsed is not None else []


class Robots:
    """Cached rules of all origins. Thread-safe."""

    def __init__(
        self, fetcher: RulesSource, *, respect: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetcher, self._respect, self._clock = fetcher, respect, clock
        self._rules: dict[str, Rules] = {}
        self._lock = threading.Lock()
        self.agent = fetcher.user_agent.partition("/")[0]  # rules are matched by the product token

    def of(self, url: str) -> Rules:
        """Return the rules for a URL; fetches robots.txt if the cached rules have expired."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            known = self._rules.get(origin)
        if known is None or known.until < self._clock():
            known = self._fetch_rules(origin)
            with self._lock:
                self._rules[origin] = known
        return known

    def allows(self, url: str) -> bool:
        """Return whether a URL may be fetched."""
        return not self._respect or self.of(url).allows(url, self.agent)

    def delay(self, url: str) -> float:
        """Return the crawl delay of the URL's origin in seconds."""
        return self.of(url).delay(self.agent) if self._respect else 0.0

    def _fetch_rules(self, origin: str) -> Rules:
        from protego import Protego

        now = self._clock()
        try:
            page = self._fetcher.fetch(f"{origin}/robots.txt", seconds=FETCH_SECONDS)
        except FetchError as error:
            # an oversized or malformed file contains no usable rules; an unreachable host must not be crawled
            return Rules(None, not error.transient and error.kind != "refused", now + UNREACHABLE_SECONDS)
        if page.status == 429 or page.status >= 500:
            return Rules(None, False, now + UNREACHABLE_SECONDS)
        if page.status != 200:
            return Rules(None, True, now + KEPT_SECONDS)
        text = page.body[:MAX_BYTES].decode("utf-8", "replace").lstrip("\ufeff")
        return Rules(Protego.parse(text), True, now + KEPT_SECONDS)
