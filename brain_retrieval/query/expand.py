"""From the ids that were ranked to whole rows, with the turns around those in conversations. Ranking is not touched.

A question and its answer are often two messages, and only one of them holds the words that were sought.
"""

from collections.abc import Iterable, Sequence

from brain_retrieval.query.hits import Clocks, Hit, Neighbour, source_ref, temporal_context
from brain_retrieval.query.ranking import Ranked
from brain_retrieval.query.retrievers import Row
from brain_retrieval.stores.index.filters import IndexFilter, Stretch
from brain_retrieval.stores.index.protocol import SearchIndex

MAX_EXPANDED = 50  # hits; further down few read, and the query would grow without bound
_COLUMNS = """
    box start_seconds end_seconds cells url fetched_at parent_id
    id source_id source uri day event_at received_at title position start end text section page message_ids
    speakers time
"""
COLUMNS = _COLUMNS.split()


def read_hits(
    index: SearchIndex, candidates: Sequence[Row], *, reach: int, within: IndexFilter
) -> list[tuple[Row, tuple[Neighbour, ...]]]:
    """Return the whole row of each candidate, in order, with the chunks up to `reach` places beside it.

    One visit to the store for all. Chunks that are candidates themselves are no neighbours: they are hits already.
    `within` is the scope of the search, so a neighbour never shows what the question may not see. A candidate
    that was deleted a moment ago is left out.
    """
    if not candidates:
        return []
    ids = [row["id"] for row in candidates]
    around = [_around(row, reach) for row in candidates[:MAX_EXPANDED] if reach > 0]
    found = index.fetch(ids, stretches=around, within=within, columns=COLUMNS).to_pylist()
    by_id = {row["id"]: row for row in found}
    known = set(ids)
    beside = {(row["source_id"], row["position"]): row for row in found if row["id"] not in known}
    return [(by_id[key], _neighbours(by_id[key], beside, reach)) for key in ids if key in by_id]


def to_hits(rows: Iterable[tuple[Row, tuple[Neighbour, ...]]], ranked: Iterable[Ranked], clocks: Clocks) -> list[Hit]:
    """Return the rows of `read_hits` as hits, numbered from 1, each with why it stands there."""
    reasons = {found.row["id"]: found.why for found in ranked}
    return [
        Hit(
            rank=place,
            score=reasons[row["id"]].final,
            text=row["text"],
            source_ref=source_ref(row),
            why_ranked=reasons[row["id"]],
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
