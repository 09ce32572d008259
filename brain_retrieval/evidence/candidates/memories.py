"""Memories as statements: those about the words of a claim, and those whose evidence lies in the passages found.

A memory knows what a sentence alone does not: who its pronouns stand for, its dates, and what has ended it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

from brain_retrieval.evidence.candidates.passages import said_before
from brain_retrieval.evidence.candidates.statement import CURRENT, ENDED, OUTDATED, EndedBy, Statement, rank_score
from brain_retrieval.evidence.claims.claim import When
from brain_retrieval.knowledge.memories.endings import Ender, Endings, Moment, inside
from brain_retrieval.knowledge.memories.seen import UPCOMING
from brain_retrieval.knowledge.memories.supersession import SURE
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.query.hits import Clocks, Hit
from brain_retrieval.query.temporal.user_memories import endings_at

MOST = 60  # memories about one query
Row = Mapping[str, Any]
_DATED = ("date", "month", "year")


class MemoryStatements:
    """The memories of one user as statements at a time."""

    def __init__(self, knowledge: Knowledge, *, at: datetime, known_at: datetime | None) -> None:
        """Read the memories of `knowledge` as they were `at` a time, from what was received by `known_at`."""
        self._knowledge, self._at, self._known_at = knowledge, at, known_at

    def about(self, query: str) -> list[Statement]:
        """Return the memories that match words, the best match first."""
        reader = self._knowledge.memory_reader
        seen = sorted(reader.seen(query, at=self._at), key=lambda one: -one.score)[:MOST]
        enders = reader.rows_by_id({ending.memory_id for one in seen for ending in one.ended_by})
        found = []
        for rank, one in enumerate(seen):
            by = [ending for ending in one.ended_by if ending.memory_id in enders]
            first = min(
                by, key=lambda e: (not e.sure, enders[e.memory_id]["effective_from"], e.memory_id), default=None
            )
            ended_by = None if first is None else _ended_by(enders[first.memory_id], first.kind, first.sure)
            status = one.status if one.status in (ENDED, OUTDATED, UPCOMING) else CURRENT
            found.append(statement_of(one.row, status, ended_by, score=rank_score(rank)))
        return found

    def inside(self, hits: Iterable[Hit]) -> dict[tuple[str, int, int], Statement]:
        """Return the memories whose evidence lies in passages, by their places."""
        if self._judged is None:
            return {}
        endings, moment = self._judged
        found: dict[tuple[str, int, int], Statement] = {}
        for rank, hit in enumerate(hits):
            ref = hit.source_ref
            rows = [row for row in inside(endings.index, ref.source_id, *ref.span).tolist() if moment.counts(row)]
            for row, facet in zip(rows, endings.facets(rows), strict=True):
                if not endings.begun(row, moment):
                    continue
                statement = self._statement(facet.row, endings.of(row, moment), endings, rank_score(rank))
                before = said_before(hit, statement.span[0], statement.text, None)
                statement = replace(statement, context=f"{statement.context} {before}".strip())
                found[statement.key] = statement
        return found

    def _statement(self, row: Row, enders: Sequence[Ender], endings: Endings, score: float) -> Statement:
        sure = [one for one in enders if one.sure]
        first = min(sure or enders, key=lambda one: (one.since, one.row), default=None)
        ended_by = None if first is None else _ended_by(endings.facet(first.row).row, first.rule, first.rule in SURE)
        over = row["valid_to"] is not None and row["valid_to"] <= self._at
        status = ENDED if over or sure else OUTDATED if enders else CURRENT
        status = UPCOMING if status == CURRENT and row["effective_from"] > self._at else status
        return statement_of(row, status, ended_by, score=score)

    @cached_property
    def _judged(self) -> tuple[Endings, Moment] | None:
        return endings_at(self._knowledge.space, Clocks(self._at, self._known_at))


def statement_of(row: Row, status: str, ended_by: EndedBy | None, *, score: float = 0.0) -> Statement:
    """Return a row of MEMORIES as a statement."""
    names = " ".join(entity["name"] for entity in row["entities"] or ())
    slot = " ".join(row[key] or "" for key in ("slot_subject", "slot_value"))
    return Statement(
        text=row["text"],
        origin="memory",
        source_id=row["source_id"],
        source=row["source"],
        uri=row["uri"],
        span=(row["start"], row["end"]),
        said_at=row["said_at"],
        received_at=row["received_at"],
        day=row["day"],
        context=f"{names} {slot}".strip(),
        speaker=row["speaker"],
        trust=row["trust"],
        modality=row["modality"],
        status=status,
        ended_by=ended_by,
        valid_to=row["valid_to"],
        whens=tuple(when for value in row["values"] or () if (when := _when(value)) is not None),
        memory_id=row["memory_id"],
        score=score,
    )


def _ended_by(row: Row, rule: str, sure: bool) -> EndedBy:
    return EndedBy(row["text"], row["uri"], (row["start"], row["end"]), row["effective_from"], rule, sure)


def _when(value: Mapping[str, str]) -> When | None:
    if value["dimension"] not in _DATED:
        return None
    parts = value["value"][:10].split("-")
    if not all(part.isdecimal() for part in parts):
        return None
    year, month, day, *_ = [*map(int, parts), None, None]
    return When(year, month, day)
