"""`SnapshotStore`: one directory per knowledge day with immutable files and a manifest that readers follow.

<user>/knowledge/2026-01-31/known_entities-1f0c….parquet   named by a hash of its bytes
<user>/knowledge/2026-01-31/inputs.json                     the inputs pinned by the first stage for all stages
<user>/knowledge/2026-01-31/stage-entities.json             the files that one stage wrote
<user>/knowledge/2026-01-31/snapshot.json                   the files of the snapshot; written when it is complete

A recomputed snapshot writes new files beside the old ones and then replaces the manifest. The stages live elsewhere;
their inputs and versions are in the ledger of the catalog.
"""

import hashlib
import io
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.stores.knowledge_tables import KNOWLEDGE_TABLES
from brain_retrieval.stores.memory_tables import MEMORY_TABLES

SNAPSHOT_TABLES: dict[str, pa.Schema] = {**KNOWLEDGE_TABLES, **MEMORY_TABLES}
COMPLETE, INPUTS = "snapshot.json", "inputs.json"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
READ_TRIES = 3


@dataclass(frozen=True)
class TableFile:
    """One table of a snapshot."""

    file: str
    rows: int


@dataclass(frozen=True)
class StageRecord:
    """The files that a stage wrote for a snapshot, and its code version."""

    name: str
    code_version: str
    tables: dict[str, TableFile]

    @property
    def output_hash(self) -> str:
        """A hash of the stage's output, from its file names, which are content hashes."""
        return stable_hash({name: table.file for name, table in self.tables.items()})


class SnapshotStore:
    """Reads and writes the snapshots of one user.

    >>> SnapshotStore(space).read("2026-01-31", "known_facts")  # doctest: +SKIP
    """

    def __init__(self, space: Space) -> None:
        self.space = space

    def days(self) -> list[str]:
        """Return the knowledge days whose snapshot is complete, oldest first."""
        return [day for day in self.begun() if (self._folder(day) / COMPLETE).is_file()]

    def begun(self) -> list[str]:
        """Return all knowledge days with stored files, complete or not, oldest first."""
        if not self.space.knowledge.is_dir():
            return []
        return sorted(p.name for p in self.space.knowledge.iterdir() if _DAY.fullmatch(p.name))

    def newest(self, until: str | None = None) -> str | None:
        """Return the newest complete snapshot, of those up to a day if one is given; None if there is none."""
        days = [day for day in self.days() if until is None or day <= until]
        return days[-1] if days else None

    def read(self, day: str, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return a table of a complete snapshot.

        Raises:
            StoreError: if there is no such snapshot, or a file of it is lost or damaged.
        """
        for attempt in range(READ_TRIES):
            files = self.manifest(day)
            if table not in files:
                return self.empty(table, columns)
            try:
                return self._load(day, files[table].file, columns)
            except FileNotFoundError:  # the snapshot was recomputed in the meantime
                if attempt == READ_TRIES - 1:
                    raise StoreError(
                        f"a file of the snapshot {day} is missing ({table}); {_hint(self.space, day)}"
                    ) from None
        raise AssertionError("unreachable")

    def manifest(self, day: str) -> dict[str, TableFile]:
        """Return the tables of a complete snapshot.

        Raises:
            StoreError: if there is no complete snapshot of that day, or its manifest is damaged.
        """
        try:
            stored = json.loads((self._folder(day) / COMPLETE).read_text("utf-8"))
            return {name: TableFile(**table) for name, table in stored["tables"].items()}
        except FileNotFoundError:
            raise StoreError(f"there is no snapshot {day} of {self.space.user!r}; {_hint(self.space, day)}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(f"the manifest of the snapshot {day} is damaged; {_hint(self.space, day)}") from error

    @staticmethod
    def empty(table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return a table without rows."""
        frame = pl.DataFrame(SNAPSHOT_TABLES[table].empty_table())
        return frame.select(columns) if columns else frame

    # -- writing, under the user's writer lock ---------------------------------------------------------------------

    def stage(self, day: str, name: str) -> StageRecord | None:
        """Return what a stage last wrote for a snapshot, or None if it never did or a file of it is lost."""
        path = self._folder(day) / f"stage-{name}.json"
        try:
            stored = json.loads(path.read_text("utf-8"))
            tables = {table: TableFile(**value) for table, value in stored["tables"].items()}
            record = StageRecord(stored["name"], stored["code_version"], tables)
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None
        lost = [t.file for t in record.tables.values() if not (self._folder(day) / t.file).is_file()]
        return None if lost else record

    def is_whole(self, day: str, record: StageRecord) -> bool:
        """Return whether the files of a stage are intact: their names are hashes of their bytes."""
        return all(self._holds(day, name, table.file) for name, table in record.tables.items())

    def is_visible(self, day: str, stages: Iterable[str]) -> bool:
        """Return whether the manifest lists exactly the latest files of these stages."""
        records = [self.stage(day, name) for name in stages]
        tables = {t: f for record in records if record for t, f in record.tables.items()}
        try:
            return None not in records and self.manifest(day) == tables
        except StoreError:
            return False

    def _holds(self, day: str, table: str, file: str) -> bool:
        try:
            return _file_name(table, (self._folder(day) / file).read_bytes()) == file
        except OSError:
            return False

    def read_stage(self, day: str, name: str, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return a table as a stage last wrote it, whether or not the snapshot is complete; empty if it never did."""
        record = self.stage(day, name)
        if record is None or table not in record.tables:
            return self.empty(table, columns)
        return self._load(day, record.tables[table].file, columns)

    def write_stage(self, day: str, name: str, tables: Mapping[str, pl.DataFrame], *, code_version: str) -> StageRecord:
        """Write the tables of a stage, then the record of them.

        Raises:
            ValueError: if a frame does not fit the schema of its table.
        """
        written = {table: self._write(day, table, frame) for table, frame in sorted(tables.items())}
        record = StageRecord(name, code_version, written)
        self._write_json(day, f"stage-{name}.json", asdict(record))
        return record

    def write_inputs(self, day: str, inputs: Mapping[str, object]) -> None:
        """Pin the inputs of a snapshot, replacing earlier ones."""
        self._write_json(day, INPUTS, inputs, indent=None)

    def inputs(self, day: str) -> dict[str, Any] | None:
        """Return the pinned inputs of a snapshot; None if there are none or the file is damaged."""
        try:
            return json.loads((self._folder(day) / INPUTS).read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def complete(self, day: str, stages: Iterable[str]) -> bool:
        """Publish the stages' files as the snapshot; return whether it differs from the one published before.

        Raises:
            StoreError: if a stage is missing.
        """
        records = {name: self.stage(day, name) for name in stages}
        if missing := [name for name, record in records.items() if record is None]:
            raise StoreError(f"the snapshot {day} lacks {', '.join(missing)}; {_hint(self.space, day)}")
        tables = {t: asdict(f) for record in records.values() if record for t, f in record.tables.items()}
        try:
            before = {name: asdict(table) for name, table in self.manifest(day).items()}
        except StoreError:
            before = None
        if before == tables:
            return False
        self._write_json(day, COMPLETE, {"tables": tables})
        return True

    def prune(self, keep: int, *, grace: timedelta = timedelta(hours=1)) -> int:
        """Remove all but the newest `keep` snapshots and the last of each earlier month; return the number removed.

        Files older than `grace` that no manifest names go too, and the pinned inputs of all but the newest two: the
        lake keeps replaced files for an hour only, so an older snapshot is recomputed from its first stage.
        """
        days = self.days()
        recent, earlier = days[-keep:], days[:-keep]
        month_ends = {day[:7]: day for day in earlier}
        gone = [day for day in earlier if month_ends[day[:7]] != day]
        for day in gone:
            (self._folder(day) / COMPLETE).unlink(missing_ok=True)
            shutil.rmtree(self._folder(day), ignore_errors=True)
        for day in days[:-2]:
            (self._folder(day) / INPUTS).unlink(missing_ok=True)
        for day in recent[-2:]:
            self._sweep(day, time.time() - grace.total_seconds())
        return len(gone)

    def remove(self) -> None:
        """Remove every snapshot. They can be computed again from the lake."""
        shutil.rmtree(self.space.knowledge, ignore_errors=True)

    def _sweep(self, day: str, before: float) -> None:
        folder = self._folder(day)
        named = {table.file for table in self.manifest(day).values()}
        for path in folder.glob("stage-*.json"):
            record = self.stage(day, path.stem.removeprefix("stage-"))
            named |= {table.file for table in record.tables.values()} if record else set()
        for path in folder.iterdir():
            if path.suffix in (".parquet", ".tmp") and path.name not in named and path.stat().st_mtime < before:
                path.unlink(missing_ok=True)

    def _folder(self, day: str) -> Path:
        if not _DAY.fullmatch(day):
            raise ValueError(f"{day!r} is not an ISO day")
        return self.space.knowledge / day

    def _load(self, day: str, file: str, columns: Sequence[str] | None) -> pl.DataFrame:
        try:
            return pl.DataFrame(pq.read_table(self._folder(day) / file, columns=list(columns) if columns else None))
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{file} of the snapshot {day} is damaged; {_hint(self.space, day)}") from error

    def _write(self, day: str, table: str, frame: pl.DataFrame) -> TableFile:
        content = _to_parquet(table, frame)
        name = _file_name(table, content)
        if not self._holds(day, table, name):
            self._put(self._folder(day) / name, content)
        return TableFile(name, frame.height)

    def _write_json(self, day: str, name: str, value: object, *, indent: int | None = 1) -> None:
        self._put(self._folder(day) / name, json.dumps(value, indent=indent, sort_keys=True).encode())

    @staticmethod
    def _put(path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(".tmp")
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)


def _file_name(table: str, content: bytes) -> str:
    return f"{table}-{hashlib.blake2b(content, digest_size=12).hexdigest()}.parquet"


def _to_parquet(table: str, frame: pl.DataFrame) -> bytes:
    """Return the bytes of a table: equal content in equal order gives equal bytes, so their hash is its digest."""
    schema = SNAPSHOT_TABLES[table]
    if list(frame.columns) != schema.names:
        raise ValueError(f"{table}: columns {frame.columns}, expected {schema.names}")
    rows = frame.to_arrow()
    if empty := [f.name for f in schema if not f.nullable and rows.column(f.name).null_count]:
        raise ValueError(f"{table}: null in columns that must hold a value: {', '.join(empty)}")
    buffer = io.BytesIO()
    pq.write_table(rows.cast(schema).combine_chunks(), buffer, compression="zstd")
    return buffer.getvalue()


def _hint(space: Space, day: str) -> str:
    return f"`brain nightly --user {space.user} --day {day}` computes it"
