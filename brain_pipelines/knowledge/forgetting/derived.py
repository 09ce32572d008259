"""Removal of items from what was derived day by day: lake, search index, ledger, quarantine.

The rows of the items go first, whatever happens next. Then the stages run again for these days, so that what is left
equals what would have been computed without the items.
"""

from collections.abc import Callable, Mapping, Sequence

from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake

Days = Mapping[str, Sequence[str]]  # source type -> ISO days
Step = Callable[[int, int], None]


def strip(space: Space, catalog: Catalog, ids: set[str], days: Days) -> None:
    """Replace the days' rows in the lake and the active index by those of other items."""
    lake = Lake(space, catalog)
    for source, members in days.items():
        for file in catalog.lake_files(source=source, days=list(members)):
            rows = lake.read(file.table, source=source, days=[file.day]).to_pylist()
            left = [row for row in rows if row["source_id"] not in ids]
            if len(left) < len(rows):
                lake.replace(file.table, source, file.day, left)
    index = active_index(space, catalog)
    if index is None or not index.exists():
        return
    for source, members in days.items():
        rows = index.read(IndexFilter(sources=[source], days=list(members))).to_pylist()
        left = [row for row in rows if row["source_id"] not in ids]
        if len(left) < len(rows):
            index.replace(source, list(members), left)


def run_again(space: Space, settings: Settings, days: Days, run_id: str, step: Step) -> list[str]:
    """Run every stage for the days; return the stages that failed, which the retry sensor runs again."""
    failed = []
    known = {name: days[name] for name in days if name in SOURCES_BY_NAME}
    for number, (source, members) in enumerate(known.items()):
        for stage in STAGES:
            try:
                materialize(stage, SOURCES_BY_NAME[source], space, members, settings=settings, run_id=run_id)
            except StageFailedError:
                failed.append(f"{source}/{stage.name}")
                break
        step(number + 1, len(known))
    return failed


def drop_records(catalog: Catalog, ids: set[str], days: Days) -> None:
    """Remove the ledger of days that have no items left, and the quarantine and failed attempts of the items."""
    for source, members in days.items():
        for stage in STAGES:
            if spent := catalog.spent(source, stage.name, members):
                kept = {
                    row.day for row in catalog.ledger(source=source, stage=stage.name, days=list(spent)) if row.rows
                }
                catalog.put_spent(source, stage.name, {day: (0, 0.0) for day in spent if day not in kept})
    with catalog.transaction() as connection:
        for source, members in days.items():
            for day in members:
                key = (source, day)
                connection.execute(
                    "DELETE FROM ledger WHERE source = ? AND day = ? AND rows = 0 AND input_hash = '' AND error = ''",
                    key,
                )
                connection.execute("DELETE FROM attempt WHERE source = ? AND day = ?", key)
        for source_id in sorted(ids):
            connection.execute("DELETE FROM quarantine WHERE source_id = ?", (source_id,))
            connection.execute("DELETE FROM attempt WHERE source_id = ?", (source_id,))
