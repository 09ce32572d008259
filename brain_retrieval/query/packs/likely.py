"""Whether the passages found are worth a place in a pack: none of them is if even the best is probably no answer."""

from brain_retrieval.query.analysis.any_time import only_time
from brain_retrieval.query.hits import SearchResult

# Probability of the best passage below which a pack stays empty: of such hits one in seventy is relevant.
LEAST_SCORE = 0.02


def if_likely(found: SearchResult) -> SearchResult:
    """Return what a search has found, or nothing with the nearest passage if none is likely to be an answer.

    All that is of a time is an answer where nothing but that time is asked for.
    """
    question = found.question
    if not found or (question is not None and only_time(question)):
        return found
    if max(hit.score for hit in found) >= LEAST_SCORE:
        return found
    warnings, nearest = found.warnings, found.nearest or found[0]
    nothing = SearchResult(warnings=warnings, timings=found.timings, nearest=nearest, failure=found.failure)
    nothing.question = question
    return nothing
