"""Power cuts and kills at random moments while messages are acknowledged and snapshots are published.

    python -m tests.pipelines.durability.storm --rounds 200

Each round sends a message and loses the power at a random sync, or not at all; some rounds publish a snapshot or run
maintenance. After it the same command runs again, as a person would. In the end every acknowledged message has been
found, once, and the stores equal those of a home that was never interrupted.
"""

import argparse
import random
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain_pipelines.engine.examination import examine
from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.ingest import one_file
from brain_pipelines.ingest.message import take_message
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.maintenance import maintain
from tests.pipelines.durability.power_cut import power_cut

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
MOST_SYNCS = 90  # a message has about so many


@dataclass
class Storm:
    """A home in which messages are sent and the power fails."""

    home: Home
    acknowledged: list[int] = field(default_factory=list)
    cuts: int = 0

    def send(self, number: int, after: int | None) -> None:
        """Send a message; without an acknowledgement, send it again once the power is back."""
        with power_cut(self.home.path, after=after):
            if self.accepted(number):
                self.acknowledged.append(number)
        if number in self.acknowledged:
            self.cuts += after is None  # what was not synced is lost all the same
            return
        self.cuts += 1
        self.recover()
        if not self.accepted(number):
            raise AssertionError(f"message {number} was not accepted after the power cut at sync {after}")
        self.acknowledged.append(number)

    def accepted(self, number: int) -> bool:
        text = f"The door code of house number {number} is {7000 + number}."
        return take_message(self.home, "alice", text, timestamp=START + timedelta(hours=7 * number)).success

    def publish(self, day: str) -> None:
        for stage in SNAPSHOT_STAGES:
            run_stage(stage, SNAPSHOT_STAGES, self.home.space("alice"), day, settings=load_settings(self.home.path))

    def recover(self) -> None:
        """Do what the daemon does after a start: scan the inbox and run every day that is not done."""
        space, settings = self.home.space("alice"), load_settings(self.home.path)
        ensure_catalog(space.create(), settings)
        with open_landing(space, settings) as landing:
            scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
            days = landing.days("message")
        for stage in STAGES:
            materialize(stage, SOURCES_BY_NAME["message"], space, days, settings=settings, run_id="recovery")

    def texts(self) -> list[str]:
        space = self.home.space("alice")
        with Catalog(space) as catalog:
            return sorted(Lake(space, catalog).read("text", columns=["text"])["text"].to_pylist())

    def indexed(self) -> list[str]:
        space = self.home.space("alice")
        with Catalog(space) as catalog:
            index = active_index(space, catalog)
            return sorted(index.read(columns=["search_text"])["search_text"].to_pylist()) if index else []

    def faults(self) -> list[str]:
        """Return what is lost, doubled or damaged, once the daemon has run."""
        self.recover()
        wanted = sorted(f"The door code of house number {n} is {7000 + n}." for n in set(self.acknowledged))
        found, searchable = self.texts(), self.indexed()
        counts = {text: (found.count(text), sum(text in one for one in searchable)) for text in wanted}
        wrong = [
            f"{text} is stored {stored} times, indexed {n}"
            for text, (stored, n) in counts.items()
            if {stored, n} != {1}
        ]
        findings = examine(self.home.space("alice"), load_settings(self.home.path), STAGES)
        return wrong + [f"{one.place}: {one.what}" for one in findings]


def storm(folder: Path, rounds: int, *, seed: int = 0, snapshots: bool = True) -> tuple[Storm, list[str]]:
    """Run a storm in an empty folder; return it with its faults."""
    one_file.report_requests = lambda space, requests: None  # for display only, and slow
    random_moment = random.Random(seed)
    run = Storm(Home(folder))
    for number in range(rounds):
        run.send(number, random_moment.choice([None, random_moment.randrange(MOST_SYNCS)]))
        if snapshots and number % 10 == 9:
            day = (START + timedelta(hours=7 * number)).date().isoformat()
            with power_cut(run.home.path, after=random_moment.choice([None, random_moment.randrange(60)])):
                run.publish(day)
            run.publish(day)
        if number % 25 == 24:
            with power_cut(run.home.path, after=random_moment.choice([None, random_moment.randrange(40)])):
                maintain(run.home.space("alice"), force=True)
    return run, run.faults()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        result, wrong = storm(Path(place) / "home", chosen.rounds, seed=chosen.seed)
    summary = f"{len(result.acknowledged)} messages acknowledged, {result.cuts} power cuts, {len(wrong)} faults"
    sys.stdout.write("\n".join([summary, *wrong[:20]]) + "\n")
    sys.exit(bool(wrong))
