"""`Searcher`: runs the retrievers over one user's open stores, ranks the candidates and reads the hits.

`Brain` is the public interface; this module imports the stores' libraries, so it is loaded when a home is opened.
"""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.analysis.any_time import only_time
from brain_retrieval.query.analysis.named_filters import missing_sources, with_people
from brain_retrieval.query.ask.stated import may_be_stated
from brain_retrieval.query.candidates import Candidates
from brain_retrieval.query.duplicates import distinct
from brain_retrieval.query.embedding import embed_question
from brain_retrieval.query.expand import Row, read_hits, to_hits
from brain_retrieval.query.features.dates import inside
from brain_retrieval.query.held import search_held
from brain_retrieval.query.held_hit import HeldHit
from brain_retrieval.query.hits import Hit, SearchResult, Timings
from brain_retrieval.query.memory_retriever import in_memory, memories_arm
from brain_retrieval.query.question_reader import QuestionReader
from brain_retrieval.query.ranker.calibration import Calibration, calibration_of
from brain_retrieval.query.ranking import Ranked, rank
from brain_retrieval.query.request import Options, Scope
from brain_retrieval.query.retrievers import (
    BESIDE,
    attempt,
    gather,
    retrieve_beside,
    retrieve_by_vector,
    retrieve_dated,
    retrieve_lexical,
    retrieve_named,
    within_seconds,
)
from brain_retrieval.query.rewording.other_languages import better_answer
from brain_retrieval.query.source_card import SourceCard, read_card
from brain_retrieval.query.temporal.temporal import Temporal
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.found import Found
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.requests import Requests, Wanted

if TYPE_CHECKING:
    from brain_retrieval.models.embedding.tokenizer import TokenCounter


SLOW = 5.0  # seconds after which the memories are left out: the first search of a large home reads all of them
SPARE = 5  # candidates read beyond the limit, for those that repeat others


class Searcher:
    """The open stores of one user or, with `reader`, of a team that `reader` is a member of. Thread-safe."""

    def __init__(self, space: Space, settings: Settings, *, reader: Space | None = None) -> None:
        self.space = space
        self.settings = settings
        self.catalog = Catalog(space)
        self.questions = QuestionReader(space, settings, self.catalog)
        self._temporal = Temporal(space, settings, self.catalog)
        self._reader = reader
        self._indexes: dict[tuple[str, str, int], SearchIndex] = {}
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="retriever")

    def close(self) -> None:
        """Close the stores; the next call opens them again."""
        with self._lock:
            self._indexes.clear()
        self.catalog.close()

    def read_source(self, id_or_uri: str) -> SourceCard:
        """Return the metadata of one source."""
        card = read_card(Lake(self.space, self.catalog), id_or_uri)
        self._ask_for([Wanted(self.space.user, card.source, card.day, card.source_id)])
        return card

    def answer(self, question: Question, scope: Scope, options: Options, started: float) -> SearchResult:
        """Return the hits for an analysed question; `started` is its start as a `perf_counter` time.

        Where they are probably no answers, it is asked in other words; the result's `question` is the one answered.
        """
        found = self._answer(question, scope, options, started)
        if not question.searchable or found.failure or options.min_score is not None:
            return found
        others = self.questions.in_other_languages(question, now=scope.clocks.as_of)
        answer = partial(self._answer, scope=scope, options=options, started=started)
        return attempt("other languages", lambda: better_answer(found, others, answer), found.warnings) or found

    def _answer(self, question: Question, scope: Scope, options: Options, started: float) -> SearchResult:
        warnings = list(question.warnings)
        if not question.searchable:
            return SearchResult(warnings=warnings, timings=_timings(started, 0.0))
        if (index := self.index(warnings)) is None:
            return SearchResult(warnings=warnings, timings=_timings(started, 0.0), failure=warnings[-1])
        scope = attempt("filters", lambda: self._named(scope, warnings), warnings) or scope
        question = self._temporal.dated(question, scope, index, warnings)
        candidates, embed_ms = self.candidates(index, question, scope, options, warnings)
        failure = "" if candidates.arms or not warnings else f"nothing could be searched: {warnings[-1]}"
        # Cosines say how well anything fits; without the vector retriever there are none.
        judged = options.settings.trained and "vector" in candidates.arms
        calibration = calibration_of(index.model) if judged else None
        order = rank(
            candidates,
            method=options.method,
            weights=options.weights,
            question=question,
            settings=options.settings,
            calibration=calibration,
        )
        ranked = order.best(options.limit + SPARE)
        narrowed = scope.narrowed or _of_the_time(question, candidates, warnings)
        least = 0.0 if options.min_score is None and narrowed else options.min_score
        likely = above(ranked, least, calibration, len(candidates))
        if least is None and likely:
            stated = lambda: may_be_stated(question, order.texts(), self.questions.is_in_own_language)  # noqa: E731
            likely = [] if attempt("form of the answer", stated, warnings) is False else likely
        read = self._hits(index, candidates, likely or ranked[:1], scope, options, warnings)
        if len(candidates) and not read:
            failure = f"what was found could not be read: {warnings[-1]}" if warnings else ""
        hits = read if likely else []
        hits = self._temporal.apply(hits, question, scope, options, index, order, warnings)
        nearest = read[0] if read and not likely else None
        shown = {(hit.source_ref.source, hit.temporal_context.day, hit.source_ref.source_id) for hit in hits}
        self._ask_for(Wanted(self.space.user, *of_source) for of_source in sorted(shown))
        took = _timings(started, embed_ms)
        found = SearchResult(hits, warnings=warnings, timings=took, nearest=nearest, failure=failure)
        found.question = question
        return found

    def _named(self, scope: Scope, warnings: list[str]) -> Scope:
        """Return the scope with the speakers that its people are; warn of people and sources that are not there."""
        if scope.within.sources is not None:
            stored = {file.source for file in self.catalog.lake_files("chunks")}
            missing_sources(scope.within.sources, stored, warnings)
        names = self.questions.names
        if not scope.people or not (speakers := names.speakers()):
            return scope
        return with_people(scope, names.index(), speakers, warnings)

    def held(self, question: Question, scope: Scope, options: Options, warnings: list[str]) -> tuple[HeldHit, ...]:
        """Return what is found in sources that are not trusted; nothing of a team's, which its members decide on."""
        if self._reader is not None:
            return ()
        return search_held(Lake(self.space, self.catalog), question.text, scope.within, options.limit, warnings)

    def token_counter(self, warnings: list[str]) -> "TokenCounter":
        """Return the counter of the embedding model's tokenizer, or the approximate counter and a warning."""
        from brain_retrieval.models.embedding.tokenizer import ApproximateCounter, build_tokenizer

        chosen = self.settings
        counter = attempt(
            "tokenizer", lambda: build_tokenizer(chosen.embedding, models_dir=chosen.models_dir), warnings
        )
        return ApproximateCounter() if counter is None else counter

    def index(self, warnings: list[str]) -> SearchIndex | None:
        """Return the active index, opened once; None and a warning if nothing is indexed."""
        before = len(warnings)
        found = attempt("index", lambda: active_index(self.space, self.catalog), warnings)
        if found is None and len(warnings) == before:
            warnings.append(
                f"nothing is indexed for {self.space.user!r} yet; `brain ingest` or `brain rerun` does that"
            )
        if found is None:
            return None
        with self._lock:
            index = self._indexes.setdefault((found.store, found.model, found.dim), found)
        if not index.exists():
            warnings.append(f"the index of {index.model} is gone; `brain rerun --user {self.space.user}` rebuilds it")
            return None
        return index

    def candidates(
        self, index: SearchIndex, question: Question, scope: Scope, options: Options, warnings: list[str]
    ) -> tuple[Candidates, float]:
        """Return the candidates and the milliseconds of embedding; retrievers of weight 0 are not run."""
        depth, within = max(options.limit, options.settings.arm_depth), scope.within
        now = scope.clocks.known_at or datetime.now(UTC)
        lexical: Future[Any] | None = None
        if options.weights.get("lexical"):
            words = question.words
            lexical = self._threads.submit(lambda: retrieve_lexical(index, words, within, depth, now=now))
        vector, codes, nearest, embed_ms = None, None, None, 0.0
        if options.weights.get("vector"):
            started = time.perf_counter()
            embed = lambda: embed_question(question.text, index, self.settings, self.space)  # noqa: E731
            vector, codes = attempt("vector", embed, warnings) or (None, None)
            embed_ms = (time.perf_counter() - started) * 1000
            if vector is not None:
                near = lambda: retrieve_by_vector(index, vector, within, depth, now=now)  # noqa: E731
                nearest = attempt("vector", near, warnings)
        by_words = attempt("lexical", lexical.result, warnings) if lexical is not None else None
        first = [found for found in (by_words, nearest) if found is not None]
        more = {} if vector is None else _led_to(index, question, vector, first, within, options, now, warnings)
        found = replace(gather(by_words, nearest, vector, options.min_similarity, more), asked=codes)
        if vector is None or not options.settings.memory_weight:
            return found, embed_ms
        of_user = {"space": self.space, "model": index.model, "clocks": scope.clocks, "catalog": self.catalog}
        recall = lambda: memories_arm(found, vector, **of_user)  # noqa: E731
        if not in_memory(self.space, self.catalog):
            reading = self._threads.submit(recall)
            recall = lambda: within_seconds(reading, SLOW)  # noqa: E731
        arm = attempt("memories", recall, warnings)
        return (found if arm is None else found.with_arm(arm)), embed_ms

    def _ask_for(self, sources: Iterable[Wanted]) -> None:
        """Record which team sources the reader was shown; a failure to record does not fail the search."""
        if self._reader is not None:
            with suppress(StoreError, OSError), Requests(self._reader) as requests:
                requests.add(sources)

    def _hits(
        self,
        index: SearchIndex,
        candidates: Candidates,
        ranked: list[Ranked],
        scope: Scope,
        options: Options,
        warnings: list[str],
    ) -> list[Hit]:
        """Return the first distinct candidates up to the limit as hits, with their neighbouring turns."""
        reach = options.settings.neighbours if options.expand else 0
        places = np.fromiter((found.row for found in ranked), dtype=np.int64)
        rows = candidates.rows.select(["id", "source_id", "position"]).take(places).to_pylist()
        reasons = {row["id"]: (found.score, found.why) for row, found in zip(rows, ranked, strict=True)}

        def distinct_ids(full: list[Row]) -> set[str]:
            alone = to_hits([(row, ()) for row in full], reasons, scope.clocks)
            return {hit.source_ref.chunk_id for hit in distinct(alone, options.limit)}

        find = lambda: read_hits(index, rows, reach=reach, within=scope.within, choose=distinct_ids)  # noqa: E731
        return to_hits(attempt("index", find, warnings) or [], reasons, scope.clocks)


def _led_to(
    index: SearchIndex,
    question: Question,
    vector: np.ndarray,
    first: list[Found],
    within: IndexFilter,
    options: Options,
    now: datetime,
    warnings: list[str],
) -> dict[str, Found]:
    """Return what the question or the first passages of the retrievers lead to, by the name of how it was found."""
    ways: dict[str, Callable[[], Found | None]] = {}
    if options.settings.second_hop:
        ways["named"] = lambda: retrieve_named(index, vector, question.text, first, within, now=now)
    if question.time is not None:
        ways["dated"] = lambda: retrieve_dated(
            index, vector, question.time, within, any_length=only_time(question), now=now
        )
    if reach := options.settings.beside:
        ways[BESIDE] = lambda: retrieve_beside(index, vector, first, reach, within, now=now)
    found = {name: attempt(name, look, warnings) for name, look in ways.items()}
    return {name: one for name, one in found.items() if one is not None}


def _of_the_time(question: Question, candidates: Candidates, warnings: list[str]) -> bool:
    """Return whether nothing but a time is asked for and passages of it were found; warn if none were."""
    asked = question.time
    if asked is None or not len(candidates) or not only_time(question):
        return False
    found = bool(inside(candidates.days, asked).any())
    if not found:
        days = [day.isoformat() for day in (asked.start, asked.end) if day is not None]
        warnings.append(f"nothing found is of the time asked for, {' to '.join(dict.fromkeys(days))}")
    return found


def above(ranked: list[Ranked], least: float | None, calibration: Calibration | None, candidates: int) -> list[Ranked]:
    """Return those whose probability is at least `least`; by default all, if any of the candidates may be an answer."""
    if calibration is None:
        return ranked
    if least is not None:
        return [found for found in ranked if (found.probability or 0.0) >= least]
    return ranked if ranked and (ranked[0].answered or 0.0) >= calibration.least(candidates) else []


def _timings(started: float, embed_ms: float) -> Timings:
    return Timings(embed_ms, (time.perf_counter() - started) * 1000 - embed_ms)
