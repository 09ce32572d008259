"""The writer lock of a user's stores: one writing thread or process at a time. Readers do not take it."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from brain_retrieval.errors import SharedUserError, WriterBusyError
from brain_retrieval.home import Space, check_not_moved, make_folder

POLL_SECONDS = 0.02
DEFAULT_TIMEOUT = 600.0
SHARED = "shared.json"  # in a home whose users are computed by workers: written only while their lock is held


@dataclass
class _Held:
    thread: threading.RLock = field(default_factory=threading.RLock)  # pyright: ignore[reportInvalidTypeForm]
    descriptor: int = -1
    depth: int = 0


_held: dict[Path, _Held] = {}
_sessions: dict[Path, int] = {}
_registry = threading.Lock()


@contextmanager
def writer_lock(space: Space, timeout: float = DEFAULT_TIMEOUT, *, moved: bool = False) -> Iterator[None]:
    """Hold the writer lock of `space` in this thread; re-entrant. The kernel releases it if the process dies.

    Args:
        timeout: seconds to wait for another thread or process.
        moved: also for a user that is marked as moved to another home; only the move itself does that.

    Raises:
        WriterBusyError: if the lock is still taken after `timeout`.
        MovedUserError: if the user was moved to another home.
        SharedUserError: if workers compute the user, and this process does not hold their lock.
    """
    held = _of(space.lock)
    deadline = time.monotonic() + timeout
    if not held.thread.acquire(timeout=max(0.0, timeout)):
        raise _busy(space, timeout)
    try:
        if held.depth == 0:
            held.descriptor = _flock(space, deadline, timeout)
        held.depth += 1
        try:
            if not moved:  # after waiting, because the lock may have been held by the move
                check_not_moved(space)
            _check_shared(space)
            yield
        finally:
            held.depth -= 1
            if held.depth == 0:
                os.close(held.descriptor)
    finally:
        held.thread.release()


@contextmanager
def in_session(spaces: Sequence[Space]) -> Iterator[None]:
    """Allow this process to write users that workers compute: the caller holds the lock that is for all machines."""
    paths = [space.lock.absolute() for space in spaces]
    with _registry:
        for path in paths:
            _sessions[path] = _sessions.get(path, 0) + 1
    try:
        yield
    finally:
        with _registry:
            for path in paths:
                _sessions[path] -= 1


def _check_shared(space: Space) -> None:
    if (space.home / SHARED).is_file() and not _sessions.get(space.lock.absolute()):
        said = "is computed by workers: give files to the inbox, and start runs in Dagster's UI"
        raise SharedUserError(f"{space.user!r} {said} (docs/workers.md)")


@contextmanager
def working(space: Space) -> Iterator[None]:
    """Mark the user's data as being computed by this process, with or without the writer lock; several may at once."""
    make_folder(space.root)
    descriptor = os.open(_work(space), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def is_worked_on(space: Space) -> bool:
    """Return whether a process is computing or writing the user's data right now."""
    for path in (space.lock, _work(space)):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
    return False


def _work(space: Space) -> Path:
    return space.root / "work.lock"


def _of(path: Path) -> _Held:
    with _registry:
        return _held.setdefault(path.absolute(), _Held())


def _flock(space: Space, deadline: float, timeout: float) -> int:
    make_folder(space.root)
    descriptor = os.open(space.lock, os.O_RDWR | os.O_CREAT, 0o600)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise _busy(space, timeout) from None
            time.sleep(POLL_SECONDS)
        else:
            if _is_current(descriptor, space.lock):
                return descriptor
            os.close(descriptor)  # the user's directory was replaced by a restored one meanwhile
            make_folder(space.root)
            descriptor = os.open(space.lock, os.O_RDWR | os.O_CREAT, 0o600)


def _is_current(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one of a path."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    mine = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)


def _busy(space: Space, timeout: float) -> WriterBusyError:
    return WriterBusyError(f"another process is writing the data of {space.user!r}; waited {timeout:.0f} s")


# A forked child inherits the open file and with it the lock, so it must acquire its own.
os.register_at_fork(after_in_child=_held.clear)
