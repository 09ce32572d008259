"""`assemble`: a pack from the hits of a search, with the lines about what is known that the caller asked for."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from brain_retrieval.errors import BrainError
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.query.packs.build import build_context
from brain_retrieval.query.packs.known import Include, fit, known_items
from brain_retrieval.query.packs.pack import ContextPack, KnownItem
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_query import query as query_lake

if TYPE_CHECKING:
    from brain_retrieval.query.packs.build import Counter
    from brain_retrieval.query.searcher import Searcher

_BUCKETS = "SELECT source_id, bucket FROM enrichments WHERE source_id IN (SELECT unnest(?)) AND bucket IS NOT NULL"


def assemble(
    searcher: "Searcher",
    hits: SearchResult,
    query: str,
    *,
    max_tokens: int,
    include: Include,
    buckets: bool,
    at: datetime | None,
    known_at: datetime | None,
) -> ContextPack:
    """Return the pack of `hits` for a question, as of a time and as known at one."""
    warnings = list(hits.warnings)
    counter = searcher.token_counter(warnings)
    started = time.perf_counter()
    kept, dropped = _known(searcher, hits, query, max_tokens, include, counter, warnings, at, known_at)
    tags = _buckets(searcher, hits, warnings) if buckets else {}
    known_ms = (time.perf_counter() - started) * 1000
    return build_context(
        hits,
        max_tokens=max_tokens,
        counter=counter,
        question=query,
        warnings=warnings,
        known=kept,
        known_dropped=dropped,
        known_ms=known_ms,
        buckets=tags,
    )


def _known(
    searcher: "Searcher",
    hits: SearchResult,
    query: str,
    budget: int,
    include: Include,
    counter: "Counter",
    warnings: list[str],
    at: datetime | None,
    known_at: datetime | None,
) -> tuple[Sequence[KnownItem], Sequence[str]]:
    """Return the lines about what is known; a store that cannot be read is a warning."""
    if not include.kinds:
        return (), ()
    from brain_retrieval.knowledge.reader import Knowledge

    try:
        knowledge = Knowledge(searcher.space, searcher.settings, known_at=known_at, catalog=searcher.catalog)
        question = searcher.questions.read(query, now=at)
        found = known_items(knowledge, question, hits, include, at=at)
    except (BrainError, OSError) as error:
        warnings.append(f"what is known was left out: {error}")
        return (), ()
    return fit(found, budget, counter.count)


def _buckets(searcher: "Searcher", hits: SearchResult, warnings: list[str]) -> dict[str, str]:
    """Return source id -> bucket of the sources of the hits that have one."""
    wanted = sorted({hit.source_ref.source_id for hit in hits})
    try:
        rows = query_lake(Lake(searcher.space, searcher.catalog), _BUCKETS, [wanted]).to_pylist()
    except (BrainError, OSError) as error:
        warnings.append(f"buckets were left out: {error}")
        return {}
    return {row["source_id"]: row["bucket"] for row in rows}
