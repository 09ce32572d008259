"""The end of a snapshot: readers see it, the graph shows it, what is too old goes."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

from brain_pipelines.knowledge.due import remember
from brain_pipelines.knowledge.quality import BLOCKING
from brain_pipelines.knowledge.stage import SnapshotOutput
from brain_retrieval.errors import BrainError
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.maintenance import maintain
from brain_retrieval.stores.snapshots import SnapshotStore

GRAPH_TABLES = (
    *("known_sources", "known_entities", "entity_members", "entity_names", "known_facts", "fact_evidence"),
    *("storylines", "storyline_sources", "macros", "summaries", "salience", "notes"),
)


class SnapshotBlockedError(BrainError):
    """A snapshot that the quality gate holds back."""


def publish_snapshot(
    store: SnapshotStore, day: str, stages: Sequence[str], catalog: Catalog, settings: Settings, *, settled: bool
) -> SnapshotOutput:
    """Complete a snapshot, publish the graph if it is the newest, prune, and maintain the user's stores.

    Args:
        settled: nothing has come since the first stage ran, so that the snapshot knows all it may know.

    Raises:
        SnapshotBlockedError: the quality gate found what must not be; readers keep the snapshot before.
        GraphUnavailableError: the graph server failed; readers have the snapshot and the embedded graph all the same.
    """
    from brain_retrieval.stores.graph.opening import open_graph

    _pass_gate(store, day)
    space, output = store.space, SnapshotOutput()
    changed = store.complete(day, stages)
    if store.newest() == day:
        snapshot = {name: store.read(day, name) for name in GRAPH_TABLES}
        with closing(open_graph(space, settings)) as graph:
            report = graph.publish(snapshot)
        output.measures |= {name: float(count) for name, count in asdict(report).items()}
        remember(space, settings, catalog, day, settled=settled)
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
