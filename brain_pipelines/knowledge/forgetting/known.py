"""Removal of items from consolidated knowledge: snapshots, graph, access log, answers of chat models.

A snapshot is built on the one before, so every snapshot from the first that knew an item on is computed again.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import timedelta

from brain_pipelines.engine.run_stage import StageFailedError
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import SNAPSHOT, run_stage
from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.settings import Settings
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.graph.opening import open_graph
from brain_retrieval.stores.snapshots import SOURCES, SnapshotStore

Step = Callable[[int, int], None]
# Kind of item in the access log -> table and column of a snapshot that list the ids.
KINDS = {
    "entity": (("entity_names", "name_id"), ("known_entities", "entity_id")),
    "fact": (("known_facts", "fact_id"),),
    "note": (("notes", "note_id"),),
    "storyline": (("storylines", "storyline_id"),),
    "macro": (("macros", "macro_id"),),
}


def first_knowing(store: SnapshotStore, ids: set[str]) -> str | None:
    """Return the first snapshot computed from one of the items; a damaged one counts as one."""
    for day in store.begun():
        try:
            listed = set(store.read_stage(day, "sources", SOURCES, ["source_id"])["source_id"])
            if day in store.days():
                listed |= set(store.read(day, SOURCES, ["source_id"])["source_id"])
        except (StoreError, FileNotFoundError):
            return day
        if listed & ids:
            return day
    return None


def known_items(store: SnapshotStore) -> dict[str, set[str]]:
    """Return the ids that the newest snapshot knows, by kind of item."""
    if (day := store.newest()) is None:
        return {kind: set() for kind in KINDS}
    return {
        kind: {one for table, column in tables for one in store.read(day, table, [column])[column]}
        for kind, tables in KINDS.items()
    }


def recalled_items(space: Space) -> dict[str, list[str]]:
    """Return the ids in the access log that the newest snapshot knows, by kind of item."""
    with AccessLog(space) as log:
        rows = log.recalls().select("item", "item_id").unique().rows()
    known = known_items(SnapshotStore(space)) if rows else {}
    return {kind: sorted(one for item, one in rows if item == kind and one in ids) for kind, ids in known.items()}


def build_again(
    space: Space, settings: Settings, first: str | None, days: Sequence[str], step: Step, *, nothing_left: bool
) -> list[str]:
    """Remove the snapshots from `first` on and compute `days` of them again; return those that failed.

    Args:
        first: ISO day; None leaves snapshots as they are.
        days: ISO days of the complete snapshots from `first` on, ascending.
        nothing_left: the user has no items any more: no snapshot and no graph stays.
    """
    store = SnapshotStore(space)
    if nothing_left:
        store.remove()
        with closing(open_graph(space, settings)) as graph:
            graph.delete_user()
        return []
    if first is None:
        return []
    with Catalog(space) as catalog:
        catalog.drop_ledger(catalog.ledger(source=SNAPSHOT))  # errors of failed snapshots may quote a text
    store.remove_since(first)
    store.sweep(timedelta())
    failed = []
    for number, day in enumerate(days):
        try:
            for stage in SNAPSHOT_STAGES:
                run_stage(stage, SNAPSHOT_STAGES, space, day, settings=settings)
        except StageFailedError:
            failed.append(f"snapshot {day}")
        step(number + 1, len(days))
    return failed


def forget_recalls(space: Space, ids: set[str], chunks: set[str], recalled: Mapping[str, Sequence[str]]) -> int:
    """Remove the recalls of sources, of chunks, and of what was `recalled` and is known no more; return how many."""
    known = known_items(SnapshotStore(space))
    with AccessLog(space) as log:
        removed = log.remove("source", ids) + log.remove("chunk", chunks)
        return removed + sum(log.remove(kind, set(items) - known[kind]) for kind, items in recalled.items())


def clear_answers(space: Space) -> int:
    """Remove all cached answers of chat models; return how many there were. A later request is asked again."""
    if not (space.root / "llm_cache.sqlite").is_file():
        return 0
    with ResponseCache(space) as cache:
        ((count,),) = cache.rows("SELECT count(*) FROM answers")
        cache.clear()
    return count
