"""The order of hits by what holds: a passage with the current statement comes before those whose statement has ended.

    marked hits ─► the current passage moves up to the first ended one that it replaces ─► ranks and scores

A current passage that was not found is fetched. The other hits keep their order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from brain_retrieval.query.hits import Hit, WhyRanked

CURRENT = "current"  # the name among the boosts


def current_first(hits: Sequence[Hit], fetched: Sequence[Hit]) -> list[Hit]:
    """Return the hits so that no ended statement asked for comes before the passage that holds what is current.

    Args:
        hits: best first, with `temporal_context.superseded_by`.
        fetched: passages with current statements that are not among the hits; their scores are raised here.
    """
    holders = {hit.source_ref.chunk_id: found for hit in hits if (found := _holder(hit, [*hits, *fetched]))}
    return _raised(list(_ordered(hits, holders)))


def _holder(hit: Hit, passages: Sequence[Hit]) -> Hit | None:
    """Return the passage that holds instead of a hit: the first that contains the newer statement."""
    newer = hit.temporal_context.superseded_by
    if newer is None or not newer.asked:
        return None
    ref = newer.source_ref
    found = next((one for one in passages if contains(one, ref.source_id, ref.span)), None)
    return None if found is hit else found


def contains(hit: Hit, source_id: str, span: tuple[int, int]) -> bool:
    """Return whether a stretch of a source lies in a passage."""
    ref = hit.source_ref
    return ref.source_id == source_id and ref.span[0] <= span[0] and span[1] <= ref.span[1]


def _ordered(hits: Sequence[Hit], holders: Mapping[str, Hit]) -> Iterator[Hit]:
    """Yield each hit once, behind what holds instead of it."""
    seen: set[str] = set()
    for hit in hits:
        waiting = [hit]
        while (found := holders.get(waiting[-1].source_ref.chunk_id)) is not None and found not in waiting:
            waiting.append(found)
        for one in reversed(waiting):
            if one.source_ref.chunk_id not in seen:
                seen.add(one.source_ref.chunk_id)
                yield one


def _raised(ordered: Sequence[Hit]) -> list[Hit]:
    """Return the hits ranked from 1; one that moved up has at least the scores of those that it has passed."""
    raised: list[Hit] = []
    for hit in reversed(ordered):
        below = raised[-1] if raised else hit
        raised.append(_level(hit, below) if hit.why_ranked.final < below.why_ranked.final else hit)
    return [replace(hit, rank=place) for place, hit in enumerate(reversed(raised), start=1)]


def _level(hit: Hit, below: Hit) -> Hit:
    why, final = hit.why_ranked, below.why_ranked.final
    boosts = {**why.boosts, CURRENT: final - why.final}
    return replace(hit, score=max(hit.score, below.score), why_ranked=replace(why, boosts=boosts, final=final))


def unranked(method: str) -> WhyRanked:
    """Return the explanation of a passage that no retriever returned; its score is that of what it replaces."""
    return WhyRanked(arms={}, fusion=method, fused=0.0, neighbourhood=0.0, parent=0.0, boosts={}, final=0.0)
