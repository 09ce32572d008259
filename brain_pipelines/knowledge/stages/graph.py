"""graph: publish the snapshot and the graph made from it, and prune old snapshots and files."""

from typing import Any

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_retrieval.settings import Settings


def _config(settings: Settings, _user: str) -> Any:
    return [settings.graph.provider, settings.graph.uri, settings.graph.database]


def run_graph(snapshot: SnapshotInput) -> SnapshotOutput:
    """Publish the snapshot, and the graph if the snapshot is the newest."""
    return snapshot.publish()


STAGE = SnapshotStage(
    name="graph",
    group="knowledge",
    upstream=(
        *("sources", "echoes", "entities", "facts", "storylines"),
        *("macros", "summaries", "salience", "notes", "quality"),
    ),
    lake=(),
    tables=(),
    code_version="2",
    config=_config,
    run=run_graph,
    description="Publishes the snapshot to readers, syncs the graph, and prunes old snapshots and files.",
    publishes=True,
)
