"""Random kills of workers under load: nothing lost, nothing doubled, equal to one machine.

    python benchmarks/workers_kills.py [--minutes 20] [--kills 50] [--users 3] [--seed 1]

A home with `brain up` and two workers over real PostgreSQL, Redis and S3. Notes arrive all the time. While a run goes
on, at a random moment, a worker is killed with its processes (kill -9), or only the process of the run, or a connection
that holds the lock of the user is ended. What was killed is started again. At the end every note has to be there once,
every successful run has to have one commit, and the stores have to equal those of one home that took the same files in
peace.
"""

import argparse
import json
import random
import subprocess
import tempfile
import time
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

from tests.pipelines.workers.cluster import BRAIN, ROOT, Cluster, children_of, cluster, days, drop
from tests.servers.neo4j_launch import free_port

WORDS = "river fence barn gate rope boat well lamp stove roof ladder wheel anchor mast sail oar net buoy".split()
STARTED = "SELECT run_id FROM runs WHERE status = 'STARTED'"
UNFINISHED = "SELECT count(*) FROM runs WHERE status IN ('QUEUED', 'NOT_STARTED', 'STARTING', 'STARTED')"
SESSIONS = """SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND a.query NOT LIKE '%pg_locks%'"""


class Load:
    """Notes that arrive: name, text and day, the same for the home and for the one machine it is compared with."""

    def __init__(self, users: int, chance: random.Random) -> None:
        self.users = [f"user-{number}" for number in range(users)]
        self.chance = chance
        self.written: list[tuple[str, str, str, date]] = []

    def add(self, home: Path) -> None:
        user, day = self.chance.choice(self.users), self.chance.choice(days(5))
        number = len(self.written)
        text = f"Note {number}: " + " ".join(self.chance.choices(WORDS, k=12)) + "."
        self.written.append((user, f"note-{number:04}.md", text, day))
        drop(home, *self.written[-1])


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

    home = folder / "alone"
    home.mkdir()
    (home / "brain.toml").write_text(f"first_day = {days(1)[0]}\n")
    for one in load.written:
        drop(home, *one)
    settings = load_settings(home)
    for user in load.users:
        space = Home(home).space(user)
        with open_landing(space, settings) as landing:
            for file in list_files(space.inbox):
                landing.land(file, now=received[user][file.uri])
            found = landing.days("note")
        for stage in STAGES:
            materialize(stage, SOURCES_BY_NAME["note"], space, list(found), settings=settings, run_id="alone")
    return home


def disturb(
    found: Cluster, load: Load, chance: random.Random, kills: int, seconds: float
) -> tuple[Counter[str], float]:
    """Let notes arrive and kill while runs go on; return the kills by kind and how long it took."""
    began, killed, next_note = time.monotonic(), Counter[str](), 0.0
    while time.monotonic() - began < seconds and sum(killed.values()) < kills:
        if time.monotonic() >= next_note:
            load.add(found.home)
            next_note = time.monotonic() + chance.uniform(2, 8)
        if found.query(STARTED):
            time.sleep(chance.uniform(0, 8))
            killed[kill_something(found, chance)] += 1
            print(f"{time.monotonic() - began:.0f} s: {dict(killed)}, {len(load.written)} notes", flush=True)
            time.sleep(chance.uniform(0, 12))
        time.sleep(0.3)
    return killed, time.monotonic() - began


def settled(found: Cluster, load: Load, seconds: float) -> bool:
    """Wait until every note is computed and no run is left."""
    until = time.monotonic() + seconds
    wanted = Counter(user for user, *_ in load.written)
    while time.monotonic() < until:
        try:
            there = {user: sum(texts_in(found.home, user).values()) for user in wanted}
        except Exception:  # the home may bring a new copy at this moment
            there = {}
        if there == dict(wanted) and found.query(UNFINISHED) == [(0,)]:
            return True
        time.sleep(3)
    print(f"not settled: {there} of {dict(wanted)}, runs {found.query(UNFINISHED)}", flush=True)
    return False


def judge(found: Cluster, load: Load, folder: Path) -> dict[str, Any]:
    """Compare with what was written and with one machine."""
    fetched = subprocess.run(
        [*BRAIN, "worker", "fetch", "--json"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    lost = doubled = 0
    for user in load.users:
        there = texts_in(found.home, user)
        written = {text for owner, _, text, _ in load.written if owner == user}
        lost += len(written - set(there))
        doubled += sum(count - 1 for count in there.values()) + len(set(there) - written)
    alone = one_machine(folder, load, {user: received_in(found.home, user) for user in load.users})
    differ = [user for user in load.users if digests_of(found.home, user) != digests_of(alone, user)]
    ended = Counter(status for (status,) in found.query("SELECT status FROM runs"))
    without = found.query(
        "SELECT count(*) FROM runs WHERE status = 'SUCCESS' AND pipeline_name = 'note' "
        "AND run_id NOT IN (SELECT run_id FROM brain_run_commit)"
    )[0][0]
    return {
        "notes": len(load.written),
        "lost": lost,
        "doubled": doubled,
        "users_that_differ_from_one_machine": differ,
        "runs": dict(ended),
        "successful_runs_without_commit": without,
        "versions": json.loads(fetched.stdout)["users"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--users", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    load = Load(args.users, chance)
    faster = {"poll_interval_seconds": "3", "start_timeout_seconds": "90", "max_retries": "20"}
    with tempfile.TemporaryDirectory(prefix="brain-kills-") as name, cluster(Path(name), **faster) as found:
        found.start("home", "up", "--port", str(free_port()))
        for worker in ("one", "two"):
            found.worker(worker)
        killed, seconds = disturb(found, load, chance, args.kills, args.minutes * 60)
        done = settled(found, load, 900)
        result = {"kills": dict(killed), "seconds": round(seconds), "settled": done, **judge(found, load, Path(name))}
    print(json.dumps(result, indent=2))
    good = done and not (result["lost"] or result["doubled"] or result["users_that_differ_from_one_machine"])
    raise SystemExit(0 if good and not result["successful_runs_without_commit"] else 1)


if __name__ == "__main__":
    main()
