"""The exceptions that Brain raises on purpose. Their messages are shown to users and contain no secrets."""

import errno
import os
import sqlite3
from pathlib import Path

SPARE_BYTES = 1 << 16  # with less, SQLite cannot work


class BrainError(Exception):
    """Base of all expected errors; the command line prints its message and exits with `exit_code`."""

    exit_code = 1


class InvalidUserError(BrainError, ValueError):
    """A user id that does not match `[a-z0-9-]{1,40}`."""

    exit_code = 2


class UnknownUserError(BrainError, LookupError):
    """A well-formed user id that this home has never seen."""

    exit_code = 3


class InvalidSettingsError(BrainError, ValueError):
    """A setting that does not exist or whose value is not allowed; the message names the key, never the value."""

    exit_code = 2


class InvalidQueryError(BrainError, ValueError):
    """A query or a query option that cannot be answered."""

    exit_code = 2


class BadInputError(BrainError, ValueError):
    """An item that cannot be read. The item goes to quarantine with this message as its reason.

    Raised for faulty input only, so it is never retried; any other exception counts as an internal failure
    and is retried a bounded number of times.
    """


class ModelMissingError(BrainError):
    """Weights that are missing on this machine or do not match their hash; the message names the command to run."""

    exit_code = 4


class ModelCallError(BrainError):
    """A remote model endpoint that refused, timed out or gave an invalid answer after all retries."""

    exit_code = 4


class EndpointDownError(ModelCallError):
    """An endpoint that had failed several times before: others need not wait for it now."""


class NoAnswerError(ModelCallError):
    """A model that answered, but refused or gave nothing usable; retrying the same request is pointless."""


class RequestTooLongError(NoAnswerError):
    """A request that the endpoint rejects for its length or that of its answer; a part of it may be accepted."""


class BudgetExceededError(ModelCallError):
    """A request that was not sent because it might have cost more than the budget leaves."""


class DimensionMismatchError(BrainError, ValueError):
    """Vectors whose model or width differs from the model or width of the index."""


class StoreError(BrainError):
    """Derived data that is missing, damaged or of an older layout; the message names the partition to re-run."""


class DamagedCatalogError(StoreError):
    """The catalog of a user cannot be read; the next run moves it aside and computes the days again."""


class DamagedLandingError(StoreError):
    """The record of what a user received cannot be read; `brain doctor` restores it."""


class DamagedIndexError(StoreError):
    """The search index of a user cannot be read; the next run moves it aside and builds it again from the lake."""


class LinkedUserError(StoreError):
    """The directory of a user is a link; it is not followed."""

    exit_code = 2


class CellError(BrainError):
    """A cell, or a user's place in one, that does not fit; the message says what to do."""

    exit_code = 2


class OtherCellError(CellError):
    """A user who lives in another cell, `cell`."""

    def __init__(self, user: str, cell: str, where: str = "") -> None:
        super().__init__(f"user {user!r} lives in cell {cell!r}" + (f": {where}" if where else ""))
        self.cell = cell


class DirectoryUnreachableError(CellError):
    """The database of the cells does not answer."""

    exit_code = 1


class MovedUserError(StoreError):
    """A user that was moved to another home; nothing is written here any more."""

    exit_code = 3


class UnusableHomeError(StoreError):
    """The machine does not let Brain write or read its files; none of them is damaged."""


class DiskFullError(UnusableHomeError):
    """There is no space left, or a quota or a limit of the file size is used up."""

    exit_code = 6


class ReadOnlyHomeError(UnusableHomeError):
    """The home lies on a file system that is mounted read-only, or its files are marked so."""

    exit_code = 7


class NoPermissionError(UnusableHomeError):
    """This process may not read or write a file of the home."""

    exit_code = 8


def may_pass(error: BaseException) -> bool:
    """Return whether the same call may succeed in a moment: a store was locked, or a model did not answer."""
    if isinstance(error, NoAnswerError | BudgetExceededError):
        return False
    locked = type(error).__name__ == "OperationalError" and "locked" in str(error)  # of SQLite, which is not imported
    return locked or isinstance(error, WriterBusyError | ModelCallError)


def is_unanswered(error: BaseException) -> bool:
    """Return whether a model was not asked, or did not answer: the same request may be answered another time."""
    return isinstance(error, ModelCallError) and not isinstance(error, NoAnswerError)


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_DENIED = frozenset({errno.EACCES, errno.EPERM})


def home_error(error: BaseException) -> UnusableHomeError | None:
    """Return the error to show for a full disk, a read-only file system or a missing permission; None for any other.

    Libraries that are not written in Python give the error of the system as text only.
    """
    if isinstance(error, UnusableHomeError):
        return error
    number = getattr(error, "errno", None)
    if number is None and isinstance(error, OSError | RuntimeError | ValueError):
        number = next((one for one in (*_FULL, errno.EROFS, *_DENIED) if f"(os error {one})" in str(error)), None)
    path = getattr(error, "filename", None)
    place = f": {path}" if path else ""
    if number in _FULL:
        return disk_full(place)
    if number == errno.EROFS:
        return read_only(place)
    return no_permission(place) if number in _DENIED else None


def home_error_within(error: BaseException, home: Path) -> UnusableHomeError | None:
    """Return `home_error` of an error or of the first one that caused it, also inside a library's wrapper.

    SQLite says only "disk I/O error" or "unable to open" for some of them; then the state of `home` decides.
    """
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop(0)
        if one is None or one in seen:
            continue
        seen.append(one)
        if isinstance(one, sqlite3.Error) and (found := sqlite_error(one, home)) is not None:
            return found
        if (found := home_error(one)) is not None:
            return found
        queue += [getattr(one, "orig", None), one.__cause__, one.__context__]
    return None


def sqlite_error(error: sqlite3.Error, path: Path) -> UnusableHomeError | None:
    """Return the error for a full disk, a read-only home or a missing permission; None if the file is at fault.

    Args:
        error: of SQLite.
        path: the database file, or a directory on the same disk.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    place = f": {path}"
    if code == sqlite3.SQLITE_FULL:
        return disk_full(place)
    if code not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        return None
    folder = next(one for one in (path, *path.parents) if one.is_dir())
    disk = os.statvfs(folder)
    if disk.f_flag & os.ST_RDONLY:
        return read_only(place)
    if disk.f_bavail * disk.f_frsize < SPARE_BYTES:  # the log's index cannot grow: an I/O error, not "full"
        return disk_full(place)
    reachable = os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    if not reachable or (path.is_file() and not os.access(path, os.R_OK | os.W_OK)):
        return no_permission(place)
    return read_only(place) if code == sqlite3.SQLITE_READONLY else None


def disk_full(place: str = "") -> DiskFullError:
    """Return the error for a full disk; `place` is ": " and a path, or empty."""
    return DiskFullError(
        f"no space is left on the disk{place}; free some, then run the same command again. "
        "Nothing that was stored before is lost"
    )


def read_only(place: str = "") -> ReadOnlyHomeError:
    """Return the error for a read-only home; `place` is ": " and a path, or empty."""
    return ReadOnlyHomeError(f"the home is read-only{place}; mount it for writing, or choose another with --home")


def no_permission(place: str = "") -> NoPermissionError:
    """Return the error for a missing permission; `place` is ": " and a path, or empty."""
    return NoPermissionError(f"no permission{place}; run as the user who owns the home, or correct its mode")


class NoSnapshotError(StoreError):
    """No snapshot has been computed for this user yet."""


class WriterBusyError(BrainError):
    """Another process held this user's writer lock for longer than the caller's timeout."""


class SharedUserError(WriterBusyError):
    """Workers compute this user; a process that does not hold their lock writes nothing."""
