"""What the kill storm compares: the acknowledged writes, and the same material in a home that was never interrupted."""

import json
import os
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brain_pipelines.engine.examination import examine
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_pipelines.landing.inbox import FileState, to_path
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore


@dataclass
class Journal:
    """The acknowledged writes, in a file of their own: one JSON object a line, the last of a name counts."""

    path: Path
    texts: dict[str, dict[str, str]] = field(default_factory=dict)  # user -> name of the write -> its text

    def __post_init__(self) -> None:
        for line in self.path.read_text("utf-8").splitlines() if self.path.exists() else ():
            self._take(json.loads(line))

    def _take(self, write: dict[str, str]) -> None:
        self.texts.setdefault(write["user"], {})[write["name"]] = write["text"]

    def acknowledge(self, user: str, name: str, text: str) -> None:
        """Record a write whose acknowledgement has come."""
        write = {"user": user, "name": name, "text": text}
        with self.path.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(write) + "\n")
        self._take(write)

    def begin_numbers(self) -> int:
        """Return where the numbers of the writes begin: each start of a storm has its own, as some went unanswered."""
        starts = self.path.with_suffix(".starts")
        with starts.open("a") as lines:
            lines.write("start\n")
        return 100_000 * starts.read_text().count("\n")

    def __len__(self) -> int:
        return sum(len(texts) for texts in self.texts.values())


def contents(home: Home, user: str) -> tuple[list[str], list[str]]:
    """Return the texts of all items of a user, and of all chunks in the index."""
    space = home.space(user)
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        stored = Lake(space, catalog).read("text", columns=["text"])["text"].to_pylist()
        return stored, index.read(columns=["text"])["text"].to_pylist() if index else []


def lost_and_doubled(home: Home, user: str, acknowledged: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the acknowledged texts that are not stored and indexed, and the texts that are stored or indexed twice."""
    stored, indexed = (Counter(text.strip() for text in texts) for texts in contents(home, user))
    wanted = {text.strip() for text in acknowledged.values()}
    lost = [text for text in wanted if not stored[text] or not indexed[text]]
    doubled = [text for text, count in (*stored.items(), *indexed.items()) if count > 1]
    return sorted(lost), sorted(set(doubled))


def state(home: Home, user: str, day: str) -> dict[str, str]:
    """Return the digest of every lake partition, of the index and of every table of a snapshot."""
    space = home.space(user)
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        found = {" ".join(key): digest for key, digest in Lake(space, catalog).digest().items()}
        found["index"] = index.digest() if index else ""
    return found | {f"snapshot {name}": table.file for name, table in SnapshotStore(space).manifest(day).items()}


def clean_run(home: Home, user: str, day: str, folder: Path) -> dict[str, str]:
    """Ingest the files of the inbox into a new home at the times of their receipt; return its state."""
    clean = Home(folder)
    shutil.copytree(home.inbox / user, clean.inbox / user)
    settings, space = load_settings(folder), clean.space(user).create()
    with open_landing(home.space(user), settings) as stormy:
        received = {item.uri.partition("#")[0]: item.received_at for item in stormy.all_items()}
    with open_landing(space, settings) as landing:
        for uri, at in sorted(received.items(), key=lambda one: (one[1], one[0])):
            landing.land(FileState.of(to_path(space.inbox, uri), space.inbox), now=at)
        days = {source.name: landing.days(source.name) for source in SOURCES}
    for source, dated in days.items():
        for stage in STAGES if dated else ():
            materialize(stage, SOURCES_BY_NAME[source], space, dated, settings=settings, run_id="clean")
    for stage in SNAPSHOT_STAGES:
        run_stage(stage, SNAPSHOT_STAGES, space, day, settings=settings)
    return state(clean, user, day)


def damage(home: Home, user: str) -> list[str]:
    """Return what the examination of all stores of a user finds."""
    found = examine(home.space(user), load_settings(home.path), STAGES)
    return [f"{one.place}: {one.what}" for one in found]


def verdict(home: Home, journal: Journal, day: str, scratch: Path) -> dict[str, Any]:
    """Compare every user's stores with the journal and with a clean run; return the figures of the table."""
    figures: dict[str, Any] = {"acknowledged": len(journal), "lost": [], "doubled": [], "damaged": [], "different": []}
    figures["compared"] = 0
    for user, texts in sorted(journal.texts.items()):
        lost, doubled = lost_and_doubled(home, user, texts)
        figures["lost"] += lost
        figures["doubled"] += doubled
        figures["damaged"] += damage(home, user)
        stormy, clean = state(home, user, day), clean_run(home, user, day, scratch / f"clean-{user}-{os.getpid()}")
        names = stormy.keys() | clean.keys()
        figures["different"] += [f"{user} {name}" for name in sorted(names) if stormy.get(name) != clean.get(name)]
        figures["compared"] += len(names)
    return figures
