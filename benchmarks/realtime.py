"""Seconds until a message is searchable: `take_message` in a warm process, and `brain message` as a new process.

    python benchmarks/realtime.py [--messages 20]

The floor is landing and the stages alone over the same messages in the same run; the comparison is a Dagster run over
the day, as the sensor launches. First each message has its own day, then all messages share one day. CPU seconds of
this process are in brackets; on a busy machine they are more meaningful than wall time.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

FIRST = datetime(2026, 1, 5, 10, tzinfo=UTC)
TEXT = "Message {}: Bob Smith maintains the table component, and Priya leads the redesign from Monday."


def timed(work: Callable[[int], None], count: int) -> tuple[float, float]:
    """Return the median wall seconds and CPU seconds of a call."""
    clock, cpu = [], []
    for n in range(count):
        began, busy = time.perf_counter(), time.process_time()
        work(n)
        clock.append(time.perf_counter() - began)
        cpu.append(time.process_time() - busy)
    return statistics.median(clock), statistics.median(cpu)


def floor(home: Path) -> Callable[[int], None]:
    """Return a function that lands a message and runs the bare stages over its day."""
    from brain_pipelines.engine.run_stage import materialize
    from brain_pipelines.landing.inbox import FileState
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.sources.registry import SOURCES_BY_NAME
    from brain_pipelines.stages.registry import STAGES
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    space, settings = Home(home).space("floor"), load_settings(home)

    def take(n: int) -> None:
        path = space.inbox / "message" / f"{FIRST + timedelta(days=n):%Y-%m-%d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT.format(n))
        with open_landing(space, settings) as landing:
            days = sorted(landing.land(FileState.of(path, space.inbox)))
        for stage in STAGES:
            materialize(stage, SOURCES_BY_NAME["message"], space, days, settings=settings, run_id="floor")

    return take


def peer(home: Path) -> Callable[[int], None]:
    """Return a function that ingests a message like any other file, with a Dagster run."""
    from brain_pipelines.ingest.files import ingest
    from brain_retrieval.home import Home

    def take(n: int) -> None:
        path = home / f"{FIRST + timedelta(days=n):%Y-%m-%d}.txt"
        path.write_text(TEXT.format(n))
        ingest(Home(home), user="peer", source="message", paths=[path])

    return take


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=20)
    count = parser.parse_args().messages
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["DAGSTER_HOME"] = str(home / "dagster")
        run(home, count)


def run(home: Path, count: int) -> None:
    """Measure the floor, both warm cases and the command."""
    from brain_pipelines.ingest.message import take_message
    from brain_retrieval.home import Home

    where, bare = Home(home), floor(home)
    take_message(where, "warm", TEXT.format("zero"), timestamp=FIRST)  # warm-up: loads models and libraries
    bare(-1)
    least = timed(bare, count)
    dagster_run = timed(peer(home), count)
    apart = timed(lambda n: take_message(where, "days", TEXT.format(n), timestamp=FIRST + timedelta(days=n)), count)
    at = (FIRST + timedelta(minutes=n) for n in range(10_000))
    together = timed(lambda n: take_message(where, "day", TEXT.format(n), timestamp=next(at)), count)
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "brain_pipelines.commands.app",
        "message",
        "Hello.",
        "--user",
        "cold",
    ]
    began = time.perf_counter()
    subprocess.run([*command, "--home", str(home)], check=True, capture_output=True)
    cold = time.perf_counter() - began
    rows = {
        "stages alone": least,
        "a day each": apart,
        f"one day of {count}": together,
        "run of Dagster": dagster_run,
    }
    for name, (clock, cpu) in rows.items():
        print(f"{name:16} {clock:6.2f} s ({cpu:.2f})  {cpu / least[1]:.1f} × the stages alone")
    print(f"{'brain message':16} {cold:6.2f} s from the start of the process")


if __name__ == "__main__":
    main()
