"""Marks of the processes that execute runs, by which a run is known to go on after its code server has died.

A process holds a lock on `<DAGSTER_HOME>/workers/<run id>` while it executes a run. The kernel releases the lock
however the process ends, so no mark outlives its process.
"""

import fcntl
import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

FOLDER = "workers"


@dataclass(frozen=True)
class Worker:
    """The process that executes a run. `place` names its machine and its process namespace, a container's own."""

    pid: int
    place: str

    def interrupt(self) -> bool:
        """Ask the process to end its run; return whether it could be asked from here."""
        if self.pid <= 0 or self.place != _place():
            return False
        try:
            os.kill(self.pid, signal.SIGTERM)
        except OSError:
            return False
        return True


@contextmanager
def marked(dagster_home: Path, run_id: str) -> Iterator[None]:
    """Mark this process as the one that executes a run, until the block ends."""
    path = dagster_home / FOLDER / run_id
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = _locked(path)
    try:
        os.truncate(descriptor, 0)
        os.write(descriptor, json.dumps({"pid": os.getpid(), "place": _place()}).encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                return descriptor
        os.close(descriptor)  # `worker_of` has just removed the file


def worker_of(dagster_home: Path, run_id: str) -> Worker | None:
    """Return the process that executes a run now, or None. The mark of a process that was killed is removed."""
    path = dagster_home / FOLDER / run_id
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(ValueError, KeyError):
            found = json.loads(os.read(descriptor, 4096))
            return Worker(int(found["pid"]), str(found["place"]))
        return Worker(0, "")  # it is about to write who it is
    else:
        path.unlink(missing_ok=True)
        return None
    finally:
        os.close(descriptor)


def _place() -> str:
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}"
