"""Detection of sources that repeat another one, as each monthly export of a chat and a second mailbox do.

What is said once would otherwise count as said in two sources. A source is a copy if another of its type and time has
the same text; if the text goes on behind the other's last line, as that of a chat that grew, that first part is one.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import polars as pl

from brain_retrieval.ids import content_id
from brain_retrieval.stores.memory_tables import ECHOES

LEAST = 20  # characters; shorter texts are alike by chance

_Row = dict[str, Any]


def find_copies(texts: pl.DataFrame) -> pl.DataFrame:
    """Return ECHOES: of two sources with the same text or beginning, that part of the one that was received later.

    What was received first stays, so that it was known at every moment at which the copy was.

    Args:
        texts: source_id, source_type, text, event_at, received_at.
    """
    often = pl.len().over("source_type", "event_at") > 1
    alike = texts.filter(often, pl.col("text").str.len_chars() >= LEAST)
    ordered = alike.sort("source_type", "event_at", "text", "received_at", "source_id")
    rows: dict[str, tuple[Any, ...]] = {}
    for _, group in groupby(ordered.iter_rows(named=True), key=lambda row: (row["source_type"], row["event_at"])):
        for shorter, longer in _repeating(group):
            first, later = sorted((shorter, longer), key=lambda row: (row["received_at"], row["source_id"]))
            end = len(shorter["text"].rstrip())
            key = content_id("echo", later["source_id"], 0, end)
            rows.setdefault(key, (key, later["source_id"], 0, end, first["source_id"], 1.0))
    schema = pl.DataFrame(ECHOES.empty_table()).schema
    return pl.DataFrame(list(rows.values()), schema=schema, orient="row").sort("echo_id")


def _repeating(group: Iterator[_Row]) -> Iterator[tuple[_Row, _Row]]:
    """Yield each pair of which the second has the text of the first, alone or with more lines behind it.

    Of equal texts only the first is compared with what follows, so that many take no longer than their number.

    Args:
        group: rows in the order of their texts, in which a text stands behind all that it begins with.
    """
    begun: list[_Row] = []
    for row in group:
        while begun and not _goes_on(begun[-1]["text"], row["text"]):
            begun.pop()
        yield from ((shorter, row) for shorter in begun)
        if not begun or begun[-1]["text"].rstrip() != row["text"].rstrip():
            begun.append(row)


def _goes_on(text: str, longer: str) -> bool:
    whole = text.rstrip()
    return longer.startswith(whole) and longer[len(whole) : len(whole) + 1] in {"", "\n"}
