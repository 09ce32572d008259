"""Tables of snapshots in memory: read once, read again if the file is another one, bounded."""

import os
from pathlib import Path

import polars as pl
import pytest

from brain_retrieval.stores import snapshot_files
from brain_retrieval.stores.snapshot_files import KeptTables


class Disk:
    """A file of one number, and how often it was read."""

    def __init__(self, path: Path, number: int) -> None:
        self.path, self.reads = path, 0
        self.write(number)

    def write(self, number: int) -> None:
        other = self.path.with_suffix(".new")
        other.write_text(str(number))
        other.replace(self.path)  # as the stores write: another file takes the place of the one before

    def read(self) -> pl.DataFrame:
        self.reads += 1
        return pl.DataFrame({"n": [int(self.path.read_text())] * 1000})


def test_a_table_is_read_once_while_its_file_is_the_same(tmp_path: Path) -> None:
    kept, disk = KeptTables(), Disk(tmp_path / "a", 1)
    first = kept.of(disk.path, None, disk.read)
    assert kept.of(disk.path, None, disk.read) is first and disk.reads == 1
    assert kept.of(disk.path, ("n",), disk.read).equals(first) and disk.reads == 2  # other columns, another table
    disk.write(2)
    assert kept.of(disk.path, None, disk.read)["n"][0] == 2 and disk.reads == 3


def test_a_damaged_or_lost_file_is_noticed(tmp_path: Path) -> None:
    kept, disk = KeptTables(), Disk(tmp_path / "a", 1)
    kept.of(disk.path, None, disk.read)
    disk.path.write_text("not a number")
    with pytest.raises(ValueError, match="invalid literal"):
        kept.of(disk.path, None, disk.read)
    os.remove(disk.path)
    with pytest.raises(FileNotFoundError):
        kept.of(disk.path, None, disk.read)


def test_the_tables_asked_for_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disks = [Disk(tmp_path / name, 1) for name in "abc"]
    size = disks[0].read().estimated_size()
    monkeypatch.setattr(snapshot_files, "MOST_BYTES", int(2.5 * size))
    kept = KeptTables()
    for number in (0, 1, 0, 2):  # the second one is the oldest when the third one comes
        kept.of(disks[number].path, None, disks[number].read)
    before = [disk.reads for disk in disks]
    for number in (0, 2, 1):
        kept.of(disks[number].path, None, disks[number].read)
    assert [disk.reads - reads for disk, reads in zip(disks, before, strict=True)] == [0, 1, 0]
    monkeypatch.setattr(snapshot_files, "LARGEST", int(0.5 * size))
    fresh = KeptTables()
    for _ in range(2):
        fresh.of(disks[0].path, None, disks[0].read)
    assert disks[0].reads == before[0] + 2
