"""The Parquet files of the lake: durable writes, reads, deletion. The catalog is not used here."""

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from brain_retrieval.errors import StoreError
from brain_retrieval.stores.durable import writing
from brain_retrieval.stores.snapshot_files import FEW

CHECKED_PARTS = 2  # hyphens in the name of a file with a checksum: day-<unique>-<checksum>


def write_file(root: Path, folder: str, name: str, rows: pa.Table) -> str:
    """Write `rows` to a new file below `root` and return its path relative to `root`, "/"-separated.

    The bytes and the directory entry are on disk when this returns, so a catalog row may point at it. Its name ends
    in a checksum of the bytes.
    """
    content = io.BytesIO()
    pq.write_table(rows, content, compression="zstd", write_page_checksum=True)
    relative = f"{folder}/{name}-{uuid4().hex}-{_checksum(content.getbuffer())}.parquet"
    with writing(root / relative) as file:
        file.write(content.getbuffer())
    return relative


def is_intact(root: str, path: str) -> bool:
    """Return whether a file exists and its bytes have the checksum in its name; older files have none there."""
    try:
        # An unchanged run asks this of every file of its days, and making a Path takes as long as reading one.
        with open(f"{root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123
            content = file.read()
    except FileNotFoundError:
        return False
    return not has_checksum(path) or path.endswith(f"{_checksum(content)}.parquet")


def has_checksum(path: str) -> bool:
    """Return whether the name of a file ends in a checksum of its bytes: day-<unique>-<checksum>."""
    return path.rpartition("/")[2].count("-") >= CHECKED_PARTS


def _checksum(content: bytes | memoryview) -> str:
    return hashlib.blake2b(content, digest_size=10).hexdigest()


def read_file(root: Path, path: str, wanted: pa.Schema, days: Sequence[str] | None, rows: int) -> pa.Table:
    """Return the columns of `wanted`, only rows of `days` if given, of which the file has `rows`, in file order.

    A column that may be null and that the file lacks, because it was written before there was one, is null.

    Raises:
        FileNotFoundError: if it does not exist.
        StoreError: if it is damaged or lacks a column.
    """
    try:
        with pq.ParquetFile(root / path, memory_map=False, page_checksum_verification=True) as file:
            stored = set(file.schema_arrow.names)  # read once: the property makes a schema on each access
            absent = [column for column in wanted if column.name not in stored]
            if missing := [column.name for column in absent if not column.nullable]:
                raise StoreError(f"{path} has no column {', '.join(missing)}; {rerun_hint(path)}")
            columns = [column.name for column in wanted if column not in absent]
            whole = days is None or file.metadata.num_rows == rows
            found = file.read(columns=columns, use_threads=file.metadata.num_rows > FEW) if whole else None
        if found is None:
            some = [("day", "in", list(days or ()))]
            found = pq.ParquetDataset(root / path, filters=some, page_checksum_verification=True).read(columns=columns)
        for column in absent:
            found = found.append_column(column, pa.nulls(found.num_rows, column.type))
        found = found.select(wanted.names)
        # A cast imports Arrow's functions, and takes as long as reading.
        same = found.schema.equals(wanted)
        return pa.Table.from_arrays(found.columns, schema=wanted) if same else found.cast(wanted)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"{path} is damaged ({type(error).__name__}); {rerun_hint(path)}") from error


def rerun_hint(path: str) -> str:
    """Return the hint for a lost file, from its path: which partitions to re-run."""
    table, source, period = path.split("/")[:3]
    return f"re-run the {source} partitions of {period} (lake table {table}); nothing else is lost"


def files(root: Path) -> Iterator[tuple[str, float]]:
    """Yield (relative path, modification time) of every file below `root`, finished or not."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            try:
                yield path.relative_to(root).as_posix(), path.stat().st_mtime
            except FileNotFoundError:  # a draft renamed in the meantime
                continue


def remove(root: Path, path: str) -> bool:
    """Unlink a file; return whether it was there."""
    try:
        (root / path).unlink()
    except FileNotFoundError:
        return False
    return True


def remove_empty_folders(root: Path) -> None:
    """Remove the folders below `root` that hold no file, as those of days whose rows lie in the file of their month.

    No writer may be at work, since it may just have made one.
    """
    gone = set[str]()
    for place, folders, names in os.walk(root, topdown=False):
        if names or place == str(root) or any(f"{place}/{name}" not in gone for name in folders):
            continue
        with suppress(OSError):
            Path(place).rmdir()
            gone.add(place)
