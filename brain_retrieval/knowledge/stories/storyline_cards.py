"""Storylines and macros of a snapshot as records, with their descriptions, citations and strengths."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import polars as pl

from brain_retrieval.knowledge.cards import Mentioned, Sentence, StorylineCard, StoryPart
from brain_retrieval.knowledge.opened import Opened

_NO_SUMMARY: dict[str, Any] = {"description": "", "method": "extractive", "citations": [], "parts": []}


def storyline_cards(knowledge: Opened, anchor: str | None = None, *, open_only: bool = False) -> list[StorylineCard]:
    """Return macros, then storylines, newest first: those of one anchor, by its id, or only open ones."""
    storylines, macros = knowledge.table("storylines"), knowledge.table("macros")
    if anchor is not None:
        storylines = storylines.filter(pl.col("anchor_id") == anchor)
        macros = macros.filter(pl.col("anchor_id") == anchor)
    if open_only:
        storylines = storylines.filter("open")
    newest_first = storylines.sort(["last_source_at", "storyline_id"], descending=[True, False])
    own = macros.sort("last_event_at", descending=True).to_dicts()
    parts = newest_first.to_dicts()
    found = _Parts(knowledge, [row["macro_id"] for row in own], [row["storyline_id"] for row in parts])
    return [found.macro(row) for row in own] + [found.storyline(row) for row in parts]


class _Parts:
    """What the cards of some macros and storylines are made of; each table is read once for all of them."""

    def __init__(self, knowledge: Opened, macros: Collection[str], storylines: Collection[str]) -> None:
        ids = [*macros, *storylines]
        stored = knowledge.table("summaries").filter(pl.col("item_id").is_in(ids)).to_dicts()
        self._summaries = {row["item_id"]: row for row in reversed(stored)}
        self._uris = dict(knowledge.sources.select("source_id", "uri").iter_rows()) if ids else {}
        self._strengths = knowledge.strengths(ids) if ids else {}
        self._members = _members(knowledge, storylines) if storylines else {}
        columns = ("storyline_id", "open", "distinct_days")
        every = knowledge.table("storylines").select(columns).iter_rows() if macros else ()
        self._every = {key: (is_open, days) for key, is_open, days in every}

    def storyline(self, row: dict[str, Any]) -> StorylineCard:
        return StorylineCard(
            id=row["storyline_id"],
            level="storyline",
            open=row["open"],
            source_count=row["source_count"],
            distinct_days=row["distinct_days"],
            last_event_at=row["last_source_at"],
            sources=tuple(self._members.get(row["storyline_id"], ())),
            **self._described(row, row["storyline_id"]),
        )

    def macro(self, row: dict[str, Any]) -> StorylineCard:
        parts = [self._every[key] for key in dict.fromkeys(row["storyline_ids"]) if key in self._every]
        return StorylineCard(
            id=row["macro_id"],
            level="macro",
            open=any(is_open for is_open, _ in parts),
            source_count=row["total_source_count"],
            distinct_days=sum(days for _, days in parts),
            last_event_at=row["last_event_at"],
            storyline_ids=tuple(row["storyline_ids"]),
            **self._described(row, row["macro_id"]),
        )

    def _described(self, row: dict[str, Any], item_id: str) -> dict[str, Any]:
        summary, strength = self._summaries.get(item_id, _NO_SUMMARY), self._strengths[item_id]
        cited = tuple(
            Sentence(c["source_id"], self._uris.get(c["source_id"], ""), (c["start"], c["end"]))
            for c in summary["citations"]
        )
        return {
            **{name: row[name] for name in ("anchor_id", "anchor", "name", "started_at", "team")},
            "description": summary["description"],
            "method": summary["method"],
            "citations": cited,
            "parts": tuple(StoryPart(**part) for part in summary["parts"] or ()),
            "state": strength["state"],
            "salience": strength["salience"],
        }


def _members(knowledge: Opened, storylines: Collection[str]) -> dict[str, list[Mentioned]]:
    """Return the sources of each storyline, in order of time."""
    members = knowledge.table("storyline_sources").filter(pl.col("storyline_id").is_in(list(storylines)))
    sources = knowledge.mentioned(members.select("source_id").unique(), newest_first=False)
    of = defaultdict[str, set[str]](set)
    for storyline_id, source_id in members.select("storyline_id", "source_id").iter_rows():
        of[source_id].add(storyline_id)
    found = defaultdict[str, list[Mentioned]](list)
    for source in sources:
        for storyline_id in of[source.source_id]:
            found[storyline_id].append(source)
    return found
