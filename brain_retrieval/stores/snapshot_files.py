"""`TableFiles`: immutable files of snapshots, named by a hash of their bytes and shared by all days that refer to them.

A table that is the same on several days is one file. Files are written before the manifest that names them, and removed
only when no manifest names them.
"""

import hashlib
import io
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from brain_retrieval.stores.durable import write_bytes

if TYPE_CHECKING:
    import polars as pl  # these are imported where a table is read, as looking at a manifest needs none
    import pyarrow as pa

FOLDER = "tables"
ROW_GROUP = 16_384  # rows; a filter by id or a slice reads few of them
FEW = 1_000  # rows that one thread reads in less time than it takes to divide them among several
MOST_BYTES = 64 << 20  # of all tables that a process keeps in memory
LARGEST = 8 << 20  # of one of them; a larger one is read each time
REPEATED = 0.5  # a column is dictionary-encoded if at most this share of its values is distinct

_Key = tuple[Path, tuple[str, ...] | None]
_State = tuple[int, int, int]


@dataclass(frozen=True)
class TableFile:
    """One table of a snapshot: its file and its number of rows."""

    file: str
    rows: int


class KeptTables:
    """Tables in memory by file and columns, those asked for last, up to a number of bytes. Thread-safe.

    Each question about what is known reads several. The files are immutable, but a disk may lose or damage one, so that
    a file which has changed since is read again.
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


_KEPT = KeptTables()


class TableFiles:
    """The files below the directory of a user's snapshots."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}  # each is asked for often, and takes longer to make than to look up on disk

    def path(self, file: str) -> Path:
        """Return the path of a file. Files of the first layout lie in a directory for each day."""
        if (path := self._paths.get(file)) is None:
            path = self._paths[file] = self._folder / file if "/" in file else self._folder / FOLDER / file
        return path

    def write(self, table: str, frame: "pl.DataFrame") -> TableFile:
        """Store a table unless an intact file with the same content exists.

        Raises:
            ValueError: if the frame does not fit the schema of the table.
        """
        content = _to_parquet(table, frame)
        name = _name(table, content, "parquet")
        if not self.is_intact(name):
            write_bytes(self.path(name), content)
        return TableFile(name, frame.height)

    def write_json(self, name: str, value: Mapping[str, Any]) -> str:
        """Store a JSON document likewise; return the name of its file."""
        content = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
        file = _name(name, content, "json")
        if not self.is_intact(file):
            write_bytes(self.path(file), content)
        return file

    def read_text(self, file: str) -> str:
        """Return the text of a stored JSON document.

        Raises:
            OSError, ValueError: if the file is missing or no text.
        """
        return self.path(file).read_text("utf-8")

    def load(self, file: str, columns: Sequence[str] | None) -> "pl.DataFrame":
        """Return the rows of a file.

        Raises:
            OSError, pa.ArrowException: if the file is missing or damaged.
        """
        names = tuple(columns) if columns else None
        return _KEPT.of(self.path(file), names, lambda: self._read(file, names))

    def _read(self, file: str, columns: tuple[str, ...] | None) -> "pl.DataFrame":
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path(file)) as stored:  # twice as fast as `read_table`, which expects many files
            rows = stored.read(columns=list(columns) if columns else None, use_threads=stored.metadata.num_rows > FEW)
        return as_frame(rows.select(list(columns)) if columns else rows)

    def exists(self, file: str) -> bool:
        """Return whether there is such a file, intact or not."""
        return self.path(file).is_file()

    def is_intact(self, file: str) -> bool:
        """Return whether the bytes of a file have the hash in its name."""
        path = self.path(file)
        try:
            return _name(path.name.rpartition("-")[0], path.read_bytes(), path.suffix[1:]) == path.name
        except OSError:
            return False

    def sweep(self, named: set[str], grace: timedelta) -> int:
        """Remove files that are not `named` and older than `grace`; return their number."""
        before, removed = time.time() - grace.total_seconds(), 0
        for path in (self._folder / FOLDER).glob("*"):
            if path.name not in named and path.stat().st_mtime <= before:
                path.unlink(missing_ok=True)
                removed += 1
        return removed


def _name(table: str, content: bytes, suffix: str) -> str:
    return f"{table}-{hashlib.blake2b(content, digest_size=12).hexdigest()}.{suffix}"


def as_frame(table: "pa.Table") -> "pl.DataFrame":
    """Return the rows of an Arrow table."""
    import polars as pl

    return pl.DataFrame(table)


def empty_frame(table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """Return a table without rows."""
    from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

    schema = SNAPSHOT_TABLES[table]
    return as_frame(schema.empty_table().select(list(columns or schema.names)))


def _to_parquet(table: str, frame: "pl.DataFrame") -> bytes:
    """Return the bytes of a table: equal content in equal order gives equal bytes, so their hash is its digest."""
    import pyarrow.parquet as pq

    from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

    schema = SNAPSHOT_TABLES[table]
    if list(frame.columns) != schema.names:
        raise ValueError(f"{table}: columns {frame.columns}, expected {schema.names}")
    rows = frame.to_arrow()
    if empty := [f.name for f in schema if not f.nullable and rows.column(f.name).null_count]:
        raise ValueError(f"{table}: null in columns that must hold a value: {', '.join(empty)}")
    buffer = io.BytesIO()
    pq.write_table(
        rows.cast(schema).combine_chunks(), buffer, compression="zstd", row_group_size=ROW_GROUP,
        use_dictionary=_repeated(frame),
    )  # fmt: skip
    return buffer.getvalue()


def _repeated(frame: "pl.DataFrame") -> Any:
    """Return the Parquet columns whose values repeat, or False. A dictionary of distinct ids adds to the size."""
    import polars as pl

    found: list[str] = []
    for column in frame:
        values, path = column, column.name
        while isinstance(values.dtype, pl.List):
            values, path = values.explode(), f"{path}.list.element"
        if isinstance(values.dtype, pl.Struct):
            found += [f"{path}.{name}" for name in values.struct.fields]
        elif values.n_unique() <= REPEATED * len(values):
            found.append(path)
    return found or False
