"""`Searcher`: runs the retrievers over one user's open stores, ranks the candidates and reads the hits.

`Brain` is the public interface; this module imports the stores' libraries, so it is loaded when a home is opened.
"""

import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.embedding import embed_question
from brain_retrieval.query.expand import read_hits, to_hits
from brain_retrieval.query.hits import Hit, SearchResult, Timings
from brain_retrieval.query.ranking import Ranked, rank
from brain_retrieval.query.request import Options, Scope
from brain_retrieval.query.retrievers import ArmResult, attempt, retrieve_by_vector, retrieve_lexical
from brain_retrieval.query.source_card import SourceCard, read_card
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.requests import Requests, Wanted

if TYPE_CHECKING:
    import numpy as np

    from brain_retrieval.models.embedding.tokenizer import TokenCounter


class Searcher:
    """The open stores of one user or, with `reader`, of a team that `reader` is a member of. Thread-safe."""

    def __init__(self, space: Space, settings: Settings, *, reader: Space | None = None) -> None:
        self.space = space
        self.settings = settings
        self.catalog = Catalog(space)
        self._reader = reader
        self._indexes: dict[tuple[str, str, int], SearchIndex] = {}
        self._lock = threading.Lock()

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
        """Return the hits for an analysed question; `started` is its start as a `perf_counter` time."""
        warnings = list(question.warnings)
        if not question.searchable or (index := self.index(warnings)) is None:
            return SearchResult(warnings=warnings, timings=_timings(started, 0.0))
        results, embed_ms = self._run_retrievers(index, question, scope, options, warnings)
        ranked = rank(
            results,
            limit=options.limit,
            method=options.method,
            weights=options.weights,
            question=question,
            settings=self.settings.retrieval,
        )
        hits = self._hits(index, ranked, scope, options.expand, warnings)
        days = {found.row["source_id"]: found.row["day"] for found in ranked}
        shown = {hit.source_ref.source_id: hit.source_ref.source for hit in hits}
        self._ask_for(Wanted(self.space.user, source, days[key], key) for key, source in shown.items())
        return SearchResult(hits, warnings=warnings, timings=_timings(started, embed_ms))

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

    def _run_retrievers(
        self, index: SearchIndex, question: Question, scope: Scope, options: Options, warnings: list[str]
    ) -> tuple[list[ArmResult], float]:
        """Return the result of each retriever and the milliseconds of embedding; those of weight 0 are not run."""
        depth, within = max(options.limit, self.settings.retrieval.arm_depth), scope.within
        now = scope.clocks.known_at or datetime.now(UTC)
        results: list[ArmResult] = []
        others: dict[str, np.ndarray] = {}
        if options.weights.get("lexical"):
            found = attempt(
                "lexical", lambda: retrieve_lexical(index, question.words, within, depth, now=now), warnings
            )
            if found is not None:
                result, others = found
                results.append(result)
        embed_ms = 0.0
        if options.weights.get("vector"):
            started = time.perf_counter()
            vector = attempt("vector", lambda: embed_question(question.text, index, self.settings), warnings)
            embed_ms = (time.perf_counter() - started) * 1000
            floor = options.min_similarity
            if vector is not None:
                nearest = attempt(
                    "vector", lambda: retrieve_by_vector(index, vector, within, depth, others, floor, now=now), warnings
                )
                results.extend([nearest] if nearest is not None else [])
        return results, embed_ms

    def _ask_for(self, sources: Iterable[Wanted]) -> None:
        """Record which team sources the reader was shown; a failure to record does not fail the search."""
        if self._reader is not None:
            with suppress(StoreError, OSError), Requests(self._reader) as requests:
                requests.add(sources)

    def _hits(
        self, index: SearchIndex, ranked: list[Ranked], scope: Scope, expand: bool, warnings: list[str]
    ) -> list[Hit]:
        reach = self.settings.retrieval.neighbours if expand else 0
        candidates = [found.row for found in ranked]
        rows = attempt("index", lambda: read_hits(index, candidates, reach=reach, within=scope.within), warnings) or []
        return to_hits(rows, ranked, scope.clocks)


def _timings(started: float, embed_ms: float) -> Timings:
    return Timings(embed_ms, (time.perf_counter() - started) * 1000 - embed_ms)
