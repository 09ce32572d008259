"""A month through the UI, first and unchanged, and a reload of the code location in the middle of a run.

    python benchmarks/ui_runs.py [--days 31] [--notes 1] [--words 15] [--material DIR] [--port 3999]

`brain up` over a new home with notes of one user; the runs are backfills of all assets of notes, asked for as the UI
does. CPU seconds are those of the process of the run, from its start to its end, with everything that it loads.
With `--material` the notes are the Markdown files below a directory, in the order of their
paths. Then, unless `--without-reload`, each day is computed again, and the code location reloaded meanwhile: by
`reloadRepositoryLocation`, as the button does, and by `brain up --reload`, which restarts the code server.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.partitions import BACKFILL, STATE, Server, usage

FIRST = date(2026, 1, 1)
WORDS = "river fence barn gate rope boat well lamp stove roof ladder wheel anchor mast sail oar net buoy".split()
RELOAD = """mutation($n:String!){reloadRepositoryLocation(repositoryLocationName:$n){__typename
  ... on WorkspaceLocationEntry{loadStatus locationOrLoadError{__typename}}}}"""


def texts(material: Path | None, words: int) -> Iterator[str]:
    """Yield texts of notes without end: those of files, or made-up ones of about so many words."""
    if material is not None:
        yield from itertools.cycle([path.read_text("utf-8", "replace") for path in sorted(material.rglob("*.md"))])
    chance = random.Random(words)
    while True:
        sentences = [" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(max(1, words // 12))]
        yield "Alice wrote: " + " ".join(sentences)


def fill(home: Path, days: int, notes: int, said: Iterator[str]) -> list[str]:
    """Land notes and return the partition keys of their days."""
    from brain_pipelines.commands.init import set_up
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.scan import scan_inbox
    from brain_retrieval.home import Home
    from brain_retrieval.settings import load_settings

    set_up(home)
    with (home / "brain.toml").open("a") as settings:
        settings.write(f"\nfirst_day = {FIRST}\n")
    folder = home / "inbox" / "bench" / "note"
    folder.mkdir(parents=True)
    names = [(FIRST + timedelta(days=n)).isoformat() for n in range(days)]
    for day in names:
        for number in range(notes):
            note = folder / f"{day}-{number}.md"
            note.write_text(next(said))
            at = datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp()
            os.utime(note, (at, at))
    space = Home(home).space("bench")
    with open_landing(space, load_settings(home)) as landing:
        scan_inbox(space, landing, until=time.monotonic() + 3600, settle_seconds=0)
    with open_instance(home) as instance:
        instance.add_dynamic_partitions("users", ["bench"])
    return [f"{day}|bench" for day in names]


class Watch(threading.Thread):
    """Reads the CPU seconds of the processes that hold the mark of a run, until they end."""

    def __init__(self, instance: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.cpu, self.done = instance / "workers", dict[int, float](), threading.Event()

    def run(self) -> None:
        while not self.done.wait(0.05):
            for mark in self.folder.glob("*"):
                with suppress(OSError, ValueError, KeyError):
                    pid = int(json.loads(mark.read_text())["pid"])
                    self.cpu[pid] = usage(pid)[0]


def backfill(server: Server, instance: Path, keys: list[str]) -> tuple[float, float, list[Any]]:
    """Run a backfill; return CPU seconds of its runs, seconds, and the runs."""
    from brain_pipelines.stages.registry import STAGES

    assets = [{"path": ["note", stage.name]} for stage in STAGES]
    asked = {"assetSelection": assets, "partitionNames": keys, "fromFailure": False, "tags": []}
    watch, began = Watch(instance), time.monotonic()
    watch.start()
    name = server.ask(BACKFILL, p=asked)["launchPartitionBackfill"]["backfillId"]
    state: Any = {}

    def is_ended() -> bool:
        state.update(server.ask(STATE, i=name)["partitionBackfillOrError"])
        return state["status"] in ("COMPLETED_SUCCESS", "COMPLETED_FAILED", "FAILED")

    server.wait_until(is_ended)
    watch.done.set()
    return sum(watch.cpu.values()), time.monotonic() - began, state["runs"]


def reload_during(server: Server, home: Path, instance: Path, keys: list[str], *, restart: bool) -> str:
    """Reload while a run computes; return what happened."""
    from brain_retrieval.home import Home
    from brain_retrieval.stores.catalog import Catalog

    with Catalog(Home(home).space("bench")) as catalog:  # so that there is something to compute
        catalog.drop_ledger(catalog.ledger(source="note"))
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(backfill(server, instance, keys)), daemon=True)
    thread.start()
    while not list((instance / "workers").glob("*")):
        time.sleep(0.1)
    began = time.monotonic()
    if restart:
        subprocess.run([sys.executable, "-m", "brain_pipelines.commands.entry", "up", "--reload"], check=True)
        time.sleep(1)
    said = []

    def is_loaded() -> bool:
        with suppress(OSError):
            answer = server.ask(RELOAD, n="brain")["reloadRepositoryLocation"]
            said[:] = [answer.get("locationOrLoadError", {}).get("__typename", answer["__typename"])]
        return said == ["RepositoryLocation"]

    server.wait_until(is_loaded)
    loaded = time.monotonic() - began
    running = bool(list((instance / "workers").glob("*")))
    thread.join()
    ends = [one["status"] for one in found[2]]  # one that was failed and retried would be two
    return f"location loaded after {loaded:.1f} s, the run was going on then: {running}; runs of the backfill: {ends}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=31)
    parser.add_argument("--notes", type=int, default=1, help="a day")
    parser.add_argument("--words", type=int, default=15, help="a note")
    parser.add_argument("--material", type=Path, help="directory with Markdown files instead of made-up notes")
    parser.add_argument("--without-reload", action="store_true")
    parser.add_argument("--port", type=int, default=3999)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        os.environ |= {"BRAIN_HOME": str(home), "DAGSTER_HOME": str(home / "dagster_home")}
        keys = fill(home, args.days, args.notes, texts(args.material, args.words))
        instance = home / "dagster_home"
        server = Server(home, args.port)
        try:
            first, seconds, _ = backfill(server, instance, keys)
            print("| days | notes a day | words | first, CPU s | unchanged, CPU s | of the first | seconds |")
            print("|---|---|---|---|---|---|---|")
            again, after, _ = backfill(server, instance, keys)
            row = f"| {args.days} | {args.notes} | {args.words} | {first:.2f} | {again:.2f} | {again / first:.1%} "
            print(f"{row}| {seconds:.0f}, {after:.0f} |", flush=True)
            for restart in () if args.without_reload else (False, True):
                what = "`brain up --reload`" if restart else "Reload in the UI"
                print(f"{what}: {reload_during(server, home, instance, keys, restart=restart)}", flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
