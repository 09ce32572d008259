"""Samples read once for all processes of a test run: recognition of speech and text takes most of its tests' time."""

import fcntl
import pickle
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests.samples.taking import Taken, take

ReadSample = Callable[[Path], list[Taken]]


def reader_of_samples(folder: Path) -> ReadSample:
    """Return a function that reads `<source>/<file>` with default settings, or loads what another process has read.

    The folder belongs to one run of the tests, so what is loaded was read by the same code.
    """

    @cache
    def read(path: Path) -> list[Taken]:
        kept = folder / f"{sha256(str(path).encode()).hexdigest()}.pickle"
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
            if not kept.is_file():
                kept.write_bytes(pickle.dumps(take(path.parent.name, path)))
            return pickle.loads(kept.read_bytes())

    return read
