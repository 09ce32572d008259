"""The retrievers of a search, lexical (BM25) and vector (cosine); each may fail without the other.

A retriever returns rows within the filter, best first, with raw scores. Fusion is in `fusion.py`, the final order in
`ranking.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from brain_retrieval.errors import BrainError, StoreError, UnusableHomeError, home_error
from brain_retrieval.extras import MissingExtraError
from brain_retrieval.knowledge.memory_states import source_expired
from brain_retrieval.language.titles import title_forms
from brain_retrieval.query.analysis import QuestionTime
from brain_retrieval.query.candidates import COLUMNS, Candidates, joined
from brain_retrieval.query.features.dates import MONTH
from brain_retrieval.stores.index.filters import IndexFilter, Stretch
from brain_retrieval.stores.index.found import Found
from brain_retrieval.stores.index.index_rows import cosines
from brain_retrieval.stores.index.protocol import SearchIndex

T = TypeVar("T")

NAMING = 5  # first passages of each retriever whose names are looked up
MOST_NAMED = 50
MOST_DATED = 30
FIRST = 10  # passages of each retriever beside which others are looked at
MOST_BESIDE = 200
BESIDE = "beside"  # the name of what is found there


def retrieve_lexical(
    index: SearchIndex, words: str, within: IndexFilter, limit: int, *, now: datetime | None = None
) -> Found:
    """Return BM25 candidates with their vectors, so that scoring them densely needs no second query."""
    return unexpired(index.search_text(words, within=within, limit=limit, columns=[*COLUMNS, "vector"]), now)


def retrieve_by_vector(
    index: SearchIndex, vector: np.ndarray, within: IndexFilter, limit: int, *, now: datetime | None = None
) -> Found:
    """Return the nearest chunks by cosine."""
    return unexpired(index.search_vectors(vector, within=within, limit=limit, columns=COLUMNS), now)


def retrieve_named(
    index: SearchIndex,
    vector: np.ndarray,
    question: str,
    first: Sequence[Found],
    within: IndexFilter,
    *,
    now: datetime | None = None,
) -> Found | None:
    """Return chunks of sources whose title stands in the question or in a first passage; None if nothing is named.

    The second fact that a question needs is often in a page that only the first passage names. Titles are compared
    as written, without a qualifier in brackets.
    """
    texts = [question, *chain.from_iterable(found.best("text", NAMING) for found in first)]
    named = frozenset(form for text in texts for form in title_forms(text))
    titles = named if within.titles is None else named & frozenset(within.titles)
    if not titles:
        return None
    return retrieve_by_vector(index, vector, replace(within, titles=titles), MOST_NAMED, now=now)


def retrieve_dated(
    index: SearchIndex,
    vector: np.ndarray,
    asked: QuestionTime | None,
    within: IndexFilter,
    *,
    any_length: bool = False,
    now: datetime | None = None,
) -> Found | None:
    """Return the chunks of the days that the question names, a month at most, nearest first; None if it names none.

    With `any_length` a longer time counts, too: nothing else is asked for.

    What was said on a day often shares no word with a question about the day.
    """
    if asked is None or asked.start is None or asked.end is None:
        return None
    if not any_length and (asked.days or MONTH + 1) > MONTH:
        return None
    first, last = asked.start.isoformat(), asked.end.isoformat()
    first, last = max(first, within.day_from or first), min(last, within.day_to or last)
    if first > last:
        return None
    return retrieve_by_vector(index, vector, replace(within, day_from=first, day_to=last), MOST_DATED, now=now)


def retrieve_beside(
    index: SearchIndex,
    vector: np.ndarray,
    first: Sequence[Found],
    reach: int,
    within: IndexFilter,
    *,
    now: datetime | None = None,
) -> Found | None:
    """Return the chunks up to `reach` places before and after a first passage in its source; None without any.

    What answers a question is often said in words that the question does not have, right after what asks it.
    """
    stretches = set[Stretch]()
    for found in first:
        for source, place in zip(found.best("source_id", FIRST), found.best("position", FIRST), strict=True):
            stretches |= {Stretch(source, place - reach, place - 1), Stretch(source, place + 1, place + reach)}
    if not stretches:
        return None
    return retrieve_by_vector(index, vector, replace(within, stretches=stretches), MOST_BESIDE, now=now)


def gather(
    lexical: Found | None,
    nearest: Found | None,
    vector: np.ndarray | None,
    min_similarity: float | None = None,
    more: Mapping[str, Found] | None = None,
) -> Candidates:
    """Return the candidates of all retrievers; None is one that failed or was not run.

    What only the lexical retriever found gets its cosine with `vector`. `min_similarity` drops candidates that only
    the vector retriever found or that lie beside first passages, never those of the other one. `more` are found by
    title, by day and beside first passages, with cosines.
    """
    arms: list[tuple[str, Found]] = []
    cosines_of: dict[str, np.ndarray] = {}
    if lexical is not None:
        arms.append(("lexical", lexical))
    if nearest is not None and vector is not None:
        if min_similarity is not None:
            nearest = nearest.only(nearest.scores >= min_similarity)
        if lexical is not None and len(lexical):
            cosines_of["lexical"] = cosines(lexical.vectors(), vector)
        for name, found in (more or {}).items():
            if name == BESIDE and min_similarity is not None:
                found = found.only(found.scores >= min_similarity)
            if len(found):
                cosines_of[name] = found.scores
                arms.append((name, found))
        arms.append(("vector", nearest))
    found = joined(arms, {"vector": cosines_of} if cosines_of else {})
    return replace(
        found, arms={name: arm for name, arm in found.arms.items() if name != BESIDE}
    )  # it says nothing itself


def unexpired(found: Found, now: datetime | None) -> Found:
    """Drop the chunks of ephemeral sources that have expired by `now` (default: the present).

    There are few, so this is cheaper than a condition that the store would have to apply to all rows.
    """
    if found.is_empty("ttl_policy"):
        return found
    moment = now or datetime.now(UTC)
    pairs = zip(found.rows.column("ttl_policy").to_pylist(), found.rows.column("received_at").to_pylist(), strict=True)
    kept = np.array([not source_expired(policy, received, moment) for policy, received in pairs], dtype=bool)
    return found if kept.all() else found.only(kept)


def attempt(name: str, run: Callable[[], Any], warnings: list[str]) -> Any:
    """Return what `run` returns, or None with a warning: a failing store drops its retriever, never the query."""
    try:
        return run()
    except (MissingExtraError, UnusableHomeError):
        raise  # fails for every query, so a result without this retriever would hide a broken installation
    except Exception as error:
        if (unusable := home_error(error)) is not None:
            raise unusable from error
        reason = str(error) if isinstance(error, BrainError) else f"{type(error).__name__}: {str(error)[:200]}"
        warnings.append(f"the {name} retriever was left out: {reason}")
        return None


def within_seconds(running: Future[T], most: float) -> T:
    """Return the result of what runs in another thread, where it goes on if it takes longer than `most` seconds.

    Raises:
        StoreError: if it does.
    """
    try:
        return running.result(most)
    except TimeoutError as error:
        if running.done():  # it raised this itself
            raise
        raise StoreError(f"it took longer than {most:g} s; it may be there for the next search") from error
