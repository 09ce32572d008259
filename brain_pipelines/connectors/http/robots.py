"""robots.txt as RFC 9309 has it: what may be fetched, how slowly, and where the sitemaps are.

Answered: the rules hold. 4xx: there are none. 429, 5xx or no answer: nothing may be fetched, until it is asked again.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.targets import FetchError

MAX_BYTES = 500 << 10  # what RFC 9309 asks to parse at least
KEPT_SECONDS, UNREACHABLE_SECONDS = 24 * 3600.0, 600.0
MAX_DELAY = 60.0  # seconds; a longer Crawl-delay is taken as a wish not to be crawled at any useful speed
FETCH_SECONDS = 15.0


@dataclass(frozen=True)
class Rules:
    """The rules of one origin. `parsed` is None where there are none; `reachable` False forbids everything."""

    parsed: Any
    reachable: bool
    until: float  # on the monotonic clock

    def allows(self, url: str, agent: str) -> bool:
        return self.reachable and (self.parsed is None or self.parsed.can_fetch(url, agent))

    def delay(self, agent: str) -> float:
        """Return the seconds that the origin wants between two requests, at most a minute."""
        if self.parsed is None:
            return 0.0
        rate = self.parsed.request_rate(agent)
        wanted = max(self.parsed.crawl_delay(agent) or 0.0, rate.seconds / rate.requests if rate else 0.0)
        return min(max(0.0, float(wanted)), MAX_DELAY)

    @property
    def sitemaps(self) -> Sequence[str]:
        return list(self.parsed.sitemaps)[:50] if self.parsed is not None else []


class Robots:
    """The rules of every origin asked so far. Safe to use from several threads."""

    def __init__(self, fetcher: Fetcher, *, respect: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetcher, self._respect, self._clock = fetcher, respect, clock
        self._rules: dict[str, Rules] = {}
        self._lock = threading.Lock()
        self.agent = fetcher.user_agent.partition("/")[0]  # the product token is what rules are written for

    def of(self, url: str) -> Rules:
        """Return the rules that hold for a URL; asks its origin if that was not done within a day."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            known = self._rules.get(origin)
        if known is None or known.until < self._clock():
            known = self._ask(origin)
            with self._lock:
                self._rules[origin] = known
        return known

    def allows(self, url: str) -> bool:
        """Tell whether a URL may be fetched."""
        return not self._respect or self.of(url).allows(url, self.agent)

    def delay(self, url: str) -> float:
        """Return the seconds between two requests that the origin asks for."""
        return self.of(url).delay(self.agent) if self._respect else 0.0

    def _ask(self, origin: str) -> Rules:
        from protego import Protego

        now = self._clock()
        try:
            page = self._fetcher.fetch(f"{origin}/robots.txt", seconds=FETCH_SECONDS)
        except FetchError as error:
            # an endless or malformed answer holds no rules that could be read; an unreachable host is left alone
            return Rules(None, not error.transient and error.kind != "refused", now + UNREACHABLE_SECONDS)
        if page.status == 429 or page.status >= 500:
            return Rules(None, False, now + UNREACHABLE_SECONDS)
        if page.status != 200:
            return Rules(None, True, now + KEPT_SECONDS)
        text = page.body[:MAX_BYTES].decode("utf-8", "replace").lstrip("\ufeff")
        return Rules(Protego.parse(text), True, now + KEPT_SECONDS)
