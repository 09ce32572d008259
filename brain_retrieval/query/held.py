"""Search of what is held back: the texts of sources that are not trusted, only when asked for, each marked as such.

It is a scan, not an index: the texts are in no search index, so the newest are read and compared by words, within
bounds. A passage's score is the share of the question's words that it holds, rare ones counting more.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from brain_retrieval.errors import StoreError
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.held_hit import HeldHit
from brain_retrieval.schemas.names import HELD
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.lake import Lake

MOST_CHARS = 8_000_000  # of all texts together; two to three seconds
PASSAGE = 800  # characters
LEAST = 0.3  # of the score
Row = dict[str, Any]
_COLUMNS = ["source_id", "source", "uri", "day", "title", "url", "event_at", "received_at", "trust", "text"]


def search_held(lake: Lake, words: str, within: IndexFilter, limit: int, warnings: list[str]) -> tuple[HeldHit, ...]:
    """Return the best passages of up to `limit` sources that are not trusted, best first, one of each source.

    Args:
        words: of the question.
        within: the filter of the search; nothing that is held back has speakers.
        warnings: says if not all texts were looked at.
    """
    wanted = set(content_words(words))
    if not wanted or within.speakers is not None or within.titles is not None:
        return ()
    found = [(row, own) for row in _rows(lake, within, warnings) if (own := wanted.intersection(_words(row)))]
    held = Counter(word for _, own in found for word in own)
    weights = {word: math.log(1 + (1 + len(found)) / (1 + held[word])) for word in wanted}
    best = [one for row, _ in found if (one := _best_passage(row, weights)) is not None]
    best.sort(key=lambda one: (-one[0], one[1]["source_id"]))
    return tuple(_hit(rank, *one) for rank, one in enumerate(best[:limit], start=1))


def _rows(lake: Lake, within: IndexFilter, warnings: list[str]) -> Iterator[Row]:
    """Yield the rows that the filter lets pass, of the newest days first, until their texts reach the limit."""
    catalog: Catalog = lake.catalog
    left = MOST_CHARS
    for file in sorted(catalog.lake_files(HELD), key=lambda one: (one.day, one.source), reverse=True):
        if not _is_within(file.source, file.day, within):
            continue
        if left <= 0:
            warnings.append("not all of what is held back was looked at: it is too much; name days or source types")
            return
        try:
            rows = lake.read(HELD, source=file.source, days=[file.day], columns=_COLUMNS).to_pylist()
        except StoreError as error:
            warnings.append(f"some of what is held back was not looked at: {error}")
            continue
        for row in rows:
            left -= len(row["text"])
            if _passes(row, within):
                yield row


def _is_within(source: str, day: str, within: IndexFilter) -> bool:
    if (
        within.sources is not None
        and source not in within.sources
        or within.days is not None
        and day not in within.days
    ):
        return False
    return (within.day_from or "") <= day <= (within.day_to or "9999-12-31")


def _passes(row: Row, within: IndexFilter) -> bool:
    if within.source_ids is not None and row["source_id"] not in within.source_ids:
        return False
    if within.as_of is not None and row["event_at"] > within.as_of:
        return False
    return within.known_at is None or row["received_at"] <= within.known_at


def _words(row: Row) -> set[str]:
    return set(content_words(f"{row['title']}\n{row['text']}"))


def _best_passage(row: Row, weights: dict[str, float]) -> tuple[float, Row, tuple[int, int]] | None:
    """Return (score, row, span) of the best passage of a row; the words of its title count for each."""
    total = sum(weights.values())
    title, best, span = set(content_words(row["title"])), 0.0, (0, 0)
    for start, end in _passages(row["text"]):
        own = title | set(content_words(row["text"][start:end]))
        score = sum(weight for word, weight in weights.items() if word in own) / total
        if score > best:
            best, span = score, (start, end)
    return (best, row, span) if best >= LEAST else None


def _passages(text: str) -> Iterator[tuple[int, int]]:
    """Yield spans of whole lines of about `PASSAGE` characters; a longer line is cut."""
    start = 0
    while start < len(text):
        end = min(len(text), start + PASSAGE)
        if end < len(text) and (cut := max(text.rfind("\n", start, end), text.rfind(". ", start, end) + 1)) > start:
            end = cut
        yield start, end
        start = end


def _hit(rank: int, score: float, row: Row, span: tuple[int, int]) -> HeldHit:
    shown = {name: row[name] for name in _COLUMNS if name not in ("day", "text")}
    return HeldHit(rank=rank, score=score, text=row["text"][span[0] : span[1]].strip(), span=span, **shown)
