"""Overhead of Dagster: 1, 31 and 365 days of one user in as few runs as possible, against plain function calls.

    python benchmarks/orchestration.py [--days 1 31 365]

Each day holds one short note. Both sides run the same stages over new homes in this process, in spans of 31 days. The
plain side calls `materialize` for each stage and span; the other runs the job, with events in SQLite on disk.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path


def cpu() -> float:
    """Return CPU seconds (user and system) of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(work: Callable[[], None]) -> tuple[float, float]:
    """Return (CPU seconds, wall seconds) of a call."""
    cpu_before, wall_before = cpu(), time.perf_counter()
    work()
    return cpu() - cpu_before, time.perf_counter() - wall_before


def fill(path: Path, days: int) -> list[str]:
    """Land one note per day and return the days."""
    import os

    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.orchestration.sensors import scan_inbox
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    folder = path / "inbox" / "bench" / "note"
    folder.mkdir(parents=True)
    names = [(date(2025, 1, 1) + timedelta(days=n)).isoformat() for n in range(days)]
    for day in names:
        note = folder / f"{day}.md"
        note.write_text(f"Alice Chen wrote a short note on {day} about the library that Bob maintains.\n")
        stamp = datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp()
        os.utime(note, (stamp, stamp))
    space = Home(path).space("bench")
    with open_landing(space, load_settings(path)) as landing:
        scan_inbox(space, landing, until=time.monotonic() + 3600)
    return names


def plain(path: Path, spans: list[list[str]]) -> None:
    """Run every stage over every span by calling functions directly."""
    from brain_pipelines.engine.run_stage import materialize
    from brain_pipelines.sources.registry import SOURCES_BY_NAME
    from brain_pipelines.stages.registry import STAGES
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    settings = load_settings(path)
    for span in spans:
        for stage in STAGES:
            materialize(stage, SOURCES_BY_NAME["note"], Home(path).space("bench"), span, settings=settings, run_id="p")


def orchestrated(path: Path, spans: list[list[str]]) -> None:
    """Run the job over every span, recorded in a Dagster instance on disk."""
    import dagster as dg

    from brain_pipelines.definitions import build_defs
    from brain_pipelines.orchestration.days.calendar import Calendar
    from brain_pipelines.orchestration.partitions import range_tags
    from brain_retrieval.home import Home

    (path / "dagster").mkdir()
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with dg.DagsterInstance.local_temp(str(path / "dagster"), overrides={"telemetry": {"enabled": False}}) as instance:
        instance.add_dynamic_partitions("users", ["bench"])
        job = build_defs(Home(path)).resolve_job_def("note")
        for span in spans:
            tags = range_tags("bench", span[0], span[-1], Calendar(date(2024, 1, 1)))
            assert job.execute_in_process(instance=instance, tags=tags, run_config=quiet).success


def main() -> None:
    from brain_pipelines.landing.run_planning import spans as group

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, nargs="+", default=[1, 31, 365])
    args = parser.parse_args()
    rows = []
    for n, days in enumerate([args.days[0], *args.days]):  # the first round only warms up imports and models
        figures = []
        for work in (plain, orchestrated):
            with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
                path = Path(directory)
                spans = group(fill(path, days))
                figures.append(measure(lambda work=work, path=path, spans=spans: work(path, spans)))
        if n:
            rows.append((days, len(spans), *figures))
    print(
        "| days | runs | plain CPU s | Dagster CPU s | ratio | overhead a run, CPU s | a partition-asset, CPU ms "
        "| wall s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for days, runs, (plain_cpu, _), (dagster_cpu, wall) in rows:
        extra = dagster_cpu - plain_cpu
        print(
            f"| {days} | {runs} | {plain_cpu:.2f} | {dagster_cpu:.2f} | {dagster_cpu / plain_cpu:.2f} | "
            f"{extra / runs:.2f} | {1000 * extra / (days * 5):.1f} | {wall:.1f} |"
        )


if __name__ == "__main__":
    main()
