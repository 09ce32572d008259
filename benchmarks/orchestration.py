"""Overhead of Dagster: 1, 31 and 365 days of one user in as few runs as possible, against plain function calls.

    python benchmarks/orchestration.py [--days 1 31 365] [--storage sqlite|postgres]

Each day holds one short note. Both sides run the same stages over new homes in this process, in spans of 31 days, and
then once more over what is unchanged. The plain side calls `materialize` for each stage and span; the other runs the
job in the instance that `brain init` sets up, on SQLite or on a PostgreSQL server of its own, whose work is not
counted. `brain rerun` is measured as a call over the same unchanged home.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def cpu() -> float:
    """Return CPU seconds (user and system) of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(work: Callable[[], None]) -> tuple[float, float]:
    """Return (CPU seconds, wall seconds) of a call."""
    cpu_before, wall_before = cpu(), time.perf_counter()
    work()
    return cpu() - cpu_before, time.perf_counter() - wall_before


def first_of(days: int) -> date:
    """Return the first day, so that the last one has been: there is no partition for a day to come."""
    return min(date(2025, 1, 1), datetime.now(UTC).date() - timedelta(days=days))


def fill(path: Path, days: int) -> list[str]:
    """Land one note per day and return the days."""
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.scan import scan_inbox
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    folder = path / "inbox" / "bench" / "note"
    folder.mkdir(parents=True)
    first = first_of(days)
    names = [(first + timedelta(days=n)).isoformat() for n in range(days)]
    written = path / "brain.toml"
    written.write_text(f"first_day = {first}\n" + (written.read_text() if written.is_file() else ""))
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


@contextmanager
def server(storage: str) -> Iterator[None]:
    """Name a PostgreSQL server in the environment, for `storage` "postgres"."""
    if storage != "postgres":
        yield
        return
    from sqlalchemy.engine import make_url

    from tests.servers import postgres

    with tempfile.TemporaryDirectory(prefix="brain-postgres-") as folder:
        Path(folder).chmod(0o755)  # the server runs as another user
        with postgres.server(Path(folder) / "server") as address:
            url = make_url(address)
            os.environ |= {"PGHOST": url.host or "", "PGPORT": str(url.port), "PGUSER": url.username or ""}
            os.environ |= {"PGPASSWORD": str(url.password), "PGDATABASE": url.database or ""}
            os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", "500")  # as docs/operations.md says
            yield


def set_up_instance(path: Path, storage: str) -> None:
    """Write the configuration of `brain init` into a home, that of PostgreSQL if asked for."""
    from brain_pipelines.commands.init import set_up
    from brain_retrieval.home import project_root

    set_up(path)
    os.environ |= {"BRAIN_HOME": str(path), "DAGSTER_HOME": str(path / "dagster_home")}
    if storage == "postgres":
        profile = project_root() / "dagster_home" / "dagster.postgres.yaml"
        (path / "dagster_home" / "dagster.yaml").write_text(profile.read_text())


def orchestrated(path: Path, spans: list[list[str]]) -> None:
    """Run the job over every span, recorded in the Dagster instance of the home."""
    from brain_pipelines.definitions import build_defs
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.orchestration.days.calendar import Calendar
    from brain_pipelines.orchestration.partitions import range_tags
    from brain_retrieval.home import Home

    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with open_instance(path) as instance:
        instance.add_dynamic_partitions("users", ["bench"])
        job = build_defs(Home(path)).resolve_job_def("note")
        for span in spans:
            tags = range_tags("bench", span[0], span[-1], Calendar(date.fromisoformat(spans[0][0])))
            assert job.execute_in_process(instance=instance, tags=tags, run_config=quiet).success


def rerun(path: Path, _spans: list[list[str]]) -> None:
    """Run what `brain rerun` runs."""
    from brain_pipelines.ingest import files
    from brain_retrieval.home import Home

    assert files.rerun(Home(path), user="bench").success


def figures(days: int, storage: str) -> tuple[int, dict[str, tuple[float, float]]]:
    """Return the number of runs, and (CPU seconds, wall seconds) of each kind of work over a number of days."""
    from brain_pipelines.landing.run_planning import spans as group

    found: dict[str, tuple[float, float]] = {}
    spans: list[list[str]] = []
    works = {"plain": (plain, plain), "dagster": (orchestrated, orchestrated, rerun)}
    for side, calls in works.items():
        with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
            path = Path(directory)
            set_up_instance(path, storage)
            spans = group(fill(path, days))
            for n, work in enumerate(calls):
                found[f"{side} {n}"] = measure(lambda work=work, path=path, spans=spans: work(path, spans))
    return len(spans), found


def main() -> None:
    """Print a row for each number of days."""
    from brain_pipelines.stages.registry import STAGES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, nargs="+", default=[1, 31, 365])
    parser.add_argument("--storage", choices=["sqlite", "postgres"], default="sqlite")
    args = parser.parse_args()
    print(
        "| days | runs | plain CPU s | Dagster CPU s | ratio | a partition-asset, CPU ms | unchanged: plain | Dagster "
        "| of the first | a partition-asset, CPU ms | `brain rerun` | of the first |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    with server(args.storage):
        figures(args.days[0], args.storage)  # warms up imports and models
        for days in args.days:
            runs, found = figures(days, args.storage)
            plain_0, plain_1, dagster_0, dagster_1, again = (cpu for cpu, _ in found.values())
            each = days * len(STAGES) / 1000
            print(
                f"| {days} | {runs} | {plain_0:.2f} | {dagster_0:.2f} | {dagster_0 / plain_0:.1f} "
                f"| {(dagster_0 - plain_0) / each:.1f} | {plain_1:.2f} | {dagster_1:.2f} | {dagster_1 / dagster_0:.1%} "
                f"| {(dagster_1 - plain_1) / each:.1f} | {again:.2f} | {again / dagster_0:.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
