"""Request rate for each host, and cool-down periods. No requests are made here.

A host that responds 429 or 503 is paused for as long as it says (Retry-After), else with exponential backoff; a host
that repeatedly responds 401, 403 or 451 is blocked.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic

MAX_COOL_DOWN = 3600.0  # seconds
BUSY, FORBIDDEN = (429, 503), (401, 403, 451)


@dataclass
class _Host:
    next_at: float = 0.0
    strikes: int = 0  # consecutive 429 or 503 responses
    refusals: int = 0  # consecutive 401, 403 or 451 responses


class Pace:
    """Request pacing for all hosts. Not thread-safe: one scheduler owns it.

    Args:
        interval: minimum seconds between two requests to one host.
        cool_down: seconds of the first pause if the host gives none.
        block_after: consecutive refusals after which a host is blocked.
        jitter: random share of the interval added to it, so that requests are not evenly spaced.
    """

    def __init__(
        self,
        *,
        interval: float,
        cool_down: float,
        block_after: int,
        jitter: float = 0.1,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._interval, self._cool_down, self._block_after = interval, cool_down, block_after
        self._jitter, self._clock = jitter, clock
        self._hosts: dict[str, _Host] = {}

    def wait(self, host: str) -> float:
        """Return the seconds until a host may be requested, 0 if now."""
        return max(0.0, self._of(host).next_at - self._clock())

    def start(self, host: str, delay: float = 0.0) -> None:
        """Record a request to a host; `delay` is the robots.txt crawl delay in seconds."""
        interval = max(self._interval, delay)
        spread = interval * self._jitter * random.random()  # noqa: S311
        self._of(host).next_at = self._clock() + interval + spread

    def finish(self, host: str, status: int, retry_after: str = "") -> float:
        """Record a response and return the seconds for which the host is paused, 0 for none."""
        state = self._of(host)
        state.refusals = state.refusals + 1 if status in FORBIDDEN else 0
        if status not in BUSY:
            state.strikes = 0
            return 0.0
        state.strikes += 1
        asked_for = parse_retry_after(retry_after)
        rest = asked_for if asked_for is not None else self._cool_down * 2 ** min(state.strikes - 1, 10)
        rest = min(max(rest, self._interval), MAX_COOL_DOWN)
        state.next_at = max(state.next_at, self._clock() + rest)
        return rest

    def blocked(self, host: str) -> bool:
        """Return whether a host is blocked after too many consecutive refusals."""
        return self._of(host).refusals >= self._block_after

    def block(self, host: str) -> None:
        """Block a host because an earlier run of the job found it refusing."""
        self._of(host).refusals = self._block_after

    def _of(self, host: str) -> _Host:
        return self._hosts.setdefault(host, _Host())


def parse_retry_after(value: str) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, section 10.2.3), None if it cannot be parsed."""
    text = value.strip()
    if text.isdigit():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
