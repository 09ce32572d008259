"""Random kills of workers under load: nothing lost, nothing doubled, equal to one machine.

    python -m benchmarks.workers_kills [--minutes 120] [--kills 200] [--compare-every 50] [--users 3] [--directory]
        [--kinds worker machine process session postgres redis s3] [--pace 1] [--shipped]

A home with `brain up` and two workers over real PostgreSQL, Redis and S3 (with `--directory` a directory in its place).
Notes arrive, are written over and deleted all the time. While a run goes on, at a random moment, one of these is hit,
as often as `KINDS` says: a worker is killed with its processes (kill -9), or with its disk too ("machine"), or only the
process of the run; a connection that holds the lock of the user is ended; PostgreSQL, Redis or S3 is killed, and Redis
loses its list. What was killed is started again, a server after 0 to 5 seconds. After so many kills, and at the end,
the load pauses until everything is computed: every note has to be there once, every successful run has to have one
commit, and the stores have to equal those of one home that took the same files in peace. Recovery is the time from a
kill in a run that then committed nothing until another one has committed for its user, with the times between checks
shortened unless `--shipped`.
"""

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.workers_load import Load, digests_of, one_machine, received_in, texts_in
from benchmarks.workers_servers import Servers
from tests.pipelines.workers.cluster import BRAIN, ROOT, Cluster, children_of, cluster
from tests.servers.neo4j_launch import free_port

KINDS = {"worker": 8, "machine": 2, "process": 4, "session": 3, "postgres": 1, "redis": 1, "s3": 1}  # how often
AWAY_SECONDS = 5.0
FASTER = {"poll_interval_seconds": "3", "start_timeout_seconds": "90", "max_retries": "20"}
STARTED = """SELECT r.run_id, t.value FROM runs r JOIN run_tags t ON t.run_id = r.run_id
WHERE r.status = 'STARTED' AND t.key = 'brain/user'"""
COMMITS = 'SELECT run_id, "user", at FROM brain_run_commit'
UNFINISHED = "SELECT count(*) FROM runs WHERE status IN ('QUEUED', 'NOT_STARTED', 'STARTING', 'STARTED')"
SESSIONS = """SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND a.query NOT LIKE '%pg_locks%'"""


@dataclass(frozen=True)
class Kill:
    """A kill: what was killed, when, and the runs (id, user) that went on."""

    kind: str
    at: datetime
    runs: list[tuple[str, str]]


@dataclass
class Storm:
    """The cluster, what is written into its home, and what was killed so far."""

    found: Cluster
    servers: Servers
    load: Load
    kinds: list[str]
    pace: float
    kills: list[Kill] = field(default_factory=list)


def kill_something(found: Cluster, servers: Servers, kinds: list[str], chance: random.Random) -> str:
    """End a worker, its machine, the process of its run, a session of PostgreSQL, or a server; return what it was."""
    (kind,) = chance.choices(kinds, [KINDS[one] for one in kinds])
    name = chance.choice(("one", "two"))
    if kind in ("postgres", "redis", "s3"):
        servers.kill(kind, chance.uniform(0, AWAY_SECONDS))
    elif kind == "session" and (holders := [pid for (pid,) in found.query(SESSIONS)]):
        found.query("SELECT pg_terminate_backend(:pid)", pid=chance.choice(holders))
    elif kind == "process":
        for pid in children_of(found.processes[name].pid):
            subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
    else:
        kind = "machine" if kind == "machine" else "worker"
        found.kill(name)
        if kind == "machine":
            shutil.rmtree(found.folder / name, ignore_errors=True)
        found.worker(name)
    return kind


def disturb(storm: Storm, wanted: int, until: float) -> None:
    """Let notes come and go, and kill while runs go on, until there are so many kills or the time has passed."""
    found, load, kills, pace = storm.found, storm.load, storm.kills, storm.pace
    chance, next_note = load.chance, 0.0
    while time.monotonic() < until and len(kills) < wanted:
        if time.monotonic() >= next_note:
            load.act(found.home)
            next_note = time.monotonic() + pace * chance.uniform(2, 8)
        if found.query(STARTED):
            time.sleep(pace * chance.uniform(0, 8))
            runs = [(str(run), str(user)) for run, user in found.query(STARTED)]
            at = datetime.now(UTC)
            kills.append(Kill(kill_something(found, storm.servers, storm.kinds, chance), at, runs))
            said = f"{at:%H:%M:%S} {len(kills)} kills, the last {kills[-1].kind}; {dict(load.sent)} notes"
            print(said, file=sys.stderr, flush=True)
            time.sleep(pace * chance.uniform(0, 12))
        time.sleep(0.3)


def recovery(found: Cluster, kills: list[Kill]) -> dict[str, str]:
    """Return the seconds from a kill until work of the same user was committed, by what was killed."""
    commits = [(str(run), str(user), at) for run, user, at in found.query(COMMITS)]
    by_run = {(run, user) for run, user, _ in commits}
    seconds: dict[str, list[float]] = {}
    for kill in kills:
        for run, user in kill.runs:
            later = [at for _, owner, at in commits if owner == user and at > kill.at]
            if (run, user) not in by_run and later:
                seconds.setdefault(kill.kind, []).append((min(later) - kill.at).total_seconds())
    return {
        kind: f"{len(times)} runs: median {statistics.median(times):.0f} s, most {max(times):.0f} s"
        for kind, times in sorted(seconds.items())
    }


def settled(found: Cluster, load: Load, seconds: float) -> bool:
    """Wait until every note is computed and no run is left."""
    until = time.monotonic() + seconds
    missing: dict[str, int] = {}
    while time.monotonic() < until:
        try:
            there = {user: texts_in(found.home, user) for user in load.users}
            missing = {user: (there[user] - load.texts(user)).total() + (load.texts(user) - there[user]).total()
                       for user in load.users}  # fmt: skip
            if not any(missing.values()) and found.query(UNFINISHED) == [(0,)]:
                return True
        except Exception as error:  # the home may bring a new copy at this moment
            missing = {type(error).__name__: -1}
        time.sleep(3)
    print(f"not settled: texts missing or too many {missing}, runs {found.query(UNFINISHED)}", flush=True)
    return False


def judge(found: Cluster, load: Load, folder: Path) -> dict[str, Any]:
    """Compare with what was written and with one machine."""
    fetched = subprocess.run(
        [*BRAIN, "worker", "fetch", "--json"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    lost = doubled = 0
    for user in load.users:
        there = texts_in(found.home, user)
        lost += (load.texts(user) - there).total()
        doubled += (there - load.texts(user)).total()
    alone = one_machine(folder, load, {user: received_in(found.home, user) for user in load.users})
    differ = [user for user in load.users if digests_of(found.home, user) != digests_of(alone, user)]
    ended = Counter(status for (status,) in found.query("SELECT status FROM runs"))
    without = found.query(
        "SELECT count(*) FROM runs WHERE status = 'SUCCESS' AND pipeline_name = 'note' "
        "AND run_id NOT IN (SELECT run_id FROM brain_run_commit)"
    )[0][0]
    return {
        "notes": dict(load.sent),
        "lost": lost,
        "doubled": doubled,
        "users_that_differ_from_one_machine": differ,
        "runs": dict(ended),
        "successful_runs_without_commit": without,
        "versions": json.loads(fetched.stdout)["users"],
    }


def compared(storm: Storm, folder: Path) -> bool:
    """Wait until everything is computed, print how it compares, and return whether it is all there and equal."""
    began = time.monotonic()
    done = settled(storm.found, storm.load, 900)
    result = {"kills": dict(Counter(one.kind for one in storm.kills)), "settled": done}
    result["settled after s"] = round(time.monotonic() - began)
    result |= judge(storm.found, storm.load, folder) | {"recovery": recovery(storm.found, storm.kills)}
    print(json.dumps(result, indent=2), flush=True)
    faults = ("lost", "doubled", "users_that_differ_from_one_machine", "successful_runs_without_commit")
    return done and not any(result[one] for one in faults)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120, help="at most, without the pauses")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--compare-every", type=int, default=50, help="kills")
    parser.add_argument("--users", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory", action="store_true", help="a directory in the place of S3")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--pace", type=float, default=1.0, help="factor of the pauses between kills and between notes")
    parser.add_argument("--shipped", action="store_true", help="the times between checks are those of the profile")
    args = parser.parse_args()
    kinds = [one for one in args.kinds if not (args.directory and one == "s3")]
    load = Load([f"user-{number}" for number in range(args.users)], random.Random(args.seed))
    good, left = True, args.minutes * 60
    with (
        tempfile.TemporaryDirectory(prefix="brain-kills-") as name,
        cluster(Path(name), object_storage=not args.directory, **({} if args.shipped else FASTER)) as found,
        closing(Servers(found)) as servers,
    ):
        storm = Storm(found, servers, load, kinds, args.pace)
        found.settings += f"[deletion]\nat_least = {10**6}\n"  # each deletion counts at once
        found.start("home", "up", "--port", str(free_port()))
        for worker in ("one", "two"):
            found.worker(worker)
        while good and left > 0 and len(storm.kills) < args.kills:
            began = time.monotonic()
            disturb(storm, min(args.kills, len(storm.kills) + args.compare_every), began + left)
            left -= time.monotonic() - began
            good = compared(storm, Path(name))
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
