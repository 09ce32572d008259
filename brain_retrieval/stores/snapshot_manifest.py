"""`Manifest`: the one file of a knowledge day, with the names of its pinned inputs, stage outputs and visible tables.

The first layout had a directory for each day with a `snapshot.json` and the tables themselves. Its complete snapshots
can be read; their stages count as not run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from brain_retrieval.ids import stable_hash
from brain_retrieval.stores.durable import write_bytes
from brain_retrieval.stores.snapshot_files import TableFile, TableFiles

Tables = dict[str, TableFile]


@dataclass(frozen=True)
class StageRecord:
    """What a stage wrote for a snapshot, and from what: the hashes of its input and settings, its code version."""

    name: str
    code_version: str
    tables: Tables
    input_hash: str = ""
    config_hash: str = ""

    @property
    def output_hash(self) -> str:
        """A hash of the stage's output, from its file names, which are content hashes."""
        return stable_hash({name: table.file for name, table in self.tables.items()})


@dataclass
class Manifest:
    """All that is known of one knowledge day.

    Args:
        stages: the last output of each stage, by name.
        tables: the tables that readers see; None before the snapshot is complete.
        inputs: the file of the pinned inputs, "" if there is none.
        own: pinned inputs of this day only.
    """

    stages: dict[str, StageRecord] = field(default_factory=dict)
    tables: Tables | None = None
    inputs: str = ""
    own: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, day: str) -> "Manifest":
        """Return the manifest of a day.

        Raises:
            FileNotFoundError: if there is none.
            ValueError, TypeError, KeyError, AttributeError: if it is damaged.
        """
        try:
            known = _parsed((folder / f"{day}.json").read_text("utf-8"))
        except FileNotFoundError:
            return cls(tables=_first_layout(folder, day))
        return cls(dict(known.stages), known.tables, known.inputs, known.own)

    def write(self, folder: Path, day: str) -> None:
        """Replace the manifest of a day in one step."""
        stages = {
            name: [one.code_version, one.input_hash, one.config_hash, _plain(one.tables)]
            for name, one in self.stages.items()
        }
        tables = None if self.tables is None else _plain(self.tables)
        stored = {"stages": stages, "tables": tables, "inputs": self.inputs, "own": self.own}
        write_bytes(folder / f"{day}.json", json.dumps(stored, sort_keys=True, separators=(",", ":")).encode())

    def files(self) -> set[str]:
        """Return the names of all files of tables."""
        named = [one.tables for one in self.stages.values()] + [self.tables or {}]
        return {table.file for tables in named for table in tables.values()}


def damage(folder: Path, day: str) -> tuple[str, list[str]]:
    """Return what is wrong with a knowledge day, "" if nothing is, and its damaged or missing files; reads all."""
    try:
        known = Manifest.read(folder, day)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return "its manifest cannot be read", []
    files = TableFiles(folder)
    wrong = sorted(file for file in known.files() if "/" not in file and not files.is_intact(file))
    return (f"missing or damaged: {', '.join(wrong)}" if wrong else ""), wrong


@lru_cache(maxsize=4)
def _parsed(text: str) -> Manifest:
    """Return the manifest that a file holds; a night reads the same one hundreds of times."""
    stored = json.loads(text)
    stages = {name: _stage(name, value) for name, value in stored["stages"].items()}
    tables = stored["tables"]
    return Manifest(stages, None if tables is None else _tables(tables), stored["inputs"], stored["own"])


def _stage(name: str, stored: list[Any]) -> StageRecord:
    code_version, input_hash, config_hash, tables = stored
    return StageRecord(name, code_version, _tables(tables), input_hash, config_hash)


def _tables(stored: Mapping[str, list[Any]]) -> Tables:
    return {name: TableFile(file, rows) for name, (file, rows) in stored.items()}


def _plain(tables: Tables) -> dict[str, list[Any]]:
    return {name: [table.file, table.rows] for name, table in tables.items()}


def _first_layout(folder: Path, day: str) -> Tables | None:
    stored = json.loads((folder / day / "snapshot.json").read_text("utf-8"))
    return {name: TableFile(f"{day}/{one['file']}", one["rows"]) for name, one in stored["tables"].items()}
