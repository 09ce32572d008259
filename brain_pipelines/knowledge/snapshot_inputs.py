"""How each pure function of a night is fed with rows. Which of them make up a night is in `night_stages.py`."""

from datetime import datetime
from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import NightInput, NightOutput
from brain_retrieval.settings import OwnerSettings

if TYPE_CHECKING:
    import polars as pl

NOTE = "agent-note"


def _team_of(night: NightInput) -> str | None:
    return night.user if night.user in night.settings.teams else None


def run_sources(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.known_sources import ENRICHMENT_COLUMNS, TEXT_COLUMNS, known_sources
    from brain_retrieval.teams import split_shared

    texts = night.lake("text", TEXT_COLUMNS)
    names = texts["source"].unique().to_list()
    split = {name: split_shared(name, night.settings) for name in names}
    teams = {name: found[0] for name, found in split.items() if found}
    return NightOutput({"known_sources": known_sources(texts, night.lake("enrichments", ENRICHMENT_COLUMNS), teams)})


def run_echoes(night: NightInput) -> NightOutput:
    import polars as pl

    from brain_pipelines.knowledge.memory.retrieval_echoes import find_echoes

    recalls = night.recalls().filter(pl.col("item") == "chunk").select(pl.col("item_id").alias("chunk_id"), "at")
    chunks = night.lake("chunks", ["chunk_id", "source_id", "text"])
    recalled = recalls.join(chunks, on="chunk_id").select("chunk_id", "source_id", "text", "at")
    texts = night.lake("text", ["source_id", "source", "text", "segments", "event_at"])
    return NightOutput({"echoes": find_echoes(texts.rename({"source": "source_type"}), recalled)})


def run_entities(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.echo_filter import without_echoes
    from brain_pipelines.knowledge.entities.resolve import resolve
    from brain_pipelines.knowledge.notes import decisions_of

    mentions = night.lake("mentions", ["entity_id", "source_id", "start", "end", "text"])
    stated = ["source_id", "subject_id", "predicate", "relation", "object", "object_id", "polarity", "modality"]
    entities = without_echoes(night.lake("entities"), mentions, night.night("echoes"))
    settings = night.settings
    found = resolve(
        entities,
        user=night.user,
        owner=settings.owners.get(night.user, OwnerSettings()),
        decisions=decisions_of(night.lake("text", None, NOTE)),
        facts=night.lake("facts", stated),
        settings=settings.knowledge,
        min_confidence=settings.extraction.min_confidence,
        min_mentions=settings.extraction.min_mentions,
        has_owner=_team_of(night) is None,
    )
    return NightOutput(
        {
            "entity_members": found.members,
            "known_entities": found.known_entities,
            "entity_names": found.names,
            "entity_merges": found.merges,
        }
    )


def run_facts(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.evidence import build_evidence
    from brain_retrieval.knowledge.derive import derive_facts

    evidence = build_evidence(
        night.lake("facts"), night.night("entity_members"), night.night("known_entities"), echoes=night.night("echoes")
    )
    return NightOutput({"fact_evidence": evidence, "known_facts": derive_facts(evidence, now=night.now)})


def _recalls_of(night: NightInput, item: str) -> dict[str, int]:
    import polars as pl

    rows = _renamed_recalls(night).filter(pl.col("item") == item).group_by("item_id").len()
    return dict(rows.iter_rows())


def _renamed_recalls(night: NightInput) -> "pl.DataFrame":
    """Return the recalls with the ids that entities have now."""
    from brain_retrieval.stores.access_log import with_current_ids

    return with_current_ids(night.recalls(), night.night("entity_names"))


def run_storylines(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.memory.storylines import build_storylines

    lines, sources = build_storylines(
        night.night("entity_members"),
        night.night("known_entities"),
        night.night("known_sources"),
        recalls=_recalls_of(night, "entity"),
        now=night.now,
        settings=night.settings.memory,
        team=_team_of(night),
    )
    return NightOutput({"storylines": lines, "storyline_sources": sources})


def run_macros(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.memory.macros import build_macros

    macros = build_macros(
        night.night("storylines"), night.night("known_entities"), now=night.now, settings=night.settings.memory
    )
    return NightOutput({"macros": macros})


def run_summaries(night: NightInput) -> NightOutput:
    import polars as pl

    from brain_pipelines.knowledge.memory.entity_descriptions import build_descriptions
    from brain_pipelines.knowledge.memory.summaries import build_summaries, cited_sources

    settings = night.settings.memory
    chat = night.chat() if settings.summaries == "llm" else None
    sources, previous = night.night("storyline_sources"), night.previous("summaries")
    before = night.previous("storyline_sources")
    cited = cited_sources(sources, previous, before)
    texts = night.lake("text", ["source_id", "text", "title", "language", "segments"])
    stories = build_summaries(
        night.night("storylines"),
        sources,
        night.night("macros"),
        texts.filter(pl.col("source_id").is_in(cited)),
        night.lake("enrichments", ["source_id", "summary_spans"]),
        previous,
        chat=chat,
        requests=settings.summary_requests,
        known_entities=night.night("known_entities"),
        previous_sources=before,
    )
    notes = night.night("notes")
    descriptions = build_descriptions(
        night.night("known_entities"),
        night.night("known_facts"),
        night.night("fact_evidence"),
        notes,
        texts.filter(pl.col("source_id").is_in(notes["source_id"].unique().to_list())),
        previous,
        accessed=_last_recalls(night),
        now=night.now,
        chat=chat,
        requests=max(0, settings.summary_requests - stories.asked),
        previous_evidence=night.previous("fact_evidence"),
    )
    parts = (stories, descriptions)
    return NightOutput(
        {"summaries": pl.concat([part.rows for part in parts]).sort("item_id")},
        warnings=[problem for part in parts for problem in part.problems],
        measures={name: float(sum(getattr(part, name) for part in parts)) for name in ("carried", "asked", "left")},
    )


def _last_recalls(night: NightInput) -> dict[str, datetime]:
    import polars as pl

    rows = _renamed_recalls(night).filter(pl.col("item") == "entity").group_by("item_id").agg(pl.col("at").max())
    return dict(rows.iter_rows())


def run_salience(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.memory.items import mentions_of, night_items
    from brain_pipelines.knowledge.memory.salience import compute_salience

    settings = night.settings.memory
    names = ("known_sources", "known_entities", "entity_members", "known_facts", "fact_evidence")
    tables = {name: night.night(name) for name in (*names, "storylines", "storyline_sources", "macros")}
    given = {"now": night.now, "settings": settings, "mentions": mentions_of(tables)}
    recalls = _renamed_recalls(night)
    # A storyline and a macro begin with the strength of what they are about, so that comes first.
    anchors = compute_salience(night_items(tables, settings), recalls, **given)
    items = night_items(tables, settings, anchors=anchors)
    return NightOutput({"salience": compute_salience(items, recalls, **given)})


def run_notes(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.notes import build_notes

    notes = build_notes(
        night.lake("text", None, NOTE), night.night("entity_names"), night.night("known_entities"), now=night.now
    )
    return NightOutput({"notes": notes})


def run_quality(night: NightInput) -> NightOutput:
    from brain_pipelines.knowledge.memory.citation_check import unsupported
    from brain_pipelines.knowledge.quality import measure, quality_table

    measures = measure(
        night.night("entity_members"),
        night.night("known_entities"),
        night.night("known_facts"),
        night.night("storylines"),
        night.night("storyline_sources"),
        unsupported_summaries=len(unsupported(night.night("summaries"), night.lake("text", ["source_id", "text"]))),
    )
    return NightOutput({"quality": quality_table(measures)}, measures=measures)


def run_graph(night: NightInput) -> NightOutput:
    return night.publish()
