"""`check_up`: examines the stores of a user, computes again what is damaged, and records what remains.

What is derived is computed again from what it is derived from. Damaged bytes are taken again from the inbox, if the
file there is still the one that was received; otherwise they are lost, and what was read from them stays.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from brain_pipelines.engine.examination import examine
from brain_pipelines.engine.healing import heal_index, index_of, replace_catalog
from brain_pipelines.engine.health import Finding, Health
from brain_pipelines.engine.landing_recovery import complete, recover
from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.engine.writers import UserStores
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_pipelines.landing.backup import LOGS, newest_sound, put_back
from brain_pipelines.landing.blobs import FileChangedError, sha256_of
from brain_pipelines.landing.inbox import FileState, to_path
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.orchestration.behind import not_done
from brain_pipelines.readers.contract import describe
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES, STAGES_BY_NAME
from brain_retrieval.errors import StoreError, UnusableHomeError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import move_aside
from brain_retrieval.stores.locking import writer_lock
from brain_retrieval.stores.snapshot_files import TableFiles
from brain_retrieval.stores.snapshot_manifest import damage

RECORD = "raw/landing.sqlite"
SCAN_SECONDS = 3600.0
EMBEDDINGS = STAGES_BY_NAME["embeddings"]


def check_up(space: Space, settings: Settings, *, heal: bool = True) -> Health:
    """Examine a user's stores and record the result for `brain status`; with `heal`, repair what can be repaired.

    Raises:
        UnusableHomeError: the disk is full, or the home read-only or out of reach.
    """
    began, moment = time.perf_counter(), datetime.now(UTC)
    found = examine(space, settings, STAGES, now=moment)
    remaining = found
    if found and heal:
        _heal(space, settings, found, moment)
        remaining = examine(space, settings, STAGES)
    places = {(one.store, one.place) for one in remaining}
    healed = [one for one in found if (one.store, one.place) not in places]
    health = Health(moment.isoformat(timespec="seconds"), time.perf_counter() - began, healed, remaining)
    health.record(space)
    return health


def _heal(space: Space, settings: Settings, found: Sequence[Finding], now: datetime) -> None:
    by_store: dict[str, list[Finding]] = defaultdict(list)
    for one in found:
        by_store[one.store].append(one)
    if by_store["catalog"]:
        with open_landing(space, settings) as landing:
            sound = landing.is_sound()
        if not sound:
            recover(space, settings)
        replace_catalog(space, settings)
    places = {one.place for one in by_store["landing"]}
    if RECORD in places:
        _recover_landing(space, settings)
    for name in places & set(LOGS):
        with writer_lock(space):
            if (backup := newest_sound(space, name)) is not None:
                put_back(space, backup, name)
    if places - {RECORD, *LOGS}:
        with suppress(StoreError), open_landing(space, settings) as landing:
            landing.correct_receipts(now)
    _take_again(space, settings, {one.place for one in by_store["blobs"]})
    days = {(one.source, one.day) for one in found if one.source in SOURCES_BY_NAME}
    with writer_lock(space), UserStores.open(space, settings) as bench:
        if by_store["index"]:
            _clear(bench, by_store["index"])
        lost = {(one.source, one.stage, one.day) for one in found}
        bench.catalog.drop_ledger(row for row in bench.catalog.ledger() if (row.source, row.stage, row.day) in lost)
        if by_store["catalog"] or by_store["index"] or by_store["landing"]:
            days |= not_done(bench.landing, bench.catalog)
    _run_days(space, settings, days)
    for one in by_store["snapshots"]:
        _compute_snapshot(space, settings, one.day)


def _recover_landing(space: Space, settings: Settings) -> None:
    with open_landing(space, settings) as landing:
        sound = landing.is_sound()
    if sound:
        complete(space, settings)
    else:
        recover(space, settings)
    with open_landing(space, settings) as landing:
        scan_inbox(space, landing, until=time.monotonic() + SCAN_SECONDS, settle_seconds=0)


def _take_again(space: Space, settings: Settings, uris: Iterable[str]) -> None:
    """Land files again whose stored bytes are damaged, if the inbox still holds what was received."""
    with open_landing(space, settings) as landing:
        for uri in sorted({uri.partition("#")[0] for uri in uris}):
            path = to_path(space.inbox, uri)
            with suppress(OSError, FileChangedError):
                if path.is_file() and sha256_of(path) == landing.read_before(uri):
                    landing.land(FileState.of(path, space.inbox))


def _clear(bench: UserStores, found: Sequence[Finding]) -> None:
    """Remove rows from the index that are not what was computed, so that no vector of theirs is used again."""
    if any(not one.day for one in found):
        heal_index(bench, EMBEDDINGS, damaged=True)
        return
    days: dict[str, list[str]] = defaultdict(list)
    for one in found:
        days[one.source].append(one.day)
    index = index_of(bench.space, bench.settings)
    for source, some in days.items():
        index.replace(source, sorted(some), [])


def _run_days(space: Space, settings: Settings, days: Iterable[tuple[str, str]]) -> None:
    run_id = f"doctor-{time.time_ns()}"
    by_source: dict[str, list[str]] = defaultdict(list)
    for source, day in days:
        by_source[source].append(day)
    for source, some in sorted(by_source.items()):
        with suppress(StageFailedError):  # the ledger has the reason, and what is not healed stays on the list
            for stage in STAGES:
                materialize(stage, SOURCES_BY_NAME[source], space, some, settings=settings, run_id=run_id)


def _compute_snapshot(space: Space, settings: Settings, day: str) -> None:
    with writer_lock(space):
        what, files = damage(space.knowledge, day)
        for file in files:
            move_aside(TableFiles(space.knowledge).path(file), space.damaged)
        if what and not files:
            move_aside(space.knowledge / f"{day}.json", space.damaged)
    with suppress(StageFailedError):
        for stage in SNAPSHOT_STAGES:
            run_stage(stage, SNAPSHOT_STAGES, space, day, settings=settings)


def check_up_or_reason(space: Space, settings: Settings) -> Health:
    """Return a check-up; one that fails is itself a finding."""
    try:
        return check_up(space, settings)
    except UnusableHomeError:
        raise
    except Exception as error:
        finding = Finding("landing", space.user, f"the check-up failed: {describe(error)}")
        return Health(datetime.now(UTC).isoformat(timespec="seconds"), remaining=[finding])
