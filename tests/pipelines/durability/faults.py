"""A full disk, a read-only disk and flipped bits at random moments, over many rounds. Run by hand, as the superuser.

    python -m tests.pipelines.durability.faults full --rounds 200        # or read-only, bits

Each round sends messages, and every tenth publishes a snapshot; the fault of the round is a real one:

full         the home is on a small disk of its own (a tmpfs), filled up to a random number of free pages
read-only    the same disk is mounted read-only; what was acknowledged before is still found by search
bits         one random bit of a random file of the stores is turned over, then `check_up` runs, as `brain doctor` does

Whatever ends in an error is sent again after the fault. Silent is an error other than the one for the fault, a message
that is refused for it, and a flipped bit that changed what is stored without a finding.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from brain_pipelines.ingest import one_file
from brain_pipelines.orchestration.doctor import check_up
from brain_retrieval.brain import Brain
from brain_retrieval.errors import DiskFullError, ReadOnlyHomeError, UnusableHomeError, home_error_within
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.durability.storm import START, Storm

PAGE = 4096
MOST_FREE = 160  # pages; a message writes about as many
KINDS = (".parquet", ".lance", ".json", ".manifest", "")  # of the files that are read again
EXPECTED: dict[str, type[UnusableHomeError]] = {"full": DiskFullError, "read-only": ReadOnlyHomeError}


@dataclass
class Faults:
    """What a run with one kind of fault has seen."""

    storm: Storm
    seen: Counter[str] = field(default_factory=Counter)
    silent: list[str] = field(default_factory=list)

    def attempt(self, number: int, kind: str, action: Callable[[], bool]) -> None:
        """Do what writes while the fault lasts; record how it ends."""
        try:
            done = action()
        except Exception as error:
            found = home_error_within(error, self.storm.home.path)
            self.seen[type(found or error).__name__] += 1
            if not isinstance(found, EXPECTED[kind]):
                self.silent.append(f"round {number}: {type(error).__name__}: {error}")
            return
        self.seen["went through" if done else "refused"] += 1
        if not done:
            self.silent.append(f"round {number}: refused")

    def look(self, number: int, kind: str) -> None:
        """Search for the message of before: it is found, or the error for the fault says why not."""
        try:
            found = answers(self.storm, number - 1)
        except Exception as error:
            self.seen["search: " + type(error).__name__] += 1
            if not isinstance(home_error_within(error, self.storm.home.path), EXPECTED[kind]):
                self.silent.append(f"round {number}: search: {type(error).__name__}: {error}")
            return
        self.seen["search: found"] += found
        if not found:
            self.silent.append(f"round {number}: search says that there is nothing")

    def send(self, number: int) -> None:
        """Send a message until it is acknowledged, after the fault."""
        self.storm.recover()
        if self.storm.accepted(number):
            self.storm.acknowledged.append(number)
        else:
            self.silent.append(f"round {number}: not accepted after the fault")


def disk_rounds(run: Faults, kind: str, rounds: int, chance: random.Random) -> None:
    """Send messages and publish snapshots while the disk is full, or read-only."""
    disk = run.storm.home.path.parent
    fault = filled if kind == "full" else read_only
    for number in range(rounds):
        run.storm.home.path.mkdir(exist_ok=True)
        publishes = number % 10 == 9
        day = (START + timedelta(hours=7 * number)).date().isoformat()
        with fault(disk, chance):
            run.attempt(number, kind, lambda: run.storm.accepted(number))  # noqa: B023 (called at once)
            if publishes:
                run.attempt(number, kind, lambda: run.storm.publish(day) is None)  # noqa: B023
            if number and number % 20 == 0:
                run.look(number, kind)
        run.send(number)
        if publishes:
            run.storm.publish(day)


@contextmanager
def filled(disk: Path, chance: random.Random) -> Iterator[None]:
    """Leave a random number of free pages on the disk."""
    ballast, free = disk / "ballast", shutil.disk_usage(disk).free
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(PAGE, free - chance.randrange(MOST_FREE) * PAGE))
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def read_only(disk: Path, _: random.Random) -> Iterator[None]:
    """Mount the disk read-only."""
    mount("-o", "remount,ro", str(disk))
    try:
        yield
    finally:
        mount("-o", "remount,rw", str(disk))


def mount(*arguments: str) -> None:
    """Run `mount`, which only the superuser may."""
    subprocess.run(["mount", *arguments], check=True)


def answers(storm: Storm, number: int) -> bool:
    """Return whether a message that was acknowledged is found by its text."""
    with Brain.open(storm.home.path, user="alice") as brain:
        return any(str(7000 + number) in hit.text for hit in brain.search(f"door code of house number {number}", k=3))


def bit_rounds(run: Faults, rounds: int, chance: random.Random) -> None:
    """Turn over a bit of a stored file in each round, and let `check_up` find and repair it."""
    space, settings = run.storm.home.space("alice"), load_settings(run.storm.home.path)
    for number in range(rounds):
        run.send(number)
        if number % 10 == 9:
            run.storm.publish((START + timedelta(hours=7 * number)).date().isoformat())
        before = stored(run.storm)
        path = chance.choice(sorted(one for one in stores(space.root) if one.stat().st_size))
        content = bytearray(path.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        parts = path.relative_to(space.root).parts
        store = "/".join(parts[:1] if parts[0] != "index" else (parts[0], parts[2] if len(parts) > 3 else ""))
        health = check_up(space, settings)
        named = {one.store for one in health.healed} | {one.store for one in health.remaining}
        same = stored(run.storm) == before
        run.seen[f"{store}: " + ("found" if named else "no row changed" if same else "silent")] += 1
        if health.remaining or not same:
            what = f"round {number}: {path.relative_to(space.root)}: remaining {health.remaining}, equal {same}"
            run.silent.append(what)
        run.storm.recover()


def stores(root: Path) -> Iterator[Path]:
    """Yield the files of the stores that are read again: blobs, lake, index and snapshots, without SQLite's."""
    for folder in ("raw", "lake", "index", "knowledge"):
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix in KINDS and "sqlite" not in path.name:
                yield path


def stored(storm: Storm) -> tuple[object, ...]:
    """Return digests of what is stored: lake, index, the tables of the newest snapshot."""
    space = storm.home.space("alice")
    store = SnapshotStore(space)
    day = store.newest()
    tables = {name: file.file for name, file in store.manifest(day).items()} if day else {}
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        return Lake(space, catalog).digest(), index.digest() if index else "", tables


def main() -> None:
    """Run one kind of fault, print what was seen, and exit with 1 if anything was lost, doubled or silent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fault", choices=["full", "read-only", "bits"])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    one_file.report_requests = lambda space, requests: None  # for display only, and slow
    with ExitStack() as stack:
        disk = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if chosen.fault != "bits":
            mount("-t", "tmpfs", "-o", "size=96m", "tmpfs", str(disk))
            stack.callback(subprocess.run, ["umount", str(disk)], check=True)
        run = Faults(Storm(Home(disk / "home")))
        chance = random.Random(chosen.seed)
        if chosen.fault == "bits":
            bit_rounds(run, chosen.rounds, chance)
        else:
            disk_rounds(run, chosen.fault, chosen.rounds, chance)
        faults = run.storm.faults()
    seen = ", ".join(f"{name} {count}" for name, count in sorted(run.seen.items()))
    summary = f"{len(run.storm.acknowledged)} messages acknowledged; {seen}; {len(faults)} lost or doubled or damaged"
    sys.stdout.write("\n".join([f"{summary}; {len(run.silent)} silent", *faults[:20], *run.silent[:20]]) + "\n")
    sys.exit(bool(faults or run.silent))


if __name__ == "__main__":
    main()
