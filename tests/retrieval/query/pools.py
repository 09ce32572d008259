"""Candidates and feature pools of a few hand-written passages, for the tests of ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from brain_retrieval.query.analysis import DateMention, Question
from brain_retrieval.query.candidates import COLUMNS, Candidates, joined
from brain_retrieval.query.features.pool import Pool
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.found import Found

DAY = "2026-01-05"
Row = dict[str, Any]
Rows = Mapping[str, Row]


@dataclass(frozen=True)
class Result:
    """What one retriever returned, id -> raw score, best first, and the scores it gave to passages of another one."""

    name: str
    retrieved: Mapping[str, float]
    others: Mapping[str, float] = field(default_factory=dict)


def place(source_id: str, position: int, day: str = DAY, **details: Any) -> Row:
    """Return a passage in its place, without a text unless `details` has one."""
    known: Row = {"received_at": datetime(2026, 3, 1, tzinfo=UTC), "ttl_policy": None}
    known |= {"event_at": datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC)}
    known |= {"source": "note", "title": "", "speakers": [], "text": "", "start": 0, "end": 1}
    return {**known, "source_id": source_id, "position": position, "day": day, **details}


def table_of(rows: Rows, ids: Sequence[str]) -> pa.Table:
    """Return the passages of `ids` as an index returns them."""
    schema = pa.schema([index_schema(2).field(name) for name in COLUMNS])
    return pa.Table.from_pylist([{**rows[key], "id": key} for key in ids], schema=schema)


def candidates_of(rows: Rows, *results: Result) -> Candidates:
    """Return what the retrievers found together."""
    found = [(r.name, Found(table_of(rows, list(r.retrieved)), np.array([*r.retrieved.values()]))) for r in results]
    scored = {
        r.name: {o.name: np.array([r.others.get(key, np.nan) for key in o.retrieved]) for o in results if o is not r}
        for r in results
        if r.others
    }
    return joined(found, scored)


def asking(*dates: DateMention, text: str = "When?", words: str = "when", **parts: Any) -> Question:
    """Return an analysed question; `parts` are further fields of it."""
    return Question(text, words, dates, (), **parts)


def pool_of(
    rows: Rows, fused: Sequence[float] | None = None, question: Question | None = None, weights: tuple[float, ...] = ()
) -> Pool:
    """Return a pool of all `rows`, in their order, with these fused scores."""
    found = candidates_of(rows, Result("lexical", dict.fromkeys(rows, 1.0)))
    scores = np.array(fused if fused is not None else [0.5] * len(rows), dtype=np.float64)
    return Pool(question or asking(), found, {}, scores, weights)


def texts(*written: str, titles: Sequence[str] = ()) -> dict[str, Row]:
    """Return one passage a text, "p0", "p1", …, each of a source of its own."""
    named = [*titles, *[""] * (len(written) - len(titles))]
    return {
        f"p{n}": place(f"s{n}", 0, text=text, title=title)
        for n, (text, title) in enumerate(zip(written, named, strict=True))
    }
