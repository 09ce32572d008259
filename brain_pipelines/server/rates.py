"""Rate limits: a bucket of tokens for each key and each address, in memory."""

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_BUCKETS = 10_000


class Rates:
    """Buckets that hold `burst` tokens and gain `per_second`. The least recently used ones are dropped."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, float(burst), clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        now = self._clock()
        tokens, since = self._buckets.pop(name, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._per_second)
        taken = tokens >= 1
        self._buckets[name] = (tokens - 1 if taken else tokens, now)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - tokens) / self._per_second
