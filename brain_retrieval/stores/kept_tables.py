"""Tables of snapshots that were read last, kept in memory: each question about what is known reads several of them.

The files are immutable, but a disk may lose or damage one, so that a file which has changed since is read again.
"""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MOST_BYTES = 64 << 20  # of all tables that a process keeps
LARGEST = 8 << 20  # of one of them; a larger one is read each time
_Key = tuple[Path, tuple[str, ...] | None]
_State = tuple[int, int, int]


class KeptTables:
    """Tables by file and columns; those asked for last are kept, up to a number of bytes. Thread-safe.

    >>> KeptTables().of(Path("tables/notes-1f0c.parquet"), None, read)  # doctest: +SKIP
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[_State, int, pl.DataFrame]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def of(self, path: Path, columns: tuple[str, ...] | None, read: "Callable[[], pl.DataFrame]") -> "pl.DataFrame":
        """Return a table as it is on disk, from memory if its file is the one that was read.

        Raises:
            FileNotFoundError: if there is no such file, and what `read` raises.
        """
        found = path.stat()
        key, state = (path, columns), (found.st_mtime_ns, found.st_size, found.st_ino)
        with self._lock:
            known = self._kept.get(key)
            if known is not None and known[0] == state:
                self._kept.move_to_end(key)
                return known[2]
        table = read()
        self._keep(key, state, table)
        return table

    def _keep(self, key: _Key, state: _State, table: "pl.DataFrame") -> None:
        size = int(table.estimated_size())
        with self._lock:
            if (before := self._kept.pop(key, None)) is not None:
                self._bytes -= before[1]
            if size > LARGEST:
                return
            self._kept[key] = (state, size, table)
            self._bytes += size
            while self._bytes > MOST_BYTES:
                self._bytes -= self._kept.popitem(last=False)[1][1]
