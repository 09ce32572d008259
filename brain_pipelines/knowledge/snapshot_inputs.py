"""How each pure function of a snapshot is fed with rows. Which of them make up a snapshot is in
`snapshot_stages.py`.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput
from brain_retrieval.settings import OwnerSettings

if TYPE_CHECKING:
    import polars as pl

NOTE = "agent-note"


def _team_of(snapshot: SnapshotInput) -> str | None:
    return snapshot.user if snapshot.user in snapshot.settings.teams else None


def run_sources(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.known_sources import ENRICHMENT_COLUMNS, TEXT_COLUMNS, known_sources
    from brain_retrieval.teams import split_shared

    texts = snapshot.lake("text", TEXT_COLUMNS)
    names = texts["source"].unique().to_list()
    split = {name: split_shared(name, snapshot.settings) for name in names}
    teams = {name: found[0] for name, found in split.items() if found}
    return SnapshotOutput(
        {"known_sources": known_sources(texts, snapshot.lake("enrichments", ENRICHMENT_COLUMNS), teams)}
    )


def run_echoes(snapshot: SnapshotInput) -> SnapshotOutput:
    import polars as pl

    from brain_pipelines.knowledge.memory.retrieval_echoes import find_echoes

    recalls = snapshot.recalls().filter(pl.col("item") == "chunk").select(pl.col("item_id").alias("chunk_id"), "at")
    chunks = snapshot.lake("chunks", ["chunk_id", "source_id", "text"])
    recalled = recalls.join(chunks, on="chunk_id").select("chunk_id", "source_id", "text", "at")
    texts = snapshot.lake("text", ["source_id", "source", "text", "segments", "event_at"])
    return SnapshotOutput({"echoes": find_echoes(texts.rename({"source": "source_type"}), recalled)})


def run_entities(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.echo_filter import without_echoes
    from brain_pipelines.knowledge.entities.resolve import resolve
    from brain_pipelines.knowledge.notes import decisions_of

    mentions = snapshot.lake("mentions", ["entity_id", "source_id", "start", "end", "text"])
    stated = ["source_id", "subject_id", "predicate", "relation", "object", "object_id", "polarity", "modality"]
    entities = without_echoes(snapshot.lake("entities"), mentions, snapshot.snapshot("echoes"))
    settings = snapshot.settings
    found = resolve(
        entities,
        user=snapshot.user,
        owner=settings.owners.get(snapshot.user, OwnerSettings()),
        decisions=decisions_of(snapshot.lake("text", None, NOTE)),
        facts=snapshot.lake("facts", stated),
        settings=settings.knowledge,
        min_confidence=settings.extraction.min_confidence,
        min_mentions=settings.extraction.min_mentions,
        has_owner=_team_of(snapshot) is None,
    )
    return SnapshotOutput(
        {
            "entity_members": found.members,
            "known_entities": found.known_entities,
            "entity_names": found.names,
            "entity_merges": found.merges,
        }
    )


def run_facts(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.evidence import build_evidence
    from brain_retrieval.knowledge.derive import derive_facts

    evidence = build_evidence(
        snapshot.lake("facts"),
        snapshot.snapshot("entity_members"),
        snapshot.snapshot("known_entities"),
        echoes=snapshot.snapshot("echoes"),
    )
    return SnapshotOutput({"fact_evidence": evidence, "known_facts": derive_facts(evidence, now=snapshot.now)})


def _recalls_of(snapshot: SnapshotInput, item: str) -> dict[str, int]:
    import polars as pl

    rows = _renamed_recalls(snapshot).filter(pl.col("item") == item).group_by("item_id").len()
    return dict(rows.iter_rows())


def _renamed_recalls(snapshot: SnapshotInput) -> "pl.DataFrame":
    """Return the recalls with the ids that entities have now."""
    from brain_retrieval.stores.access_log import with_current_ids

    return with_current_ids(snapshot.recalls(), snapshot.snapshot("entity_names"))


def run_storylines(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.memory.storylines import build_storylines

    lines, sources = build_storylines(
        snapshot.snapshot("entity_members"),
        snapshot.snapshot("known_entities"),
        snapshot.snapshot("known_sources"),
        recalls=_recalls_of(snapshot, "entity"),
        now=snapshot.now,
        settings=snapshot.settings.memory,
        team=_team_of(snapshot),
    )
    return SnapshotOutput({"storylines": lines, "storyline_sources": sources})


def run_macros(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.memory.macros import build_macros

    macros = build_macros(
        snapshot.snapshot("storylines"),
        snapshot.snapshot("known_entities"),
        now=snapshot.now,
        settings=snapshot.settings.memory,
    )
    return SnapshotOutput({"macros": macros})


def run_summaries(snapshot: SnapshotInput) -> SnapshotOutput:
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
    )
    notes = snapshot.snapshot("notes")
    descriptions = build_descriptions(
        snapshot.snapshot("known_entities"),
        snapshot.snapshot("known_facts"),
        snapshot.snapshot("fact_evidence"),
        notes,
        texts.filter(pl.col("source_id").is_in(notes["source_id"].unique().to_list())),
        previous,
        accessed=_last_recalls(snapshot),
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


def _last_recalls(snapshot: SnapshotInput) -> dict[str, datetime]:
    import polars as pl

    rows = _renamed_recalls(snapshot).filter(pl.col("item") == "entity").group_by("item_id").agg(pl.col("at").max())
    return dict(rows.iter_rows())


def run_salience(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.memory.items import mentions_of, snapshot_items
    from brain_pipelines.knowledge.memory.salience import compute_salience

    settings = snapshot.settings.memory
    names = ("known_sources", "known_entities", "entity_members", "known_facts", "fact_evidence")
    tables = {name: snapshot.snapshot(name) for name in (*names, "storylines", "storyline_sources", "macros")}
    given = {"now": snapshot.now, "settings": settings, "mentions": mentions_of(tables)}
    recalls = _renamed_recalls(snapshot)
    # A storyline and a macro begin with the strength of what they are about, so that comes first.
    anchors = compute_salience(snapshot_items(tables, settings), recalls, **given)
    items = snapshot_items(tables, settings, anchors=anchors)
    return SnapshotOutput({"salience": compute_salience(items, recalls, **given)})


def run_notes(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.notes import build_notes

    notes = build_notes(
        snapshot.lake("text", None, NOTE),
        snapshot.snapshot("entity_names"),
        snapshot.snapshot("known_entities"),
        now=snapshot.now,
    )
    return SnapshotOutput({"notes": notes})


def run_quality(snapshot: SnapshotInput) -> SnapshotOutput:
    from brain_pipelines.knowledge.memory.citation_check import unsupported
    from brain_pipelines.knowledge.quality import measure, quality_table

    measures = measure(
        snapshot.snapshot("entity_members"),
        snapshot.snapshot("known_entities"),
        snapshot.snapshot("known_facts"),
        snapshot.snapshot("storylines"),
        snapshot.snapshot("storyline_sources"),
        unsupported_summaries=len(
            unsupported(snapshot.snapshot("summaries"), snapshot.lake("text", ["source_id", "text"]))
        ),
    )
    return SnapshotOutput({"quality": quality_table(measures)}, measures=measures)


def run_graph(snapshot: SnapshotInput) -> SnapshotOutput:
    return snapshot.publish()
