"""`Pace`: waits before a request that the endpoint's limits would refuse, as far as its answers say what is left.

OpenAI and those that follow it send with each answer how many tokens and requests are left (`x-ratelimit-remaining-…`)
of how many (`x-ratelimit-limit-…`), and in how long all will be there again (`x-ratelimit-reset-…`: "6m0s", "250ms").
"""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

LONGEST_WAIT_SECONDS = 60.0
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass
class _Allowance:
    """What is left of a limit, and the time (`clock`) at which all of it is there again; it fills up evenly."""

    limit: float
    left: float
    full_at: float

    def wait(self, wanted: float, now: float) -> float:
        """Return the seconds until `wanted` is there; 0 for more than the limit, which the endpoint has to judge."""
        if wanted <= self.left or wanted > self.limit or now >= self.full_at:
            return 0.0
        return (self.full_at - now) * (wanted - self.left) / (self.limit - self.left)


class Pace:
    """The limits of one endpoint and model as its last answer stated them. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._allowances: dict[str, _Allowance] = {}

    def note(self, headers: Mapping[str, str]) -> None:
        """Take what the headers of an answer say of the limits."""
        now = self._clock()
        with self._lock:
            for kind in ("tokens", "requests"):
                limit, left = _number(headers, f"limit-{kind}"), _number(headers, f"remaining-{kind}")
                reset = seconds_of(headers.get(f"x-ratelimit-reset-{kind}"))
                if limit is not None and left is not None and reset is not None:
                    self._allowances[kind] = _Allowance(limit, left, now + reset)

    def take(self, tokens: int) -> float:
        """Return the seconds to wait before a request of so many tokens, and count it; 0 if the wait is too long.

        A limit by the day is not waited for: the endpoint refuses the request, and the next run asks again.
        """
        now = self._clock()
        with self._lock:
            wanted = {"tokens": float(tokens), "requests": 1.0}
            waits = [one.wait(wanted[kind], now) for kind, one in self._allowances.items()]
            for kind, one in self._allowances.items():
                one.left -= wanted[kind] if now < one.full_at else 0.0
        wait = max(waits, default=0.0)
        return wait if wait <= LONGEST_WAIT_SECONDS else 0.0


def seconds_of(text: str | None) -> float | None:
    """Return the seconds of "1h2m3.5s", "250ms" or "12", None for anything else.

    >>> seconds_of("6m0.5s"), seconds_of("17ms"), seconds_of("12"), seconds_of("soon")
    (360.5, 0.017, 12.0, None)
    """
    if not text:
        return None
    parts = _DURATION.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _SECONDS[unit] for number, unit in parts)
    try:
        return max(0.0, float(text))
    except ValueError:
        return None


def _number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        return float(headers.get(f"x-ratelimit-{name}", ""))
    except ValueError:
        return None
