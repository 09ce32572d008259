"""How long a write to a LanceDB table keeps the versions that it replaces.

Each optimization writes the table and its indexes again beside what was there, so that as many copies of a large table
as were made within the grace of readers lie on the disk: in a large import, a hundred times its rows. A search takes
seconds at most. So while replaced versions take more than the table itself, only those of the last minutes are kept.
"""

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

READER_GRACE = timedelta(hours=1)
SHORT_GRACE = timedelta(minutes=2)  # reading a million rows with their vectors takes seconds
SPARE_BYTES = 256_000_000  # up to here replaced versions are kept for the whole grace, however small the table


def last_change(folder: Path) -> float:
    """Return when the newest version of a table was written, in seconds since the epoch."""
    return (folder / "_versions").stat().st_mtime


def is_mostly_replaced(table: Any, folder: Path, older_than: timedelta) -> bool:
    """Return whether more than half of the bytes are not the table's rows, and a replaced version is older than a time.

    A large table is not written again for the few bytes of a day.
    """
    written = sorted(path.stat().st_mtime for path in (folder / "_versions").glob("*.manifest"))
    if not written[:-1] or time.time() - written[0] <= older_than.total_seconds():
        return False
    return stored_bytes(folder) > 2 * table.stats()["total_bytes"]


def grace(table: Any, folder: Path, *, before: float) -> timedelta:
    """Return the age from which on versions of a table may be removed by an optimization.

    The version from before the write stays in any case: what takes its place is not known to be on the disk yet.

    Args:
        folder: of the table's files.
        before: `last_change` before the write.
    """
    crowded = stored_bytes(folder) > 2 * table.stats()["total_bytes"] + SPARE_BYTES
    age = timedelta(seconds=max(0.0, time.time() - before))
    return max(SHORT_GRACE if crowded else READER_GRACE, age + SHORT_GRACE)


def stored_bytes(folder: Path) -> int:
    """Return the bytes of all files below a folder, those of replaced versions included."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                found += Path(place, name).stat().st_size
            except FileNotFoundError:  # removed by another process
                continue
    return found
