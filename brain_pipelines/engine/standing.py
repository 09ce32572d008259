"""What is stored of each day of a stage, and which problems stand, whether this run or an earlier one met them.

A user's problems are counted in `problems.json` in the user's directory, so that a run of one user can say whether
another user has any without opening that user's stores. It is derived from the catalog after each run.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from brain_pipelines.engine.stage import VIOLATED, Stage
from brain_pipelines.sources.source import Source
from brain_retrieval.home import Home, Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.durable import write_bytes

QUARANTINED = "nothing_quarantined"  # the name of the check
Problems = dict[str, dict[str, int]]  # "<source>/<stage>" -> check -> number of items or violations


@dataclass(frozen=True)
class DayStanding:
    """One day of a stage of a source: rows stored, ids of items in quarantine, seconds that computing it took.

    `waiting` counts the items among them that a remote model is asked about again; `held` the rows of sources that are
    not trusted. `bytes` are those of its rows in the lake; `tokens` and `money` what remote models took for them.
    """

    rows: int
    quarantined: tuple[str, ...]
    seconds: float
    waiting: int = 0
    held: int = 0
    bytes: int = 0
    tokens: int = 0
    money: float = 0.0


def together(days: Sequence[DayStanding]) -> DayStanding:
    """Return what is stored of several days."""
    return DayStanding(
        sum(one.rows for one in days),
        tuple(item for one in days for item in one.quarantined),
        round(sum(one.seconds for one in days), 3),
        sum(one.waiting for one in days),
        sum(one.held for one in days),
        sum(one.bytes for one in days),
        sum(one.tokens for one in days),
        sum(one.money for one in days),
    )


def standings(space: Space, source: Source, stage: Stage, days: Collection[str]) -> dict[str, DayStanding]:
    """Return what is recorded of the days; days without data are missing."""
    with Catalog(space) as catalog:
        ledger = catalog.ledger(source=source.name, stage=stage.name, days=sorted(days))
        aside = [file for table in stage.aside for file in catalog.lake_files(table, source=source.name)]
        held = {file.day: file.rows for file in aside}
        stored = catalog.stored_bytes(stage.tables, source.name, sorted(days))
        spent = catalog.spent(source.name, stage.name, sorted(days))
        rejected: dict[str, list[str]] = {}
        waiting: Counter[str] = Counter()
        for row in catalog.quarantine(source=source.name, stage=stage.name):
            rejected.setdefault(row.day, []).append(row.source_id)
            waiting[row.day] += row.kind == "waiting"
    return {
        row.day: DayStanding(
            row.rows,
            tuple(rejected.get(row.day, ())),
            row.seconds,
            waiting[row.day],
            held.get(row.day, 0),
            stored.get(row.day, 0),
            *spent.get(row.day, (0, 0.0)),
        )
        for row in ledger
    }


def record_problems(space: Space, catalog: Catalog) -> None:
    """Write how many problems stand, by asset and check; without any there is no file."""
    found: Problems = {}
    for row in catalog.quarantine():
        _count(found, f"{row.source}/{row.stage}", QUARANTINED, 1)
    for row in catalog.ledger(state="failed"):
        if row.error.startswith(VIOLATED):
            for name, _, count in (part.partition(": ") for part in row.error.removeprefix(VIOLATED).split(", ")):
                _count(found, f"{row.source}/{row.stage}", name, int(count) if count.isdecimal() else 1)
    content = json.dumps(found, sort_keys=True).encode() if found else b""
    path = _file(space)
    known = path.read_bytes() if path.is_file() else b""
    if content and content != known:
        write_bytes(path, content)
    elif known and not content:
        path.unlink()


def standing_problems(home: Home, asset: str) -> dict[str, Mapping[str, int]]:
    """Return the users with problems of an asset ("<source>/<stage>"): user -> check -> number."""
    found: dict[str, Mapping[str, int]] = {}
    for user in home.users():
        # A file that is gone or cut short is written again by the next run of its user.
        with suppress(OSError, ValueError, AttributeError):
            own = json.loads(_file(home.space(user)).read_bytes()).get(asset)
            if own:
                found[user] = own
    return found


def _count(found: Problems, asset: str, check: str, number: int) -> None:
    own = found.setdefault(asset, {})
    own[check] = own.get(check, 0) + number


def _file(space: Space) -> Path:
    return space.root / "problems.json"
