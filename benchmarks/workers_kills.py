"""Random kills of workers under load: nothing lost, nothing doubled, equal to one machine.

    python -m benchmarks.workers_kills [--minutes 120] [--kills 200] [--compare-every 50] [--users 3] [--directory]

A home with `brain up` and two workers over real PostgreSQL, Redis and S3 (with `--directory` a directory in its place).
Notes arrive, are written over and deleted all the time. While a run goes on, at a random moment, a worker is killed
with its processes (kill -9), or only the process of the run, or a connection that holds the lock of the user is ended.
What was killed is started again. After so many kills, and at the end, the load pauses until everything is computed:
every note has to be there once, every successful run has to have one commit, and the stores have to equal those of one
home that took the same files in peace. Recovery is the time from a kill in a run that then committed nothing until
another one has committed for its user.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from tests.pipelines.workers.cluster import BRAIN, ROOT, Cluster, children_of, cluster, days, drop
from tests.servers.neo4j_launch import free_port

WORDS = "river fence barn gate rope boat well lamp stove roof ladder wheel anchor mast sail oar net buoy".split()
STARTED = """SELECT r.run_id, t.value FROM runs r JOIN run_tags t ON t.run_id = r.run_id
WHERE r.status = 'STARTED' AND t.key = 'brain/user'"""
COMMITS = 'SELECT run_id, "user", at FROM brain_run_commit'
UNFINISHED = "SELECT count(*) FROM runs WHERE status IN ('QUEUED', 'NOT_STARTED', 'STARTING', 'STARTED')"
SESSIONS = """SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND a.query NOT LIKE '%pg_locks%'"""


@dataclass
class Load:
    """Notes that arrive, change and go: the same for the home and for the one machine it is compared with."""

    users: list[str]
    chance: random.Random
    notes: dict[tuple[str, str], tuple[str, date]] = field(default_factory=dict)  # user, name -> text, day
    sent: Counter[str] = field(default_factory=Counter)

    def act(self, home: Path) -> None:
        """Write a new note, or change or delete one."""
        what = self.chance.choice(("new", "new", "new", "changed", "deleted")) if len(self.notes) > 5 else "new"
        number, self.sent[what] = self.sent.total(), self.sent[what] + 1
        if what == "new":
            user, name, day = self.chance.choice(self.users), f"note-{number:04}.md", self.chance.choice(days(5))
        else:
            user, name = self.chance.choice(sorted(self.notes))
            day = self.notes[user, name][1]
        if what == "deleted":
            del self.notes[user, name]
            (home / "inbox" / user / "note" / name).unlink()
            return
        text = f"Note {number}: " + " ".join(self.chance.choices(WORDS, k=12)) + "."
        self.notes[user, name] = (text, day)
        drop(home, user, name, text, day)

    def texts(self, user: str) -> Counter[str]:
        """Return the texts that a user has now."""
        return Counter(text for (owner, _), (text, _) in self.notes.items() if owner == user)


@dataclass(frozen=True)
class Kill:
    """A kill: what was killed, when, and the runs (id, user) that went on."""

    kind: str
    at: datetime
    runs: list[tuple[str, str]]


def kill_something(found: Cluster, chance: random.Random) -> str:
    """End a worker, the process of its run, or a session of PostgreSQL; return what it was."""
    kind = chance.choice(("worker", "worker", "process", "session"))
    name = chance.choice(("one", "two"))
    if kind == "session":
        holders = [pid for (pid,) in found.query(SESSIONS)]
        if holders:
            found.query("SELECT pg_terminate_backend(:pid)", pid=chance.choice(holders))
            return kind
    elif kind == "process":
        own = children_of(found.processes[name].pid)
        for pid in own:
            subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
        return kind
    found.kill(name)
    found.worker(name)
    return "worker"


def texts_in(home: Path, user: str) -> Counter[str]:
    """Return the notes of a user that are in the lake, with how often each is."""
    from brain_retrieval.home import Home
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.lake import Lake

    space = Home(home).space(user)
    with Catalog(space) as catalog:
        rows = Lake(space, catalog).read("text", source="note", columns=["text"]).to_pylist()
    return Counter(row["text"].strip() for row in rows)


def digests_of(home: Path, user: str) -> Any:
    """Return the digests of lake and index."""
    from brain_retrieval.home import Home
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.index.migration import active_index
    from brain_retrieval.stores.lake import Lake

    space = Home(home).space(user)
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        return Lake(space, catalog).digest(), index.digest() if index else ""


def received_in(home: Path, user: str) -> dict[str, datetime]:
    """Return when each file of a user was received, which is part of its rows."""
    from brain_pipelines.landing.landing import open_landing
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    with open_landing(Home(home).space(user), load_settings(home)) as landing:
        return {item.file: item.received_at for item in landing.all_items()}


def one_machine(folder: Path, load: Load, received: dict[str, dict[str, datetime]]) -> Path:
    """Take the same notes into a home of one machine, at the same times, without Dagster."""
    from brain_pipelines.engine.run_stage import materialize
    from brain_pipelines.landing.inbox import list_files
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.sources.registry import SOURCES_BY_NAME
    from brain_pipelines.stages.registry import STAGES
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    home = Path(tempfile.mkdtemp(prefix="alone-", dir=folder))
    (home / "brain.toml").write_text(f"first_day = {days(1)[0]}\n")
    for (user, name), (text, day) in load.notes.items():
        drop(home, user, name, text, day)
    settings = load_settings(home)
    for user in load.users:
        space = Home(home).space(user).create()
        with open_landing(space, settings) as landing:
            for file in list_files(space.inbox):
                landing.land(file, now=received[user][file.uri])
            found = landing.days("note")
        for stage in STAGES:
            materialize(stage, SOURCES_BY_NAME["note"], space, list(found), settings=settings, run_id="alone")
    return home


def disturb(found: Cluster, load: Load, kills: list[Kill], wanted: int, until: float) -> None:
    """Let notes come and go, and kill while runs go on, until there are so many kills or the time is over."""
    chance, next_note = load.chance, 0.0
    while time.monotonic() < until and len(kills) < wanted:
        if time.monotonic() >= next_note:
            load.act(found.home)
            next_note = time.monotonic() + chance.uniform(2, 8)
        if found.query(STARTED):
            time.sleep(chance.uniform(0, 8))
            runs = [(str(run), str(user)) for run, user in found.query(STARTED)]
            at = datetime.now(UTC)
            kills.append(Kill(kill_something(found, chance), at, runs))
            print(f"{len(kills)} kills, {dict(load.sent)} notes", file=sys.stderr, flush=True)
            time.sleep(chance.uniform(0, 12))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120, help="at most, without the pauses")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--compare-every", type=int, default=50, help="kills")
    parser.add_argument("--users", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory", action="store_true", help="a directory in the place of S3")
    args = parser.parse_args()
    load = Load([f"user-{number}" for number in range(args.users)], random.Random(args.seed))
    faster = {"poll_interval_seconds": "3", "start_timeout_seconds": "90", "max_retries": "20"}
    kills, good, left = list[Kill](), True, args.minutes * 60
    with (
        tempfile.TemporaryDirectory(prefix="brain-kills-") as name,
        cluster(Path(name), object_storage=not args.directory, **faster) as found,
    ):
        found.settings += f"[deletion]\nat_least = {10**6}\n"  # each deletion counts at once
        found.start("home", "up", "--port", str(free_port()))
        for worker in ("one", "two"):
            found.worker(worker)
        while good and left > 0 and len(kills) < args.kills:
            began = time.monotonic()
            disturb(found, load, kills, min(args.kills, len(kills) + args.compare_every), began + left)
            left -= time.monotonic() - began
            done = settled(found, load, 900)
            result = {"kills": dict(Counter(one.kind for one in kills)), "settled": done}
            result |= judge(found, load, Path(name)) | {"recovery": recovery(found, kills)}
            print(json.dumps(result, indent=2), flush=True)
            faults = ("lost", "doubled", "users_that_differ_from_one_machine", "successful_runs_without_commit")
            good = done and not any(result[one] for one in faults)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
