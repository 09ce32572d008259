"""What was computed of single texts, kept in the memory of the process: each message runs all texts of its day again.

Only for functions of which the result for a text depends on that text and the options alone; what is kept is a copy.
A span of several days, which is read once, is not kept. What was not asked for within an hour goes, and all of it when
something is forgotten, also by another process of the same home.
"""

import hashlib
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

MOST_BYTES = 48 * 2**20  # of all users; what was asked for longest ago goes first
MOST_SECONDS = 3600.0
MOST_CHARS = 50_000  # of a text; one that is longer would displace too many others

Row = dict[str, Any]
Result = TypeVar("Result")


class Remembered:
    """Results by a hash of the row and the options. Thread-safe.

    >>> REMEMBERED.results("length", [{"text": "ab"}], lambda rows: [len(row["text"]) for row in rows])
    [2]
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()  # with the time of the last use, in order
        self._bytes = 0
        self._lock = threading.Lock()

    def results(
        self, name: str, rows: Sequence[Row], compute: Callable[[Sequence[Row]], Iterable[Result]], *options: Any
    ) -> list[Result]:
        """Return the result for each row, in order; `compute` is called with the rows that have none yet.

        Args:
            name: of the function; `options` is what its results depend on beside the row.
        """
        self._drop_old()
        keys = [_key(name, row, options) for row in rows]
        found = [self._find(key) for key in keys]
        missing = [place for place, known in enumerate(found) if known is None]
        computed = iter(compute([rows[place] for place in missing])) if missing else iter(())
        results = list[Result]()
        for key, known in zip(keys, found, strict=True):
            if known is None:
                result = next(computed)
                self._keep(key, result)
            else:
                result = pickle.loads(known)  # noqa: S301 - written by this process
            results.append(result)
        return results

    def forget_all(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def _find(self, key: bytes | None) -> bytes | None:
        with self._lock:
            if key is None or (known := self._kept.pop(key, None)) is None:
                return None
            self._kept[key] = (time.monotonic(), known[1])
            return known[1]

    def _keep(self, key: bytes | None, result: Any) -> None:
        if key is None:
            return
        value = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        with self._lock:
            self._bytes += len(value) - len(self._kept.pop(key, (0.0, b""))[1])
            self._kept[key] = (time.monotonic(), value)
            while self._bytes > self._most_bytes:
                self._drop_first()

    def _drop_old(self) -> None:
        oldest = time.monotonic() - MOST_SECONDS
        with self._lock:
            while self._kept and next(iter(self._kept.values()))[0] < oldest:
                self._drop_first()

    def _drop_first(self) -> None:
        self._bytes -= len(self._kept.popitem(last=False)[1][1])


def _key(name: str, row: Row, options: Sequence[Any]) -> bytes | None:
    """Return a hash; None for a text that is too long to be kept."""
    if len(row["text"]) > MOST_CHARS:
        return None
    return hashlib.blake2b(pickle.dumps((name, row, options), pickle.HIGHEST_PROTOCOL), digest_size=20).digest()


REMEMBERED = Remembered()
