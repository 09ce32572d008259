"""Counts of what a user's inbox and landing record hold, read without opening the record for writing.

The page of `brain` without arguments uses it: opening a `Landing` imports every source type, which takes longer than
the rest of that page.
"""

from dataclasses import dataclass
from itertools import islice

from brain_pipelines.landing.inbox import FileState, has_own_inbox, list_files
from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import Database

MOST_LISTED = 50_000  # files of an inbox; beyond this the number of new files is a lower bound


@dataclass(frozen=True)
class Glance:
    """What waits of one user. `new` and `changed` are files of the inbox that have not landed in this state."""

    files: int = 0
    refused: int = 0
    dirty_days: int = 0
    missing: int = 0  # landed files that are gone from the inbox and wait for a confirmation
    new: int = 0
    changed: int = 0
    pending: int = 0  # items that wait for an approval


def glance(space: Space) -> Glance:
    """Return the counts of a user; all are 0 if nothing has landed and the inbox is empty.

    Raises:
        StoreError: if the landing record is damaged.
    """
    landed: dict[str, FileState] = {}
    files = refused = dirty = missing = pending = 0
    if space.landing.is_file():
        with Database(space.landing, "") as record:
            landed = {
                row[0]: FileState(*row) for row in record.rows("SELECT uri, size, mtime_ns, ctime_ns FROM delivery")
            }
            tables = {name for (name,) in record.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
            ((refused,),) = record.rows("SELECT count(*) FROM delivery WHERE reason IS NOT NULL")
            ((dirty,),) = record.rows("SELECT count(*) FROM dirty")
            if "waiting" in tables:
                ((missing,),) = record.rows("SELECT count(*) FROM waiting")
            if "trust" in tables:
                ((pending,),) = record.rows("SELECT count(*) FROM item WHERE state = 'pending'")
        files = len(landed) - refused
    new = changed = 0
    if has_own_inbox(space):
        for file in islice(list_files(space.inbox), MOST_LISTED):
            before = landed.get(file.uri)
            new += before is None
            changed += before is not None and (before.size, before.mtime_ns) != (file.size, file.mtime_ns)
    return Glance(files, refused, dirty, missing, new, changed, pending)
