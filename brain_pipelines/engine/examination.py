"""`examine`: compares everything that is stored of one user with everything else, and changes nothing.

blobs        the bytes of every landed item have the hash that is their name
landing      SQLite finds no damage; nothing was received in the future; it is not older than the lake
catalog      SQLite finds no damage
lake         every current file has the checksum in its name, or the digest of its rows, and as many as recorded
index        it can be searched; its texts and vectors are those that the ledger records
snapshots    every manifest can be read, and its files have the hashes in their names
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from brain_pipelines.engine.healing import index_of
from brain_pipelines.engine.health import Finding
from brain_pipelines.engine.landing_recovery import missing_from
from brain_pipelines.engine.stage import Stage
from brain_pipelines.engine.writers import UserStores, index_hash, rows_key
from brain_pipelines.landing.backup import damaged_logs
from brain_retrieval.errors import DamagedIndexError
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LedgerRow
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.index_rows import index_digest
from brain_retrieval.stores.lake_files import has_checksum

STORES = ("blobs", "landing", "catalog", "lake", "index", "snapshots")


def examine(space: Space, settings: Settings, stages: Sequence[Stage], *, now: datetime | None = None) -> list[Finding]:
    """Return what is damaged, missing or contradictory in the stores of a user; reads all of them once."""
    moment = now or datetime.now(UTC)
    with Catalog(space) as catalog:
        if not catalog.is_sound():
            return [Finding("catalog", "catalog.sqlite", "SQLite finds it damaged")]
    with UserStores.open(space, settings) as bench:
        if not bench.landing.is_sound():
            what = "SQLite finds it damaged; it is the record of what was received and when"
            return [Finding("landing", "raw/landing.sqlite", what)]
        return [
            *(Finding("landing", name, "SQLite finds it damaged") for name in damaged_logs(space)),
            *_received_ahead(bench, moment),
            *_older_than_lake(bench, moment),
            *_blobs(bench),
            *_lake(bench, stages),
            *_index(bench, stages),
            *_snapshots(space),
        ]


def _received_ahead(bench: UserStores, now: datetime) -> Iterator[Finding]:
    for uri in bench.landing.received_after(now):
        yield Finding("landing", uri, "received in the future: the clock of this machine was ahead")


def _older_than_lake(bench: UserStores, now: datetime) -> Iterator[Finding]:
    if missing := missing_from(bench.landing, bench.catalog, now):
        what = f"older than the lake: {missing} items were received after the newest that it knows"
        yield Finding("landing", "raw/landing.sqlite", what)


def _blobs(bench: UserStores) -> Iterator[Finding]:
    states: dict[str, str] = {}
    for item in bench.landing.all_items():
        if item.sha256 not in states:
            states[item.sha256] = bench.landing.raw.state(item.sha256)
        if (state := states[item.sha256]) in ("damaged", "missing"):
            (_, source, day), *_ = bench.landing.holders(item.sha256)
            yield Finding("blobs", item.uri, f"its stored bytes are {state}", source, day, "text")


def _lake(bench: UserStores, stages: Sequence[Stage]) -> Iterator[Finding]:
    writer = {table: stage.name for stage in stages for table in stage.tables}
    stored: dict[tuple[str, str, str], int] = defaultdict(int)
    intact: dict[str, bool] = {}
    for file in bench.catalog.lake_files():
        stage = writer.get(file.table, "")
        stored[file.source, stage, file.day] += file.rows
        if file.path not in intact:
            intact[file.path] = bench.lake.is_intact(file)
        if not intact[file.path]:
            yield Finding("lake", f"lake/{file.path}", "missing or damaged", file.source, file.day, stage)
        elif not has_checksum(file.path) and (wrong := bench.lake.verify_file(file)):
            yield Finding("lake", f"lake/{file.path}", wrong, file.source, file.day, stage)
    names = {stage.name for stage in stages if "index" not in stage.tables}
    for row in bench.catalog.ledger(state="ok"):
        found = stored[row.source, row.stage, row.day]
        if row.stage in names and found != row.rows:
            what = f"{found} rows are stored, the ledger records {row.rows}"
            yield Finding("lake", f"{row.source}/{row.stage}", what, row.source, row.day, row.stage)


def _index(bench: UserStores, stages: Sequence[Stage]) -> Iterator[Finding]:
    [stage] = [stage for stage in stages if "index" in stage.tables]
    index = index_of(bench.space, bench.settings)
    place = f"index/{index.name}"
    try:
        index.check()
        for source, rows in _by_source(bench.catalog.ledger(stage=stage.name, state="ok")).items():
            found = index.read(IndexFilter(sources=[source]))
            for row in rows:
                what = _differs(bench, index.name, row, found)
                if what:
                    yield Finding("index", f"{place}: {source}", what, source, row.day, stage.name)
    except DamagedIndexError as error:
        yield Finding("index", place, str(error), stage=stage.name)


def _differs(bench: UserStores, index: str, row: LedgerRow, found: pa.Table) -> str:
    """Return how the rows of a day differ from what the ledger records, "" if they do not."""
    recorded = bench.catalog.get_meta(rows_key(index, row.source, row.day))
    if recorded is None and row.rows:
        return ""  # written to another index, or before vectors were recorded
    day: Any = found.filter(pc.field("day") == row.day)
    digest = index_hash(day.select(["id", "search_text"]).to_pylist())
    if (stable_hash([digest]) if digest else "") != row.output_hash:
        return f"{day.num_rows} rows that differ from the {row.rows} that the ledger records"
    if row.rows and index_digest(day) != recorded:
        return "its rows or vectors are not those that were computed"
    return ""


def _by_source(rows: Sequence[LedgerRow]) -> dict[str, list[LedgerRow]]:
    found: dict[str, list[LedgerRow]] = defaultdict(list)
    for row in rows:
        found[row.source].append(row)
    return found


def _snapshots(space: Space) -> Iterator[Finding]:
    from brain_retrieval.stores.snapshot_manifest import damage
    from brain_retrieval.stores.snapshots import SnapshotStore

    for day in SnapshotStore(space).begun():
        if what := damage(space.knowledge, day)[0]:
            yield Finding("snapshots", f"knowledge/{day}", what, day=day)
