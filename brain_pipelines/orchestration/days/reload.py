"""Asking for a new code server, whose definitions have the calendar that the home has now."""

import fcntl
import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import dagster as dg

from brain_pipelines.orchestration.days.calendar import Calendar


def folder_of(instance_folder: Path, name: str = "") -> Path:
    """Return the directory of a `brain up`, in that of the Dagster instance; several cells may share the latter."""
    return instance_folder / (f"up-{name}" if name else "up")


def supervisor_of(instance_folder: Path, cell: str = "") -> int | None:
    """Return the process id of the `brain up` that runs over a Dagster instance, or None."""
    folder = folder_of(instance_folder, cell)
    try:
        with (folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        with suppress(OSError, ValueError, KeyError):
            return int(json.loads((folder / "up.json").read_text("utf-8"))["pid"])
        return None
    except OSError:
        return None


def ask_for_reload(instance: dg.DagsterInstance, calendar: Calendar) -> str:
    """Have `brain up` restart the code server; return what happens, for the operator."""
    what = f"partitions are {calendar.unit}s since {calendar.first_day} now"
    process = supervisor_of(Path(instance.root_directory), calendar.names.cell) if instance.is_persistent else None
    if process is None:
        return f"{what}: reload the code location (Deployment) or restart the code server; runs start after that"
    os.kill(process, signal.SIGHUP)
    return f"{what}; the code server is restarted, and runs start after that"
