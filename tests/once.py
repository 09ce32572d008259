"""What the processes of one run of the tests build once: the first to need it builds it, the others take a copy."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def folder_of_run(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this run share."""
    folder = factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


def built_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """Return this process's copy of the home that `build` fills, which one process of the run does.

    Args:
        factory: that of the session.
        name: of the home, another for each `build`.
        build: fills an empty home; its files must not name the home's own path.
    """
    built, making = (folder_of_run(factory) / f"{name}-{state}" for state in ("built", "begun"))
    with built.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        if not built.is_dir():
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            build(making)
            making.rename(built)
    return Path(shutil.copytree(built, factory.mktemp(name) / "home"))
