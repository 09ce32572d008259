"""What the kills of workers are compared with: the notes that were written, and one machine that took them in peace."""

import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from tests.pipelines.workers.cluster import days, drop

WORDS = "river fence barn gate rope boat well lamp stove roof ladder wheel anchor mast sail oar net buoy".split()


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
