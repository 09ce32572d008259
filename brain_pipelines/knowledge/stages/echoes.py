"""echoes: text that repeats other text, of agents what they retrieved, of sources another one; no evidence."""

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage, no_config


def run_echoes(snapshot: SnapshotInput) -> SnapshotOutput:
    """Compare agent output with chunks retrieved before it, and sources with each other; return the table `echoes`."""
    import polars as pl

    from brain_pipelines.knowledge.memory.copied_sources import find_copies
    from brain_pipelines.knowledge.memory.retrieval_echoes import find_echoes

    recalls = snapshot.recalls().filter(pl.col("item") == "chunk").select(pl.col("item_id").alias("chunk_id"), "at")
    chunks = snapshot.lake("chunks", ["chunk_id", "source_id", "text"])
    recalled = recalls.join(chunks, on="chunk_id").select("chunk_id", "source_id", "text", "at")
    texts = snapshot.lake("text", ["source_id", "source", "text", "segments", "event_at", "received_at"])
    texts = texts.rename({"source": "source_type"})
    found = pl.concat([find_copies(texts.drop("segments")), find_echoes(texts.drop("received_at"), recalled)])
    return SnapshotOutput({"echoes": found.unique("echo_id", keep="first", maintain_order=True).sort("echo_id")})


STAGE = SnapshotStage(
    name="echoes",
    group="knowledge",
    upstream=("sources",),
    lake=(("text", None), ("chunks", None)),
    tables=("echoes",),
    code_version="6",
    config=no_config,
    run=run_echoes,
    description="Text that repeats previously retrieved text or another source; excluded from evidence.",
    reads_log=True,
)
