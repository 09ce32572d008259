"""How fast a host may be asked, and when it wants to be left alone. No request is made here.

A host that answers 429 or 503 rests for as long as it says, else twice as long each time; one that answers 403 again
and again is not asked any more.
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
    strikes: int = 0  # answers in a row that it is too much
    refusals: int = 0  # answers in a row that it is not wanted


class Pace:
    """The pace of every host. Not for several threads at once: one scheduler owns it.

    Args:
        interval: seconds between two requests to one host, at least.
        cool_down: seconds of the first rest where the host does not say.
        block_after: refusals in a row after which a host is left alone.
        jitter: share of the interval that is added at random, so that requests do not beat like a clock.
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
        """Return the seconds until a host may be asked, 0 if it may be asked now."""
        return max(0.0, self._of(host).next_at - self._clock())

    def start(self, host: str, delay: float = 0.0) -> None:
        """Record that a host is asked now; `delay` is what its robots.txt wants between requests, in seconds."""
        interval = max(self._interval, delay)
        spread = interval * self._jitter * random.random()  # noqa: S311
        self._of(host).next_at = self._clock() + interval + spread

    def finish(self, host: str, status: int, retry_after: str = "") -> float:
        """Record a host's answer and return the seconds it is to rest, 0 for none."""
        state = self._of(host)
        state.refusals = state.refusals + 1 if status in FORBIDDEN else 0
        if status not in BUSY:
            state.strikes = 0
            return 0.0
        state.strikes += 1
        told = parse_retry_after(retry_after)
        rest = told if told is not None else self._cool_down * 2 ** min(state.strikes - 1, 10)
        rest = min(max(rest, self._interval), MAX_COOL_DOWN)
        state.next_at = max(state.next_at, self._clock() + rest)
        return rest

    def blocked(self, host: str) -> bool:
        """Tell whether a host has refused so often that it is left alone."""
        return self._of(host).refusals >= self._block_after

    def block(self, host: str) -> None:
        """Leave a host alone from now on: an earlier run of the job found it refusing."""
        self._of(host).refusals = self._block_after

    def _of(self, host: str) -> _Host:
        return self._hosts.setdefault(host, _Host())


def parse_retry_after(value: str) -> float | None:
    """Return the seconds that a Retry-After header asks for (RFC 9110, 10.2.3), None if it says nothing."""
    text = value.strip()
    if text.isdigit():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
