"""`SnapshotStore`: one manifest per knowledge day, which readers follow, and tables shared by the days.

<user>/knowledge/2026-01-31.json                        the files of the day: pinned inputs, stage outputs, tables
<user>/knowledge/tables/known_entities-1f0c….parquet    named by a hash of its bytes; one file for several days
<user>/knowledge/tables/inputs-22ab….json               the inputs pinned by the first stage for all stages

A recomputed snapshot writes only tables that differ and then replaces the manifest. A day on which nothing changes
writes a manifest and no table. `snapshot_files.py` has the files, `snapshot_manifest.py` the manifest.
"""

import json
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.stores.snapshot_clock import ahead, warn_of
from brain_retrieval.stores.snapshot_files import TableFile, TableFiles, empty_frame
from brain_retrieval.stores.snapshot_manifest import Manifest, StageRecord

if TYPE_CHECKING:
    import polars as pl

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAMAGED = (ValueError, TypeError, KeyError, AttributeError)
READ_TRIES = 3
GRACE = timedelta(hours=1)  # for readers that have just read a manifest that has been replaced since
SOURCES = "known_sources"


class SnapshotStore:
    """Reads and writes the snapshots of one user.

    >>> SnapshotStore(space).read("2026-01-31", "known_facts")  # doctest: +SKIP
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._files = TableFiles(space.knowledge)

    def days(self) -> list[str]:
        """Return the knowledge days whose snapshot is complete, oldest first. A damaged manifest counts as complete."""
        return [day for day in self.begun() if self._is_complete(day)]

    def begun(self) -> list[str]:
        """Return all knowledge days with a manifest, complete or not, oldest first."""
        if not self.space.knowledge.is_dir():
            return []
        names = {path.name.removesuffix(".json") for path in self.space.knowledge.iterdir()}
        return sorted(name for name in names if _DAY.fullmatch(name))

    def ahead(self) -> list[str]:
        """Return the knowledge days that have not begun yet: they were made while the clock was ahead."""
        return ahead(self.begun())

    def newest(self, until: str | None = None) -> str | None:
        """Return the newest complete snapshot, of those up to a day if one is given; None if there is none.

        Snapshots dated in the future are ignored with a warning; otherwise they would hide every new one until then.
        """
        future = set(self.ahead())
        for day in reversed(self.begun()):
            if day in future:
                warn_of(self.space.knowledge, day)
            elif (until is None or day <= until) and self._is_complete(day):
                return day
        return None

    def read(self, day: str, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
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
            tables = Manifest.read(self.space.knowledge, _checked(day)).tables
        except FileNotFoundError:
            tables = None
        except _DAMAGED as error:
            raise StoreError(f"the manifest of the snapshot {day} is damaged; {_hint(self.space, day)}") from error
        if tables is None:
            raise StoreError(f"there is no snapshot {day} of {self.space.user!r}; {_hint(self.space, day)}")
        return tables

    @staticmethod
    def empty(table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        """Return a table without rows."""
        return empty_frame(table, columns)

    # -- writing, under the user's writer lock ---------------------------------------------------------------------

    def stage(self, day: str, name: str) -> StageRecord | None:
        """Return what a stage last wrote for a snapshot, or None if it never did or a file of it is lost."""
        record = self._known(day).stages.get(name)
        if record is None or not all(self._files.exists(table.file) for table in record.tables.values()):
            return None
        return record

    def is_whole(self, record: StageRecord) -> bool:
        """Return whether the files of a stage are intact: their names are hashes of their bytes."""
        return all(self._files.is_intact(table.file) for table in record.tables.values())

    def is_visible(self, day: str, stages: Iterable[str]) -> bool:
        """Return whether readers see exactly the latest files of these stages."""
        records = [self.stage(day, name) for name in stages]
        tables = {t: f for record in records if record for t, f in record.tables.items()}
        return None not in records and self._known(day).tables == tables

    def read_stage(self, day: str, name: str, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        """Return a table as a stage last wrote it, whether or not the snapshot is complete; empty if it never did."""
        record = self.stage(day, name)
        if record is None or table not in record.tables:
            return self.empty(table, columns)
        return self._load(day, record.tables[table].file, columns)

    def write_stage(
        self,
        day: str,
        name: str,
        tables: "Mapping[str, pl.DataFrame]",
        *,
        code_version: str,
        input_hash: str = "",
        config_hash: str = "",
    ) -> StageRecord:
        """Write the tables of a stage, then the record of them.

        Raises:
            ValueError: if a frame does not fit the schema of its table.
        """
        written = {table: self._files.write(table, frame) for table, frame in sorted(tables.items())}
        record = StageRecord(name, code_version, written, input_hash, config_hash)
        known = self._known(day)
        known.stages[name] = record
        known.write(self.space.knowledge, day)
        return record

    def discard_stage(self, day: str, name: str) -> None:
        """Record that the output of a stage is not of its current inputs; its tables stay readable."""
        known = self._known(day)
        if name in known.stages:
            known.stages[name] = replace(known.stages[name], input_hash="")
            known.write(self.space.knowledge, day)

    def write_inputs(self, day: str, inputs: Mapping[str, Any], *, own: Collection[str] = ()) -> None:
        """Pin the inputs of a snapshot, replacing earlier ones; `own` names those that differ from day to day."""
        known, shared = self._known(day), {name: value for name, value in inputs.items() if name not in own}
        known.inputs, known.own = self._files.write_json("inputs", shared), {name: inputs[name] for name in own}
        known.write(self.space.knowledge, day)

    def written_inputs(self, day: str) -> tuple[str, str] | None:
        """Return the pinned inputs of a snapshot as JSON: what days share, and its own; None if there are none."""
        try:
            one = self._known(day)
            return (self._files.read_text(one.inputs), json.dumps(one.own)) if one.inputs else None
        except (OSError, ValueError):
            return None

    def complete(self, day: str, stages: Iterable[str]) -> bool:
        """Publish the stages' files as the snapshot; return whether it differs from the one published before.

        Raises:
            StoreError: if a stage is missing.
        """
        records = {name: self.stage(day, name) for name in stages}
        if missing := [name for name, record in records.items() if record is None]:
            raise StoreError(f"the snapshot {day} lacks {', '.join(missing)}; {_hint(self.space, day)}")
        known = self._known(day)
        tables = {t: f for record in records.values() if record for t, f in record.tables.items()}
        if known.tables == tables:
            return False
        known.tables = tables
        known.write(self.space.knowledge, day)
        shutil.rmtree(self.space.knowledge / day, ignore_errors=True)  # of the first layout
        return True

    def prune(self, keep: int, *, grace: timedelta = GRACE) -> int:
        """Remove all but the newest `keep` snapshots and the last of each earlier month; return the number removed.

        Files older than `grace` that no remaining day refers to go too, and the pinned inputs of all but the newest
        two days: the lake keeps replaced files for an hour only, so an older snapshot is recomputed from its first
        stage. Unfinished days before the snapshots that are kept go as well.
        """
        days = [day for day in self.days() if day not in self.ahead()]
        recent, earlier = days[-keep:], days[:-keep]
        month_ends = {day[:7]: day for day in earlier}
        gone = [day for day in earlier if month_ends[day[:7]] != day]
        unfinished = [day for day in self.begun() if day not in days and recent and day < recent[0]]
        for day in [*gone, *unfinished]:
            self._remove(day)
        self.sweep(grace)
        return len(gone)

    def sweep(self, grace: timedelta = GRACE) -> int:
        """Remove files older than `grace` that no day refers to; none while a manifest cannot be read."""
        named, begun = set[str](), self.begun()
        for day in begun:
            try:
                known = Manifest.read(self.space.knowledge, day)
            except FileNotFoundError:  # an unfinished day of the first layout
                continue
            except _DAMAGED:
                return 0
            named |= known.files() | ({known.inputs} if day in begun[-2:] else set())
        return self._files.sweep(named, grace)

    def holding(self, source_id: str) -> list[str]:
        """Return the days computed from a source, complete or not; a day that cannot be read counts as one."""
        return [day for day in self.begun() if self._holds(day, source_id)]

    def forget(self, source_id: str) -> int:
        """Remove every snapshot computed from a source, and at once all files only they refer to; return the number.

        Every other day can be computed again from the lake.
        """
        days = self.holding(source_id)
        for day in days:
            self._remove(day)
        self.sweep(timedelta())
        return len(days)

    def remove_since(self, day: str) -> None:
        """Remove the snapshots from a day on; `sweep` removes the files that only they refer to."""
        for one in [one for one in self.begun() if one >= day]:
            self._remove(one)

    def remove(self) -> None:
        """Remove every snapshot. They can be computed again from the lake."""
        shutil.rmtree(self.space.knowledge, ignore_errors=True)

    def _is_complete(self, day: str) -> bool:
        try:
            return Manifest.read(self.space.knowledge, day).tables is not None
        except FileNotFoundError:
            return False
        except _DAMAGED:
            return True

    def _known(self, day: str) -> Manifest:
        """Return the manifest of a day, an empty one if there is none or it is damaged."""
        try:
            return Manifest.read(self.space.knowledge, _checked(day))
        except (FileNotFoundError, *_DAMAGED):
            return Manifest()

    def _holds(self, day: str, source_id: str) -> bool:
        try:
            known = Manifest.read(self.space.knowledge, day)
            listed = [one.tables for one in known.stages.values()] + [known.tables or {}]
            files = {tables[SOURCES].file for tables in listed if SOURCES in tables}
            return any(source_id in self._load(day, file, ["source_id"])["source_id"] for file in files)
        except (FileNotFoundError, StoreError, *_DAMAGED):
            return True

    def _remove(self, day: str) -> None:
        (self.space.knowledge / f"{day}.json").unlink(missing_ok=True)
        shutil.rmtree(self.space.knowledge / day, ignore_errors=True)  # of the first layout

    def _load(self, day: str, file: str, columns: Sequence[str] | None) -> "pl.DataFrame":
        import pyarrow as pa

        try:
            return self._files.load(file, columns)
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{file} of the snapshot {day} is damaged; {_hint(self.space, day)}") from error


def _checked(day: str) -> str:
    if not _DAY.fullmatch(day):
        raise ValueError(f"{day!r} is not an ISO day")
    return day


def _hint(space: Space, day: str) -> str:
    return f"`brain nightly --user {space.user} --day {day}` computes it"
