"""A process that kills itself while it makes a snapshot. It imports little, since each of these processes does so."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

from brain_pipelines.knowledge import publish
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores import durable
from brain_retrieval.stores.snapshots import SnapshotStore
from brain_retrieval.stores.sqlite import Database


def die(*_args: object, **_options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(moment: str) -> None:
    """Make this process, which is the victim, die at a moment of the snapshot that it makes."""
    if moment == "half-a-graph":
        transaction = Database.transaction

        @contextmanager
        def cut_short(self: Database) -> Iterator[Connection]:
            with transaction(self) as connection:
                yield connection
                if self.path.name == "graph.sqlite":
                    die()

        Database.transaction = cut_short
    elif moment == "visible-without-graph":
        complete = SnapshotStore.complete

        def complete_and_die(self: SnapshotStore, day: str, stages: Iterable[str]) -> bool:
            complete(self, day, stages)
            die()
            return True

        SnapshotStore.complete = complete_and_die
    elif moment == "half-a-file":
        durable.move_into_place = lambda draft, _target: (os.truncate(draft, 99), die())
    elif moment == "published-not-recorded":
        publish.store_fingerprint = die


def victim(home: Path, day: str, moment: str) -> None:
    arm(moment)
    for stage in SNAPSHOT_STAGES:
        run_stage(stage, SNAPSHOT_STAGES, Home(home).space("alice"), day, settings=load_settings(home))
