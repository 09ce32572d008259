"""End to end through a real daemon: inbox files become search results, are edited, and are deleted."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.errors import UnknownUserError
from brain_retrieval.home import project_root

PATIENCE = 150.0


@pytest.fixture
def daemon(bench, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon and its code server over the test's home, with the project's own dagster.yaml."""
    dagster_home = tmp_path / "dagster"
    dagster_home.mkdir()
    (dagster_home / "dagster.yaml").write_text((project_root() / "dagster_home" / "dagster.yaml").read_text())
    log = (tmp_path / "daemon.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "dagster._daemon", "run", "-m", "brain_pipelines.definitions"],
        cwd=project_root(),
        env={**os.environ, "DAGSTER_HOME": str(dagster_home), "BRAIN_HOME": str(bench.home.path)},
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    yield process
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    log.close()


def wait_for(what: Callable[[], bool], daemon: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert daemon.poll() is None, log.read_text()[-3000:]
        if what():
            return
        time.sleep(1)
    pytest.fail(f"not within {PATIENCE:.0f} s; the daemon says: {log.read_text()[-3000:]}")


def answers(bench, user: str, query: str) -> list[str]:
    try:
        with Brain.open(bench.home.path, user=user) as brain:
            return [hit.text for hit in brain.search(query, k=3)]
    except UnknownUserError:
        return []


@pytest.mark.timeout(600)
def test_dropped_edited_and_deleted_file_is_reflected_in_search(bench, daemon, tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    bench.drop("carol", "note", "a.md", "The greenhouse key hangs behind the blue door.", day="2026-01-05")
    spare = bench.drop("carol", "note", "b.md", "The spare key lies in the letter box.", day="2026-01-06")
    wait_for(lambda: has_both("blue door", "letter box", answers(bench, "carol", "greenhouse key")), daemon, log)

    # One more run does for both: each run is a process that loads all definitions.
    bench.drop("carol", "note", "a.md", "The greenhouse key hangs under the red stone.", day="2026-01-05")
    spare.unlink()
    wait_for(
        lambda: len(found := answers(bench, "carol", "greenhouse key")) == 1 and "red stone" in found[0], daemon, log
    )


def has_both(one: str, other: str, texts: list[str]) -> bool:
    return any(one in text for text in texts) and any(other in text for text in texts)
