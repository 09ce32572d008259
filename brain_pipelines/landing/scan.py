"""One scan of a user's inbox: land what is new or changed, remove what is gone."""

import time
from datetime import UTC, datetime

from brain_pipelines.landing.blobs import FileChangedError
from brain_pipelines.landing.inbox import FileState, compare, has_own_inbox, list_files
from brain_pipelines.landing.landing import Landing
from brain_pipelines.readers.contract import describe
from brain_retrieval.errors import NoPermissionError, StoreError, home_error
from brain_retrieval.home import Space

SETTLE_SECONDS = 10.0  # a file counts once it has not changed for so long


def scan_inbox(space: Space, landing: Landing, *, until: float, settle_seconds: float = SETTLE_SECONDS) -> int:
    """Land new and changed files and remove deleted ones until a monotonic time; return the number of files handled.

    A missing or empty inbox directory means an unmounted disk or a fresh home, not that all files were deleted; many
    missing files wait for a confirmation (`landing/removals.py`).
    """
    if not has_own_inbox(space):
        return 0
    files = list(list_files(space.inbox))
    if not landing.raw.keeps_inbox:
        for file in files:
            landing.release(file)
    changes = compare(
        files,
        landing.landed(),
        landing.seen(),
        now_ns=time.time_ns(),
        settle_ns=int(settle_seconds * 1e9),
    )
    landing.remember_seen([*changes.waiting, *changes.ready])  # an unchanged listing is not written again
    handled = 0
    for file in changes.ready:
        if time.monotonic() > until:
            return handled
        handled += land_or_refuse(landing, file)
    released = landing.released()
    missing = [uri for uri in changes.deleted if uri not in released]
    gone = landing.deletions_due(missing, empty=not any(space.inbox.iterdir()), now=datetime.now(UTC))
    for uri in gone:
        landing.remove(uri, scanned=True)
    return handled + len(gone)


def land_or_refuse(landing: Landing, file: FileState) -> bool:
    """Land a file. A file that cannot be landed is refused with a reason, so that later files are not blocked."""
    try:
        landing.land(file, scanned=True)
    except (FileChangedError, FileNotFoundError):
        return False  # the next scan sees its new state
    except StoreError:
        raise
    except Exception as error:
        if (unusable := home_error(error)) is not None and not isinstance(unusable, NoPermissionError):
            raise unusable from error  # no fault of the file: it is landed when there is space again
        landing.refuse(file, f"could not be landed: {describe(error)}")
    return True
