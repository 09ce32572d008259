"""Publishing of a snapshot: make it visible to readers, sync the graph, prune old snapshots and files."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

from brain_pipelines.knowledge.due import store_fingerprint
from brain_pipelines.knowledge.pinned_inputs import PinnedInputs
from brain_pipelines.knowledge.snapshot_gate import BLOCKING
from brain_pipelines.knowledge.stage import SnapshotOutput, SnapshotStage
from brain_retrieval.errors import BrainError
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.maintenance import maintain
from brain_retrieval.stores.snapshots import SnapshotStore


class SnapshotBlockedError(BrainError):
    """Raised when the quality gate blocks the publication of a snapshot."""


def publish_snapshot(
    store: SnapshotStore,
    day: str,
    stages: Sequence[SnapshotStage],
    catalog: Catalog,
    settings: Settings,
    pinned: PinnedInputs,
) -> SnapshotOutput:
    """Mark a snapshot complete, publish the graph if it is the newest, prune, and maintain the user's stores.

    Args:
        stages: all stages of a snapshot; the graph is built from the tables in their `published`.
        pinned: the inputs of the snapshot; later changes to them make another snapshot due.

    Raises:
        SnapshotBlockedError: a blocking quality check failed; readers keep the previous snapshot.
        GraphUnavailableError: the graph server failed; readers still get the snapshot and the embedded graph.
    """
    from brain_retrieval.stores.graph.opening import open_graph

    _check_quality(store, day)
    space, output = store.space, SnapshotOutput()
    changed = store.complete(day, [stage.name for stage in stages if stage.tables])
    if store.newest() == day:
        snapshot = {table: store.read(day, table) for stage in stages for table in stage.published}
        with closing(open_graph(space, settings)) as graph:
            report = graph.publish(snapshot)
        output.measures |= {name: float(count) for name, count in asdict(report).items()}
        store_fingerprint(space, settings, catalog, day, stages=stages, pinned=pinned)
    pruned = store.prune(settings.knowledge.keep_snapshots)
    output.measures |= {"changed": float(changed), "snapshots_pruned": float(pruned)}
    output.measures |= {
        name: float(count) for name, count in maintain(space, language=settings.language_of(space.user)).items()
    }
    return output


def _check_quality(store: SnapshotStore, day: str) -> None:
    quality = store.read_stage(day, "quality", "quality", ["metric", "value", "passed"])
    failed = [
        f"{metric} {value:g}" for metric, value, passed in quality.iter_rows() if not passed and metric in BLOCKING
    ]
    if failed:
        raise SnapshotBlockedError(f"the snapshot {day} is held back by the quality gate: {', '.join(failed)}")
