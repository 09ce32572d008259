"""Helpers for tests of storylines and summaries: hand-written sources and the frames of a snapshot."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.macros import build_macros
from brain_pipelines.knowledge.memory.storylines import build_storylines
from brain_pipelines.knowledge.memory.summaries import Summaries, build_summaries
from brain_pipelines.stages.enrichment.extractive import enrich
from brain_retrieval.settings.knowledge import MemorySettings
from brain_retrieval.stores.knowledge_tables import ENTITY_MEMBERS, KNOWN_ENTITIES
from brain_retrieval.stores.memory_tables import SUMMARIES

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
SETTINGS = MemorySettings(storyline_quiet_sources=0)
SOURCES = {
    "source_id": pl.String,
    "source_type": pl.String,
    "title": pl.String,
    "event_at": pl.Datetime("us", "UTC"),
    "summary": pl.String,
    "keywords": pl.List(pl.String),
    "parent_id": pl.String,
}


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@dataclass(frozen=True)
class Said:
    """A source that mentions entities, `at` days after START."""

    id: str
    at: float
    about: tuple[str, ...] = ("bob",)
    type: str = "note"
    keywords: tuple[str, ...] = ()
    parent: str | None = None
    title: str = ""
    summary: str = ""


def said(*days: float, about: tuple[str, ...] = ("bob",), **more: Any) -> list[Said]:
    """Return one source for each day, with ids made of entities and day."""
    return [Said(f"{'+'.join(about)}-{at:g}", at, about, **more) for at in days]


def sources(history: list[Said]) -> pl.DataFrame:
    rows = [(s.id, s.type, s.title, day(s.at), s.summary, list(s.keywords), s.parent) for s in history]
    return pl.DataFrame(rows, schema=SOURCES, orient="row")


def members(history: list[Said]) -> pl.DataFrame:
    rows = [
        {"member_id": f"{s.id}:{name}", "entity_id": name, "source_id": s.id, "source_type": s.type,
         "event_at": day(s.at), "received_at": day(s.at), "name": name.title(), "type": "Person", "aliases": [],
         "mention_count": 1, "confidence": 0.9, "rule": "same_name", "score": 1.0}
        for s in history for name in s.about
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=pl.DataFrame(ENTITY_MEMBERS.empty_table()).schema)


def known(history: list[Said], *, owner: str = "alice") -> pl.DataFrame:
    rows = []
    for name in sorted({name for s in history for name in s.about}):
        times = sorted(day(s.at) for s in history if name in s.about)
        rows.append({
            "entity_id": name, "entity_class": "Person", "type": "Person", "name": name.title(),
            "canonical_name": name, "aliases": [name.title()], "is_owner": name == owner, "description": "",
            "mention_count": len(times), "source_count": len(times),
            "distinct_source_days": len({t.date() for t in times}),
            "first_mentioned_at": times[0], "last_mentioned_at": times[-1], "first_received_at": times[0],
            "last_received_at": times[-1], "confidence": 0.9,
        })  # fmt: skip
    return pl.DataFrame(rows, schema=pl.DataFrame(KNOWN_ENTITIES.empty_table()).schema)


def lines(
    history: list[Said], until: float, *, recalls: dict[str, int] | None = None, seed: int | None = None, **more: Any
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return STORYLINES and STORYLINE_SOURCES; "bob" was recalled once unless `recalls` says otherwise."""
    frames = [members(history), known(history), sources(history)]
    if seed is not None:
        frames = [frame.sample(fraction=1, shuffle=True, seed=seed) for frame in frames]
    given = {"bob": 1} if recalls is None else recalls
    return build_storylines(*frames, recalls=given, now=day(until), settings=more.pop("settings", SETTINGS), **more)


def texts(history: list[Said]) -> pl.DataFrame:
    """Return the texts of sources, equal to their `summary`."""
    return pl.DataFrame(
        [(s.id, s.summary) for s in history], schema={"source_id": pl.String, "text": pl.String}, orient="row"
    )


def enrichments(history: list[Said]) -> pl.DataFrame:
    """Return the summary spans of the stage `enrichments`."""
    rows = []
    for s in history:
        found = enrich({"text": s.summary, "title": s.title, "language": "en", "source": s.type})
        rows.append({"source_id": s.id, "summary_spans": [{"start": a, "end": b} for a, b in found.spans]})
    span = pl.Struct({"start": pl.Int64, "end": pl.Int64})
    return pl.DataFrame(rows, schema={"source_id": pl.String, "summary_spans": pl.List(span)})


def summarised(history: list[Said], until: float, *, previous: pl.DataFrame | None = None, **more: Any) -> Summaries:
    """Build the summaries of the snapshot of a history."""
    found, attached = lines(history, until)
    macros = build_macros(found, known(history), now=day(until), settings=SETTINGS)
    before = pl.DataFrame(SUMMARIES.empty_table()) if previous is None else previous
    return build_summaries(found, attached, macros, texts(history), enrichments(history), before, **more)
