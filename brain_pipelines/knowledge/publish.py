"""Publish a snapshot: make it visible to readers, sync the graph, prune what is too old."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

from brain_pipelines.knowledge.due import remember
from brain_pipelines.knowledge.pinned_inputs import PinnedInputs
from brain_pipelines.knowledge.quality import BLOCKING
from brain_pipelines.knowledge.stage import SnapshotOutput, SnapshotStage
from brain_retrieval.errors import BrainError
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.maintenance import maintain
from brain_retrieval.stores.snapshots import SnapshotStore


class SnapshotBlockedError(BrainError):
    """A snapshot that the quality gate holds back."""


def publish_snapshot(
    store: SnapshotStore,
    day: str,
    stages: Sequence[SnapshotStage],
    catalog: Catalog,
    settings: Settings,
    pinned: PinnedInputs,
) -> SnapshotOutput:
    """Complete a snapshot, publish the graph if it is the newest, prune, and maintain the user's stores.

    Args:
        stages: all stages of a snapshot; the graph is made of the tables that they publish.
        pinned: what the snapshot was made of; what differs from it later makes another snapshot due.

    Raises:
        SnapshotBlockedError: the quality gate found what must not be; readers keep the snapshot before.
        GraphUnavailableError: the graph server failed; readers have the snapshot and the embedded graph all the same.
    """
    from brain_retrieval.stores.graph.opening import open_graph

    _pass_gate(store, day)
    space, output = store.space, SnapshotOutput()
    changed = store.complete(day, [stage.name for stage in stages if stage.tables])
    if store.newest() == day:
        snapshot = {table: store.read(day, table) for stage in stages for table in stage.published}
        with closing(open_graph(space, settings)) as graph:
            report = graph.publish(snapshot)
        output.measures |= {name: float(count) for name, count in asdict(report).items()}
        remember(space, settings, catalog, day, stages=stages, pinned=pinned)
    pruned = store.prune(settings.knowledge.keep_snapshots)
    output.measures |= {"changed": float(changed), "snapshots_pruned": float(pruned)}
    output.measures |= {
        name: float(count) for name, count in maintain(space, language=settings.language_of(space.user)).items()
    }
    return output


def _pass_gate(store: SnapshotStore, day: str) -> None:
    quality = store.read_stage(day, "quality", "quality", ["metric", "value", "passed"])
    wrong = [
        f"{metric} {value:g}" for metric, value, passed in quality.iter_rows() if not passed and metric in BLOCKING
    ]
    if wrong:
        raise SnapshotBlockedError(f"the snapshot {day} is held back by the quality gate: {', '.join(wrong)}")
