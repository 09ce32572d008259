"""Where tests write: in memory where there is enough of it.

Homes, SQLite and Lance wait for the disk at every commit, ten thousands of times in a run of all tests. None of them
needs that the machine survives: they end processes, whose files a file system in memory keeps as well.
"""

import os
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
GIB = 1 << 30
# A run of all tests fills about one GiB. What is used here is missing to the programs of the machine.
FREE_SPACE, FREE_MEMORY = 4 * GIB, 8 * GIB


def folder_in_memory() -> str | None:
    """Return a folder whose files lie in memory; None without enough of it, or where its programs may not be run."""
    try:
        system = os.statvfs(IN_MEMORY)
        memory = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text("ascii").splitlines())
        available = int(memory["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
    room = system.f_bavail * system.f_frsize >= FREE_SPACE and available >= FREE_MEMORY
    usable = os.access(IN_MEMORY, os.W_OK | os.X_OK) and not system.f_flag & os.ST_NOEXEC
    return str(IN_MEMORY) if room and usable else None


def write_into_memory() -> None:
    """Make it the folder of temporary files, of this process and those it starts, unless TMPDIR names one."""
    if "TMPDIR" not in os.environ and (folder := folder_in_memory()):
        os.environ["TMPDIR"] = tempfile.tempdir = folder
