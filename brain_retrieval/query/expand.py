"""Loading of full rows for ranked ids, with neighbouring turns for conversations. The ranking does not change.

A question and its answer are often two messages, and only one of them contains the query's words.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from brain_retrieval.query.hits import Clocks, Hit, Neighbour, WhyRanked, source_ref, temporal_context
from brain_retrieval.stores.index.filters import IndexFilter, Stretch
from brain_retrieval.stores.index.protocol import SearchIndex

Row = dict[str, Any]

MAX_EXPANDED = 50  # hits that get neighbours; bounds the size of the query
_COLUMNS = """
    box start_seconds end_seconds cells url fetched_at parent_id
    id source_id source uri day event_at received_at title position start end text section page message_ids
    speakers time
"""
COLUMNS = _COLUMNS.split()


def read_hits(
    index: SearchIndex,
    candidates: Sequence[Row],
    *,
    reach: int,
    within: IndexFilter,
    choose: Callable[[list[Row]], Collection[str]] | None = None,
) -> list[tuple[Row, tuple[Neighbour, ...]]]:
    """Return the full row of each candidate, in order, with the chunks up to `reach` positions before and after.

    One query to the store for all. `choose` returns the ids of those to keep, of the full rows in order. Chunks that
    are kept are not repeated as neighbours.
    `within` is the filter of the search, so a neighbour is never outside the scope. A candidate that was
    deleted in the meantime is left out.
    """
    if not candidates:
        return []
    ids = [row["id"] for row in candidates]
    around = [_around(row, reach) for row in candidates[:MAX_EXPANDED] if reach > 0]
    found = index.fetch(ids, stretches=around, within=within, columns=COLUMNS).to_pylist()
    by_id = {row["id"]: row for row in found}
    rows = [by_id[key] for key in ids if key in by_id]
    known = {row["id"] for row in rows} if choose is None else set(choose(rows))
    beside = {(row["source_id"], row["position"]): row for row in found if row["id"] not in known}
    return [(row, _neighbours(row, beside, reach)) for row in rows if row["id"] in known]


def to_hits(
    rows: Iterable[tuple[Row, tuple[Neighbour, ...]]], reasons: Mapping[str, tuple[float, WhyRanked]], clocks: Clocks
) -> list[Hit]:
    """Return the rows of `read_hits` as hits, ranked from 1; `reasons` is chunk id -> score and its breakdown."""
    return [
        Hit(
            rank=place,
            score=reasons[row["id"]][0],
            text=row["text"],
            source_ref=source_ref(row),
            why_ranked=reasons[row["id"]][1],
            temporal_context=temporal_context(row, clocks),
            neighbours=neighbours,
        )
        for place, (row, neighbours) in enumerate(rows, start=1)
    ]


def _neighbours(row: Row, beside: dict[tuple[str, int], Row], reach: int) -> tuple[Neighbour, ...]:
    if not (row["speakers"] or row["message_ids"]):  # not a conversation
        return ()
    places = [(offset, beside.get((row["source_id"], row["position"] + offset))) for offset in range(-reach, reach + 1)]
    return tuple(Neighbour(offset, found["text"], source_ref(found)) for offset, found in places if found)


def _around(row: Row, reach: int) -> Stretch:
    return Stretch(row["source_id"], row["position"] - reach, row["position"] + reach)
