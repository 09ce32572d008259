"""A mixed load on a running home while random processes are killed, compared with a run that nothing interrupted.

    python -m benchmarks.kill_storm [--rounds 200] [--storage sqlite|postgres] [--folder DIR] [--settle 20]

`brain up` and `brain serve` run over a new home of two users. Clients send messages over HTTP, `brain message` and
`brain ingest` run, files are written into the inbox, `brain nightly` publishes snapshots; what is not acknowledged is
sent again. Each round waits a random time and kills a random process with SIGKILL: a command, the server, a run's
worker, a reader, a part of `brain up`, a process of PostgreSQL; no kill falls while PostgreSQL is down from the one
before. Afterwards `brain up` alone finishes what is left, in at most `--settle` minutes; what it has not done by then
is printed and done by `brain rerun`. `brain nightly` runs once, and every store is compared by digest with a clean run
of the same files. With `--folder` a storm that was stopped goes on where it was, and the home stays.

Commands are forked from a process that has imported the product, so that a round costs no imports; `brain up` and what
it starts are ordinary processes.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.kill_storm_check import Journal, verdict
from benchmarks.kill_storm_load import Load
from benchmarks.kill_storm_processes import USERS, Processes

SERVICES = 0.3  # of the kills: a part of `brain up` or `brain serve`, which need seconds to start


def victim(processes: Processes, chance: random.Random) -> tuple[int, str] | None:
    """Return the process to kill next and what it is."""
    running = processes.running()
    services = [one for one in running if one[1] == "serve" or one[1].startswith("up: ")]
    others = [one for one in running if one not in services]
    chosen = services if not others or chance.random() < SERVICES else others
    kinds = sorted({kind for _, kind in chosen})
    if not kinds:
        return None
    kind = chance.choice(kinds)
    return chance.choice([pid for pid, one in chosen if one == kind]), kind


def past_kills(folder: Path) -> Counter[str]:
    """Return how often each kind of process was killed so far."""
    record = folder / "kills.jsonl"
    return Counter(record.read_text().split("\n")[:-1]) if record.exists() else Counter[str]()


def rage(
    folder: Path, processes: Processes, journal: Journal, rounds: int, seed: int, pace: float, settle: float
) -> list[str]:
    """Run the load and kill a process at a random moment, again and again; then let the home settle.

    Returns lines about what was sent again, what was done, and what was left running.
    """
    killed = past_kills(folder)
    chance = random.Random(seed + killed.total())
    with processes:
        load = Load(processes, journal, seed)
        load.start()
        while killed.total() < rounds:
            time.sleep(chance.uniform(0, pace))
            processes.revive()
            if processes.database is not None:
                processes.database.wait()
            found = victim(processes, chance)
            if found is None:
                continue
            try:
                os.kill(found[0], signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed[found[1]] += 1
            with (folder / "kills.jsonl").open("a") as lines:
                lines.write(found[1] + "\n")
            line = f"round {killed.total()} of {rounds}: killed {found[1]}; {len(journal)} writes acknowledged"
            sys.stderr.write(f"{line}, {load.done['nightly']} nights\n")
        load.stop()
        left = processes.settle(settle * 60)
    database, away = processes.database, list[str]()
    if database is not None:
        away = [f"PostgreSQL was waited for {database.away:.0f} s in all, and started {database.starts} times"]
    return [
        f"sent again: {json.dumps(dict(load.again))}; done: {json.dumps(dict(load.done))}",
        left,
        *away,
        f"processes that outlived `brain up`: {dict(Counter(processes.left))}",
    ]


@contextmanager
def instance(folder: Path, storage: str) -> Iterator[Path]:
    """Give the home of the storm, with its Dagster instance on SQLite or on a PostgreSQL server of its own."""
    from brain_pipelines.commands.init import set_up
    from brain_retrieval.home import project_root
    from tests.servers import postgres

    home = folder / "home"
    set_up(home)
    os.environ |= {"BRAIN_HOME": str(home), "DAGSTER_HOME": str(home / "dagster_home")}
    with postgres.server(folder / "postgres") if storage == "postgres" else nullcontext() as address:
        if address:
            from sqlalchemy.engine import make_url

            url = make_url(address)
            os.environ |= {"PGHOST": url.host or "", "PGPORT": str(url.port), "PGUSER": url.username or ""}
            os.environ |= {"PGPASSWORD": str(url.password), "PGDATABASE": url.database or ""}
            profile = project_root() / "dagster_home" / "dagster.postgres.yaml"
            (home / "dagster_home" / "dagster.yaml").write_text(profile.read_text())
        yield home


def run(folder: Path, rounds: int, storage: str, seed: int, pace: float, settle: float) -> bool:
    """Run a storm in a folder, print its table, and return whether nothing was lost, doubled or different.

    A storm in the folder that has had its rounds is only compared.
    """
    from brain_retrieval.home import Home

    with instance(folder, storage) as path:
        home, journal = Home(path), Journal(folder / "acknowledged.jsonl")
        processes = Processes(home, folder)
        raging = past_kills(folder).total() < rounds
        notes = rage(folder, processes, journal, rounds, seed, pace, settle) if raging else []
        day = datetime.now(UTC).date().isoformat()
        for user in USERS:
            for command in (["rerun", "--user", user], ["nightly", "--user", user, "--day", day]):
                if code := processes.command(command):
                    raise SystemExit(f"brain {command[0]} ended with exit code {code}; see {folder / 'commands.log'}")
        found = verdict(home, journal, day, Path(tempfile.mkdtemp(dir=folder)))
    faults, killed = ("lost", "doubled", "damaged", "different"), past_kills(folder)
    print(f"| storage | kills | writes acknowledged | digests compared | {' | '.join(faults)} |")
    print("|---|---|---|---|---|---|---|---|")
    counts = " | ".join(str(len(found[one])) for one in faults)
    print(f"| {storage} | {killed.total()} | {found['acknowledged']} | {found['compared']} | {counts} |")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(killed.items())))
    for line in (*notes, *(f"{one}: {line[:200]}" for one in faults for line in found[one][:20])):
        print(line)
    return not any(found[one] for one in faults)


def main() -> None:
    """Run the storm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--storage", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--pace", type=float, default=6.0, help="most seconds between two kills; the mean is half of it"
    )
    parser.add_argument("--settle", type=float, default=20.0, help="most minutes for `brain up` to finish alone")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends what it has started
    with nullcontext(chosen.folder) if chosen.folder else tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        place.mkdir(parents=True, exist_ok=True)
        sys.exit(not run(place, chosen.rounds, chosen.storage, chosen.seed, chosen.pace, chosen.settle))


if __name__ == "__main__":
    main()
