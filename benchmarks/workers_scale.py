"""CPU time of an asset-partition on a floating worker, from one day of a user to 10,010 asset-partitions of seven.

    python -m benchmarks.workers_scale [--sizes 1x1 1x14 5x286] [--directory]

A size is users x days; each day holds one short note, and seven stages run over it, so the default sizes are 7, 98 and
10,010 asset-partitions. One worker, the command `brain worker start`, takes them from Redis, a run for each user and
month, stores its events in PostgreSQL and its files in an S3 server (with `--directory` in a directory). The plain side
calls the same stages over equal homes in this process. Only the worker's CPU seconds count, not those of the servers
nor of this process, which launches the runs.
"""

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.orchestration import cpu, fill, plain
from benchmarks.workers import land, workers_cpu
from tests.pipelines.workers.cluster import Cluster, cluster, days, drop, launch, wait_for

Size = tuple[int, int]  # users, days
WARM: Size = (2, 2)  # loads the models, in the worker and here


def size(text: str) -> Size:
    """Return users and days of a size as it is written: "5x286"."""
    users, _, count = text.partition("x")
    return int(users), int(count)


def names(of: Size) -> list[str]:
    return [f"user-{of[0]}-{of[1]}-{number}" for number in range(of[0])]


def months(count: int) -> list[list[str]]:
    """Return the days of each run, as the product groups them."""
    from brain_pipelines.landing.run_planning import spans

    return spans([day.isoformat() for day in days(count)])


def on_worker(found: Cluster, of: Size) -> float:
    """Run every user and month once; return the CPU seconds of the worker."""
    used = workers_cpu(found)
    for span in months(of[1]):
        ended = wait_for(launch(names(of), [(span[0], span[-1])]), 3600)
        assert set(ended.values()) == {"SUCCESS"}, ended
    return workers_cpu(found) - used


def in_process(homes: dict[Path, list[list[str]]]) -> float:
    """Call the stages over every home and month; return CPU seconds."""
    used = cpu()
    for home, spans in homes.items():
        plain(home, spans)
    return cpu() - used


def write_inbox(found: Cluster, sizes: Iterable[Size]) -> None:
    """Put a note a day into the inbox of every user, and land them."""
    for of in sizes:
        for user in names(of):
            for day in days(of[1]):
                text = f"Alice Chen wrote a short note on {day} about the library that Bob maintains.\n"
                drop(found.home, user, f"{day}.md", text, day)
    land(found, [user for of in sizes for user in names(of)])


def homes_of(folder: Path, of: Size) -> dict[Path, list[list[str]]]:
    """Make a home with as many notes for each user; return the days of each run."""
    from brain_pipelines.landing.run_planning import spans

    homes = [folder / name for name in names(of)]
    for home in homes:
        home.mkdir(parents=True)
    return {home: spans(fill(home, of[1])) for home in homes}


def main() -> None:
    """Print a row for each size."""
    from brain_pipelines.stages.registry import STAGES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=size, nargs="+", default=[(1, 1), (1, 14), (5, 286)])
    parser.add_argument("--directory", action="store_true", help="a directory in the place of S3")
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="brain-workers-") as folder,
        cluster(Path(folder), object_storage=not args.directory) as found,
    ):
        write_inbox(found, [WARM, *args.sizes])
        found.worker("one")
        on_worker(found, WARM)
        in_process(homes_of(Path(folder) / "plain", WARM))
        heads = "asset-partitions | runs | plain CPU s | worker CPU s | CPU ms an asset-partition"
        heads += " | unchanged: plain | worker | of the first | CPU ms an asset-partition | CPU ms a run"
        print(f"| {heads} |\n{'|---' * 10}|", flush=True)
        for of in args.sizes:
            count, runs = of[0] * of[1] * len(STAGES), of[0] * len(months(of[1]))
            homes = homes_of(Path(folder) / "plain", of)
            first, again = in_process(homes), in_process(homes)
            worked, idle = on_worker(found, of), on_worker(found, of)
            each, still = 1000 * (worked - first) / count, 1000 * (idle - again) / count
            cells = f"{count:,} | {runs} | {first:.2f} | {worked:.2f} | {each:.1f} | {again:.2f} | {idle:.2f}"
            print(f"| {cells} | {idle / worked:.1%} | {still:.1f} | {1000 * idle / runs:.0f} |", flush=True)


if __name__ == "__main__":
    main()
