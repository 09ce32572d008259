"""Storylines and macros of a snapshot as records, with their descriptions, citations and strengths."""

from typing import Any

import polars as pl

from brain_retrieval.knowledge.cards import Sentence, StorylineCard, StoryPart
from brain_retrieval.knowledge.opened import Opened


def storyline_cards(knowledge: Opened, anchor: str | None = None, *, open_only: bool = False) -> list[StorylineCard]:
    """Return macros, then storylines, newest first: those of one anchor, by its id, or only open ones."""
    storylines, macros = knowledge.table("storylines"), knowledge.table("macros")
    if anchor is not None:
        storylines = storylines.filter(pl.col("anchor_id") == anchor)
        macros = macros.filter(pl.col("anchor_id") == anchor)
    if open_only:
        storylines = storylines.filter("open")
    newest_first = storylines.sort(["last_source_at", "storyline_id"], descending=[True, False])
    cards = [_macro(knowledge, row) for row in macros.sort("last_event_at", descending=True).iter_rows(named=True)]
    return cards + [_storyline(knowledge, row) for row in newest_first.iter_rows(named=True)]


def _storyline(knowledge: Opened, row: dict[str, Any]) -> StorylineCard:
    members = knowledge.table("storyline_sources").filter(pl.col("storyline_id") == row["storyline_id"])
    return StorylineCard(
        id=row["storyline_id"],
        level="storyline",
        open=row["open"],
        source_count=row["source_count"],
        distinct_days=row["distinct_days"],
        last_event_at=row["last_source_at"],
        sources=tuple(knowledge.mentioned(members.select("source_id"), newest_first=False)),
        **_described(knowledge, row, row["storyline_id"]),
    )


def _macro(knowledge: Opened, row: dict[str, Any]) -> StorylineCard:
    parts = knowledge.table("storylines").filter(pl.col("storyline_id").is_in(row["storyline_ids"]))
    return StorylineCard(
        id=row["macro_id"],
        level="macro",
        open=bool(parts["open"].any()),
        source_count=row["total_source_count"],
        distinct_days=int(parts["distinct_days"].sum()),
        last_event_at=row["last_event_at"],
        storyline_ids=tuple(row["storyline_ids"]),
        **_described(knowledge, row, row["macro_id"]),
    )


def _described(knowledge: Opened, row: dict[str, Any], item_id: str) -> dict[str, Any]:
    stored = knowledge.table("summaries").filter(pl.col("item_id") == item_id).to_dicts()
    summary = stored[0] if stored else {"description": "", "method": "extractive", "citations": [], "parts": []}
    uris = dict(knowledge.sources.select("source_id", "uri").iter_rows())
    cited = tuple(
        Sentence(c["source_id"], uris.get(c["source_id"], ""), (c["start"], c["end"])) for c in summary["citations"]
    )
    strength = knowledge.strength(item_id)
    return {
        **{name: row[name] for name in ("anchor_id", "anchor", "name", "started_at", "team")},
        "description": summary["description"],
        "method": summary["method"],
        "citations": cited,
        "parts": tuple(StoryPart(**part) for part in summary["parts"] or ()),
        "state": strength["state"],
        "salience": strength["salience"],
    }
