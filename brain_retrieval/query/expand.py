"""The turns around a hit: what was said just before and after in the same conversation. Ranking is not touched.

A question and its answer are often two messages, and only one of them holds the words that were sought.
"""

from collections.abc import Sequence

from brain_retrieval.query.arms import COLUMNS, Row
from brain_retrieval.query.hits import Neighbour, source_ref
from brain_retrieval.stores.filters import both, quote
from brain_retrieval.stores.index import Index

MAX_EXPANDED = 50  # hits; further down nobody reads, and the WHERE text would grow without bound


def neighbours_of(
    index: Index, rows: Sequence[Row], *, reach: int, where: str | None
) -> dict[str, tuple[Neighbour, ...]]:
    """Return id -> the chunks up to `reach` places away in the same conversation, in order.

    Chunks that are themselves among `rows` are left out: they are hits already. `where` is the scope of the
    search, so a neighbour never shows what the question may not see.
    """
    wanted = [row for row in rows if row["speakers"] or row["message_ids"]][:MAX_EXPANDED]
    if not wanted or reach < 1:
        return {}
    known = {row["id"] for row in rows}
    found = index.rows(where=both(where, _places(wanted, reach)), columns=COLUMNS).to_pylist()
    at = {(row["source_id"], row["position"]): row for row in found if row["id"] not in known}
    return {row["id"]: _around(row, at, reach) for row in wanted}


def _around(row: Row, at: dict[tuple[str, int], Row], reach: int) -> tuple[Neighbour, ...]:
    places = [(offset, at.get((row["source_id"], row["position"] + offset))) for offset in range(-reach, reach + 1)]
    return tuple(Neighbour(offset, found["text"], source_ref(found)) for offset, found in places if found)


def _places(rows: Sequence[Row], reach: int) -> str:
    return " OR ".join(
        f"(source_id = {quote(row['source_id'])}"
        f" AND position BETWEEN {int(row['position']) - reach} AND {int(row['position']) + reach})"
        for row in rows
    )
