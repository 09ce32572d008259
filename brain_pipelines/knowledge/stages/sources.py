"""sources: one row for each source, from texts and enrichments. The first stage; it pins the snapshot's inputs."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage


def run_sources(snapshot: SnapshotInput) -> SnapshotOutput:
    """Join texts with enrichments; return the table `known_sources`."""
    from brain_pipelines.knowledge.known_sources import ENRICHMENT_COLUMNS, TEXT_COLUMNS, known_sources
    from brain_retrieval.teams import split_shared

    texts = snapshot.lake("text", TEXT_COLUMNS)
    names = texts["source"].unique().to_list()
    split = {name: split_shared(name, snapshot.settings) for name in names}
    teams = {name: found[0] for name, found in split.items() if found}
    return SnapshotOutput(
        {"known_sources": known_sources(texts, snapshot.lake("enrichments", ENRICHMENT_COLUMNS), teams)}
    )


STAGE = SnapshotStage(
    name="sources",
    group="knowledge",
    upstream=(),
    lake=(("text", None), ("enrichments", None)),
    tables=("known_sources",),
    published=("known_sources",),
    code_version="2",
    config=lambda settings, _user: sorted(settings.teams),
    run=run_sources,
    description="All sources received until the end of the day, one row each; pins the inputs of the snapshot.",
)
