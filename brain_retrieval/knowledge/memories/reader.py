"""`MemoryReader`: the memories of one user, about a name or topic as of a time, or the most notable ones of all.

Memories are read from the lake and judged by the view (`view.py`); a snapshot only adds the names of an entity, the
salience of entities, and which agent output repeats retrieved text.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.display import (
    SHOWN,
    one_a_topic,
    rank_parts,
    rank_score,
    support_counts,
    worth_showing,
)
from brain_retrieval.knowledge.memories.matching import anchor_keys
from brain_retrieval.knowledge.memories.stored import outside_echoes, read_memories
from brain_retrieval.knowledge.memories.view import Seen, as_of

Row = Mapping[str, Any]


def _nothing(_name: str) -> Collection[str]:
    return ()


@dataclass(frozen=True)
class MemoryReader:
    """Reads memories. `names` returns all names of the entity a name belongs to, `salience` its strength."""

    space: Space
    known_at: datetime | None = None
    names: Callable[[str], Collection[str]] = _nothing
    salience: Callable[[str], float] = field(default=lambda _name: 0.0)
    echoes: Callable[[], pl.DataFrame | None] = field(default=lambda: None)

    def about(self, about: str, *, at: datetime | None = None, limit: int = SHOWN) -> list[MemoryCard]:
        """Return what is known about a name or topic as of a time: current memories first, then what ended.

        Args:
            about: a name, or words such as "launch date".
            at: the time asked about; now if not given.
            limit: of cards.
        """
        names = {about, *self.names(about)}
        keys = {key for name in names for key in anchor_keys(name)}
        rows = self._rows(keys, names)
        seen = as_of(rows, about, at=self._time(at), known_at=self.known_at, limit=limit, names=sorted(names))
        return self._cards(seen, support_counts(rows))

    def notable(self, *, at: datetime | None = None, limit: int = SHOWN) -> list[MemoryCard]:
        """Return the memories to show first: current, asserted, about named things, one for each topic."""
        rows, moment = self._rows(None, ()), self._time(at)
        support = support_counts(rows)
        ranked = []
        for one in as_of([row for row in rows if worth_showing(row)], None, at=moment, limit=len(rows)):
            if one.status == "current":
                parts = rank_parts(
                    one.row, at=moment, support=support[one.row["memory_id"]], salience=self._strength(one.row)
                )
                ranked.append((rank_score(parts), one.row["memory_id"], parts, one))
        ranked.sort(key=lambda entry: (-entry[0], entry[1]))
        best = {entry[1]: entry for entry in ranked}
        kept = [best[row["memory_id"]] for row in one_a_topic(entry[3].row for entry in ranked)][:limit]
        return [card_of(one, score=score, why=parts, support=support[key]) for score, key, parts, one in kept]

    def everything(self, about: str | None = None, *, at: datetime | None = None) -> list[MemoryCard]:
        """Return all memories, or all about a name or topic, in order of the time they hold from."""
        names = {about, *self.names(about)} if about else set()
        keys = {key for name in names for key in anchor_keys(name)} if about else None
        rows = self._rows(keys, names)
        options: dict[str, Any] = {"names": sorted(names)} if about else {}
        seen = as_of(rows, about, at=self._time(at), known_at=self.known_at, limit=len(rows), **options)
        ordered = sorted(seen, key=lambda one: (one.row["effective_from"], one.row["memory_id"]))
        return self._cards(ordered, support_counts(rows))

    def _rows(self, keys: Collection[str] | None, names: Collection[str]) -> list[dict[str, Any]]:
        rows = read_memories(self.space, keys=keys, names=names, until=self.known_at)
        echoes = self.echoes()
        return (rows if echoes is None else outside_echoes(rows, echoes)).to_dicts()

    def _time(self, at: datetime | None) -> datetime:
        return at or self.known_at or datetime.now(UTC)

    def _strength(self, row: Row) -> float:
        named = [entity["name"] for entity in row["entities"] or ()]
        return max((self.salience(name) for name in named), default=0.0)

    @staticmethod
    def _cards(seen: Iterable[Seen], support: Mapping[str, int]) -> list[MemoryCard]:
        return [card_of(one, support=support.get(one.row["memory_id"], 1)) for one in seen]


def card_of(
    seen: Seen, *, score: float | None = None, why: Mapping[str, float] | None = None, support: int = 1
) -> MemoryCard:
    """Return a memory of the view as a card."""
    row = seen.row
    return MemoryCard(
        memory_id=row["memory_id"],
        text=row["text"],
        kind=row["kind"],
        status=seen.status,
        effective_from=row["effective_from"],
        from_stated=row["from_stated"],
        valid_to=seen.ended_at or row["valid_to"],
        said_at=row["said_at"],
        received_at=row["received_at"],
        speaker=row["speaker"],
        polarity=row["polarity"],
        modality=row["modality"],
        keep=row["keep"],
        method=row["method"],
        entities=tuple(dict.fromkeys(entity["name"] for entity in row["entities"] or ())),
        values=_values(row["values"] or ()),
        ended_by=tuple(seen.ended_by),
        source_id=row["source_id"],
        uri=row["uri"],
        span=(row["start"], row["end"]),
        quote=row["evidence"],
        support=support,
        score=seen.score if score is None else score,
        why=seen.parts if why is None else why,
    )


def _values(values: Sequence[Mapping[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((value["dimension"], value["value"]) for value in values)
