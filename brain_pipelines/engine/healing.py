"""Repair of a user's derived stores by the run that finds them damaged.

What cannot be read is moved to `users/<user>/damaged/` and computed again: the index from the lake, the catalog with
everything that it lists from the landed bytes. Nothing here touches `raw/`.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from brain_pipelines.engine import stage_version
from brain_pipelines.engine.stage import Stage
from brain_pipelines.engine.writers import UserStores
from brain_pipelines.landing.landing import Landing, open_landing
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_retrieval.errors import BrainError, DamagedIndexError
from brain_retrieval.home import Space
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LedgerRow
from brain_retrieval.stores.durable import move_aside
from brain_retrieval.stores.index.build import build_index
from brain_retrieval.stores.index.migration import after_write
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.locking import writer_lock

LOGGER = logging.getLogger(__name__)


def ensure_catalog(space: Space, settings: Settings) -> bool:
    """Replace the catalog if it is damaged, or empty although files have landed; return whether it was replaced.

    Reads the whole file: 20 ms for 10 MB.
    """
    with Catalog(space) as catalog:
        sound = catalog.is_sound()
        empty = sound and not catalog.rows("SELECT 1 FROM ledger LIMIT 1")
    if sound and not empty:
        return False
    if not sound:
        replace_catalog(space, settings)
        return True
    with open_landing(space, settings) as landing:
        return queue_everything(landing)


def replace_catalog(space: Space, settings: Settings) -> None:
    """Move the catalog aside and enter every landed day in the queue of dirty days; the next runs compute them."""
    with writer_lock(space):
        with Catalog(space) as catalog:
            if catalog.is_sound():  # another process has replaced it
                return
        LOGGER.warning("the catalog of %r is damaged; it is moved aside and its days are computed again", space.user)
        with open_landing(space, settings) as landing:
            queue_everything(landing)  # first: if this process dies now, the next run moves the catalog aside
        for path in sorted(space.root.glob("catalog.sqlite*")):
            move_aside(path, space.damaged)
        with Catalog(space) as catalog, suppress(BrainError):
            index = index_of(space, settings)
            if index.exists():  # searches go on with the rows that it has
                after_write(space, catalog, Lake(space, catalog), index)


def queue_everything(landing: Landing) -> bool:
    """Enter every landed day that is not queued yet in the queue of dirty days; return whether there was one."""
    queued = {(day.source, day.day) for day in landing.dirty()}
    due: dict[str, dict[str, str]] = defaultdict(dict)
    for source in SOURCES:
        for day in landing.days(source.name):
            if (source.name, day) not in queued:
                due[source.name][day] = landing.content(source.name, day)
    with landing.transaction() as connection:
        for name, contents in due.items():
            landing.mark(connection, name, contents)
    return bool(due)


def heal_index(bench: UserStores, stage: Stage, *, damaged: bool = False) -> bool:
    """Move an unreadable index aside, and forget what the ledger says of rows that the index lost; under the lock.

    Args:
        stage: the stage that writes the index.
        damaged: the index is known to be.

    Returns:
        whether days have to be indexed again; `unindexed` lists them.
    """
    index = index_of(bench.space, bench.settings)
    lost: list[LedgerRow] = []
    try:
        index.check()
        if not damaged and index.count() < _expected(bench, stage):
            lost = _lost(index, _current_rows(bench, stage))
    except DamagedIndexError as error:
        damaged = True
        LOGGER.warning("%s", error)
    if damaged:
        lost = _current_rows(bench, stage)
        index.move_aside(bench.space.damaged)
    if lost:
        bench.catalog.drop_ledger(lost)
    return bool(lost)


def is_whole(bench: UserStores, stage: Stage) -> bool:
    """Return whether `heal_index` would find nothing to repair. Writes nothing."""
    index = index_of(bench.space, bench.settings)
    try:
        index.check()
        return index.count() >= _expected(bench, stage)
    except DamagedIndexError:
        return False


def unindexed(catalog: Catalog, stage: Stage) -> list[tuple[str, list[str]]]:
    """Return (source, days) that have chunks and no ledger row of the stage that indexes them."""
    days: dict[str, list[str]] = defaultdict(list)
    for source, day in catalog.unread({stage.name: stage.upstream or ""}, list(SOURCES_BY_NAME)):
        days[source].append(day)
    return sorted(days.items())


def _lost(index: SearchIndex, rows: list[LedgerRow]) -> list[LedgerRow]:
    """Return the ledger rows of days that have fewer or more rows in the index."""
    days: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        days[row.source].append(row.day)
    counts = {source: index.counts(source, some) for source, some in days.items()}
    return [row for row in rows if counts[row.source].get(row.day, 0) != row.rows]


def _expected(bench: UserStores, stage: Stage) -> int:
    """Return how many rows the index must hold at least, by the ledger."""
    sql = "SELECT source, code_version, config_hash, sum(rows) FROM ledger WHERE stage = ? AND state = 'ok' "
    groups = bench.catalog.rows(f"{sql}GROUP BY 1, 2, 3", (stage.name,))
    current = _versions(bench, stage, {source for source, *_ in groups})
    return sum(rows for source, code, config, rows in groups if current.get(source) == (code, config))


def _current_rows(bench: UserStores, stage: Stage) -> list[LedgerRow]:
    """Return the ledger rows of the code and settings of now; rows of others may be in another index."""
    rows = bench.catalog.ledger(stage=stage.name, state="ok")
    current = _versions(bench, stage, {row.source for row in rows})
    return [row for row in rows if current.get(row.source) == (row.code_version, row.config_hash)]


def _versions(bench: UserStores, stage: Stage, sources: Iterable[str]) -> dict[str, tuple[str, str]]:
    known = [SOURCES_BY_NAME[name] for name in sources if name in SOURCES_BY_NAME]
    version = partial(stage_version.config_hash, settings=bench.settings, user=bench.space.user)
    return {source.name: (stage.code_version, version(stage, source)) for source in known}


def index_of(space: Space, settings: Settings) -> SearchIndex:
    """Return the index of the configured embedding model."""
    embedder = build_embedder(settings.embedding, models_dir=settings.models_dir)
    return build_index(space, settings, model=embedder.name, dim=embedder.dim)
