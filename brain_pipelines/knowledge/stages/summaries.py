"""summaries: cited summaries of storylines and macros and descriptions of entities."""

from typing import Any

from brain_pipelines.knowledge.recalls import last_recalls
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_pipelines.knowledge.story_memories import STORY_INPUTS, story_memories
from brain_retrieval.settings import Settings


def _config(settings: Settings, _user: str) -> Any:
    chosen = settings.memory.summaries
    if chosen != "llm":
        return [chosen, None]
    llm = settings.llm.for_task("summaries")
    return [chosen, llm.model, *([llm.reasoning_effort] if llm.reasoning_effort else [])]


def run_summaries(snapshot: SnapshotInput) -> SnapshotOutput:
    """Summarise storylines, macros and entities; summaries whose evidence is unchanged are carried over."""
    import polars as pl

    from brain_pipelines.knowledge.memory.entity_descriptions import build_descriptions
    from brain_pipelines.knowledge.memory.summaries import build_summaries, cited_sources

    settings = snapshot.settings.memory
    chat = snapshot.chat() if settings.summaries == "llm" else None
    sources, previous = snapshot.snapshot("storyline_sources"), snapshot.previous("summaries")
    before = snapshot.previous("storyline_sources")
    cited = cited_sources(sources, previous, before)
    texts = snapshot.lake("text", ["source_id", "text", "title", "language", "segments"])
    stories = build_summaries(
        snapshot.snapshot("storylines"),
        sources,
        snapshot.snapshot("macros"),
        texts.filter(pl.col("source_id").is_in(cited)),
        snapshot.lake("enrichments", ["source_id", "summary_spans"]),
        previous,
        chat=chat,
        requests=settings.summary_requests,
        known_entities=snapshot.snapshot("known_entities"),
        previous_sources=before,
        memories=story_memories(snapshot),
    )
    notes = snapshot.snapshot("notes")
    descriptions = build_descriptions(
        snapshot.snapshot("known_entities"),
        snapshot.snapshot("known_facts"),
        snapshot.snapshot("fact_evidence"),
        notes,
        texts.filter(pl.col("source_id").is_in(notes["source_id"].unique().to_list())),
        previous,
        accessed=last_recalls(snapshot, "entity"),
        now=snapshot.now,
        chat=chat,
        requests=max(0, settings.summary_requests - stories.asked),
        previous_evidence=snapshot.previous("fact_evidence"),
    )
    parts = (stories, descriptions)
    return SnapshotOutput(
        {"summaries": pl.concat([part.rows for part in parts]).sort("item_id")},
        warnings=[problem for part in parts for problem in part.problems],
        measures={name: float(sum(getattr(part, name) for part in parts)) for name in ("carried", "asked", "left")},
    )


STAGE = SnapshotStage(
    name="summaries",
    group="memory",
    upstream=("sources", "echoes", "entities", "facts", "notes", "storylines", "macros"),
    lake=(*STORY_INPUTS, ("enrichments", None)),
    tables=("summaries",),
    published=("summaries",),
    code_version="28",
    config=_config,
    run=run_summaries,
    description="Cited summaries of storylines, macros and entities; rewritten only where the evidence changed.",
    reads_log=True,
)
