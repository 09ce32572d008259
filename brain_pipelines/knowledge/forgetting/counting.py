"""What the stores of a user hold of some items: counts by store, for the preview and again for the receipt."""

from collections import Counter
from contextlib import closing

from brain_pipelines.knowledge.forgetting.derived import Days
from brain_pipelines.knowledge.forgetting.known import first_knowing
from brain_pipelines.knowledge.forgetting.landed import has_spool, is_in_inbox
from brain_pipelines.knowledge.forgetting.plan import Plan
from brain_pipelines.landing.landing import Landing
from brain_retrieval.home import Space
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.settings import Settings
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.graph.opening import open_graph
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore

Counts = dict[str, int]


def received(landing: Landing, plan: Plan) -> Counts:
    """Return what of the items is in the landing record, the inbox and the blobs."""
    space, hashes = landing.space, {target.sha256 for target in plan.targets}
    items = {one for (one,) in landing.rows("SELECT source_id FROM item")}
    files = {target.file for target in plan.targets}
    blobs = [path for path in space.blobs.glob("*/*") if path.name.split(".", 1)[0] in hashes]
    return {
        "inbox files": sum(is_in_inbox(space, file) for file in files),
        "landing items": len(items & plan.ids),
        "raw blobs": sum(path.suffix != ".dropped" for path in blobs),
        "recorded sessions": sum(has_spool(space, file) for file in files),
    }


def derived(space: Space, settings: Settings, catalog: Catalog, ids: set[str], days: Days) -> Counts:
    """Return how many rows of the items each derived store of a user holds."""
    counts: Counter[str] = Counter()
    lake = Lake(space, catalog)
    for source, members in days.items():
        for file in catalog.lake_files(source=source, days=list(members)):
            rows = lake.read(file.table, source=source, days=[file.day], columns=["source_id"])
            counts[f"lake {file.table}"] += sum(one in ids for one in rows["source_id"].to_pylist())
    counts["search index"] = len(chunks_of(space, catalog, ids))
    store = SnapshotStore(space)
    first = first_knowing(store, ids)
    counts["snapshots"] = sum(first is not None and day >= first for day in store.begun())
    if (space.root / "graph.sqlite").is_file():
        with closing(open_graph(space, settings)) as graph:
            counts["graph sources"] = sum(graph.node(one) is not None for one in sorted(ids))
    with AccessLog(space) as log:
        recalled = log.recalls()["item_id"].to_list()
    counts["access log"] = sum(one in ids for one in recalled)
    counts["quarantine"] = sum(row.source_id in ids for row in catalog.quarantine())
    if (space.root / "llm_cache.sqlite").is_file():
        with ResponseCache(space) as cache:
            ((counts["cached answers (of all items)"],),) = cache.rows("SELECT count(*) FROM answers")
    return dict(counts)


def chunks_of(space: Space, catalog: Catalog, ids: set[str]) -> set[str]:
    """Return the ids of the items' chunks in the active index."""
    index = active_index(space, catalog)
    if index is None or not index.exists():
        return set()
    return set(index.read(IndexFilter(source_ids=ids), ["id"])["id"].to_pylist())
