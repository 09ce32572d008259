"""echoes: passages of agent output that repeat retrieved text; excluded from evidence."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_echoes(snapshot: SnapshotInput) -> SnapshotOutput:
    """Compare agent output with chunks retrieved before it; return the table `echoes`."""
    import polars as pl

    from brain_pipelines.knowledge.memory.retrieval_echoes import find_echoes

    recalls = snapshot.recalls().filter(pl.col("item") == "chunk").select(pl.col("item_id").alias("chunk_id"), "at")
    chunks = snapshot.lake("chunks", ["chunk_id", "source_id", "text"])
    recalled = recalls.join(chunks, on="chunk_id").select("chunk_id", "source_id", "text", "at")
    texts = snapshot.lake("text", ["source_id", "source", "text", "segments", "event_at"])
    return SnapshotOutput({"echoes": find_echoes(texts.rename({"source": "source_type"}), recalled)})


STAGE = SnapshotStage(
    name="echoes",
    group="knowledge",
    upstream=("sources",),
    lake=(("text", None), ("chunks", None)),
    tables=("echoes",),
    code_version="4",
    config=no_config,
    run=run_echoes,
    description="Passages of agent output that repeat previously retrieved text; excluded from evidence.",
    reads_log=True,
)
