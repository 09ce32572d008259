"""`Brain`: the one class people import. It opens a home as one user and answers questions from that user's stores.

How candidates are found, ordered and packed is query/'s; this module only connects the parts and degrades kindly.
"""

import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home, Space
from brain_retrieval.moments import Moment
from brain_retrieval.query.analysis import Question, analyse
from brain_retrieval.query.context import ContextPack, build_context
from brain_retrieval.query.embedding import embed_question
from brain_retrieval.query.expand import read_hits, to_hits
from brain_retrieval.query.hits import Hit, SearchResult, Timings
from brain_retrieval.query.ranking import Ranked, rank
from brain_retrieval.query.recall_recorder import Recorder
from brain_retrieval.query.request import Names, Options, Scope, build_options, build_scope
from brain_retrieval.query.retrievers import ArmResult, attempt, lexical_arm, vector_arm
from brain_retrieval.query.source_card import SourceCard, read_card
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.requests import Requests, Wanted
from brain_retrieval.teams import check_member

if TYPE_CHECKING:
    import numpy as np

    from brain_retrieval.knowledge.reader import Knowledge
    from brain_retrieval.models.embedding.tokenizer import TokenCounter

CONTEXT_HITS = 50  # candidates for a context pack; the budget decides how many are used


class Brain:
    """Search and context for one user. Reading only; safe to share between threads.

    >>> with Brain.open("data/home", user="alice") as brain:  # doctest: +SKIP
    ...     for hit in brain.search("who leads Phoenix?", k=3, as_of="2026-02-01"):
    ...         print(hit.score, hit.source_ref.uri, hit.text)
    """

    def __init__(self, space: Space, settings: Settings, *, reader: Space | None = None) -> None:
        self.space = space
        self._reader = reader  # a member of the team whose space this is; what it is shown, is asked for in its name
        self.settings = settings
        self._catalog = Catalog(space)
        self._recorder = Recorder(reader or space, enabled=settings.memory.log_access)
        self._indexes: dict[tuple[str, str, int], SearchIndex] = {}
        self._lock = threading.Lock()

    @classmethod
    def open(cls, home: str | Path, *, user: str, settings: Settings | None = None) -> Self:
        """Return the Brain of `user` in `home`.

        Raises:
            InvalidUserError: if `user` is not 1–40 of a–z, 0–9 and "-".
            UnknownUserError: if nothing of this user has ever landed in `home`.
        """
        path = Path(home).expanduser()
        space = Home(path).existing_space(user)
        return cls(space, settings or load_settings(path))

    @property
    def user(self) -> str:
        return self.space.user

    def team(self, team: str) -> Self:
        """Return the Brain of a team that this user is a member of. What is found there is asked for (`Requests`), so
        that what it says of people and facts becomes part of this user's own knowledge.

        Raises:
            NotAMemberError: if the settings do not list this user as a member of `team`.
            UnknownUserError: if nothing of the team has ever landed.
        """
        check_member(self.settings, team, self.user)
        return type(self)(Home(self.space.home).existing_space(team), self.settings, reader=self.space)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the open stores. The Brain may be used again; it opens them anew."""
        with self._lock:
            self._indexes.clear()
        self._catalog.close()
        self._recorder.close()

    def search(
        self,
        query: str,
        k: int | None = None,
        *,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        sources: Names | None = None,
        source_ids: Names | None = None,
        people: Names | None = None,
        days: Iterable[date | str] | date | str | None = None,
        day_from: date | str | None = None,
        day_to: date | str | None = None,
        fusion: str | None = None,
        weights: Mapping[str, float] | None = None,
        expand: bool = True,
        min_similarity: float | None = None,
        session: str | None = None,
        log: bool = True,
    ) -> SearchResult:
        """Return up to `k` passages for `query`, best first, each with source, reasons and times.

        Filters apply inside each arm before its best are taken. What could not be done is in `.warnings`.

        Args:
            k: 1–1000; the settings' `retrieval.k` (10) if not given.
            as_of: only what had happened by then (event time); known_at: only what Brain had received by then.
                A datetime, a date (to its end) or ISO 8601; without a zone, the settings' time zone.
            sources: source types; source_ids: single sources; people: who speaks.
            days, day_from, day_to: ISO days of the events, inclusive.
            fusion: "weighted" or "rrf"; weights: by arm ("vector", "lexical"), 0 switches an arm off.
            expand: add the neighbouring turns to hits in conversations.
            min_similarity: cosine below which meaning alone is no reason to return a passage.
            session: the conversation this search belongs to; what is found counts as recalled once in it, else once
                a day. log: False leaves no trace (an evaluation).

        Raises:
            InvalidQueryError: for an empty query or an option that means nothing.
        """
        started = time.perf_counter()
        chosen = self.settings.retrieval
        options = build_options(
            chosen, k=k, fusion=fusion, weights=weights, expand=expand, min_similarity=min_similarity
        )
        clocks = {"zone": self.settings.zone, "as_of": as_of, "known_at": known_at}
        days_limits = {"days": days, "day_from": day_from, "day_to": day_to}
        scope = build_scope(**clocks, **days_limits, sources=sources, source_ids=source_ids, people=people)
        spoken = self.settings.language_of(self.user)
        question = analyse(query, max_characters=chosen.max_query_chars, language=spoken)
        found = self._answer(question, scope, options, started)
        if log:
            self._recorder.record(found, session, found.warnings)
        return found

    def context(
        self, query: str, max_tokens: int | None = None, *, session: str | None = None, log: bool = True, **options: Any
    ) -> ContextPack:
        """Return the best passages for `query` as one cited text of at most `max_tokens` tokens.

        `options` are those of `search`; `k` is how many passages are considered (50). Tokens are those of the
        embedding model's tokenizer, or characters / 4 with a warning if it is not on this machine. Only what is in
        the text counts as recalled.

        Raises:
            InvalidQueryError: as `search`, or for a budget below 1.
        """
        options.setdefault("k", CONTEXT_HITS)
        hits = self.search(query, log=False, **options)
        warnings = list(hits.warnings)
        counter = self._counter(warnings)
        budget = self.settings.retrieval.context_tokens if max_tokens is None else max_tokens
        pack = build_context(hits, max_tokens=budget, counter=counter, warnings=warnings)
        if not log:
            return pack
        self._recorder.record([item.hit for item in pack.items], session, warnings)
        return replace(pack, warnings=tuple(warnings))

    def source(self, id_or_uri: str) -> SourceCard:
        """Return one source at a glance: title, summary, keywords, tags, bucket, attributes, parent and children.

        Raises:
            InvalidQueryError: if this user has no source with this id or uri.
        """
        card = read_card(Lake(self.space, self._catalog), id_or_uri)
        self._ask_for([Wanted(self.user, card.source, card.day, card.source_id)])
        return card

    def knowledge(self, *, known_at: Moment | None = None, session: str | None = None) -> "Knowledge":
        """Return what the newest snapshot knows: entities, facts on two clocks, storylines.

        Args:
            known_at: facts as Brain knew them then.
            session: on whose behalf; what is shown counts as recalled, once a session.

        Raises:
            NoSnapshotError: if no snapshot has been worked out for this user.
        """
        from brain_retrieval.knowledge.reader import Knowledge

        def recall(items: Iterable[tuple[str, str]]) -> None:
            self._recorder.note(items, session, [])

        return Knowledge(self.space, self.settings, known_at=known_at, on_recall=recall)

    def _ask_for(self, sources: Iterable[Wanted]) -> None:
        """Note, for a reader of a team, which sources that reader was shown; reading goes on if it cannot be noted."""
        if self._reader is not None:
            with suppress(StoreError, OSError), Requests(self._reader) as requests:
                requests.add(sources)

    def _index(self, warnings: list[str]) -> SearchIndex | None:
        """Return the index searches use now, opened once; None, and why, if there is nothing to search."""
        before = len(warnings)
        found = attempt("index", lambda: active_index(self.space, self._catalog), warnings)
        if found is None and len(warnings) == before:
            warnings.append(f"nothing is indexed for {self.user!r} yet; `brain ingest` or `brain rerun` does that")
        if found is None:
            return None
        with self._lock:
            index = self._indexes.setdefault((found.store, found.model, found.dim), found)
        if not index.exists():
            warnings.append(f"the index of {index.model} is gone; `brain rerun --user {self.user}` rebuilds it")
            return None
        return index

    def _answer(self, question: Question, scope: Scope, options: Options, started: float) -> SearchResult:
        warnings = list(question.warnings)
        if not question.searchable or (index := self._index(warnings)) is None:
            return SearchResult(warnings=warnings, timings=_timings(started, 0.0))
        results, embed_ms = self._run_arms(index, question, scope, options, warnings)
        ranked = rank(
            results,
            limit=options.limit,
            method=options.method,
            weights=options.weights,
            dates=question.dates,
            settings=self.settings.retrieval,
        )
        hits = self._hits(index, ranked, scope, options.expand, warnings)
        days = {found.row["source_id"]: found.row["day"] for found in ranked}
        shown = {hit.source_ref.source_id: hit.source_ref.source for hit in hits}
        self._ask_for(Wanted(self.user, source, days[key], key) for key, source in shown.items())
        return SearchResult(hits, warnings=warnings, timings=_timings(started, embed_ms))

    def _run_arms(
        self, index: SearchIndex, question: Question, scope: Scope, options: Options, warnings: list[str]
    ) -> tuple[list[ArmResult], float]:
        """Return what each arm found and the milliseconds of embedding; an arm of weight 0 is not asked."""
        depth, within = max(options.limit, self.settings.retrieval.arm_depth), scope.within
        results: list[ArmResult] = []
        others: dict[str, np.ndarray] = {}
        if options.weights.get("lexical"):
            found = attempt("lexical", lambda: lexical_arm(index, question.words, within, depth), warnings)
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
                nearest = attempt("vector", lambda: vector_arm(index, vector, within, depth, others, floor), warnings)
                results.extend([nearest] if nearest is not None else [])
        return results, embed_ms

    def _counter(self, warnings: list[str]) -> "TokenCounter":
        from brain_retrieval.models.embedding.tokenizer import ApproximateCounter, build_tokenizer

        chosen = self.settings
        counter = attempt(
            "tokenizer", lambda: build_tokenizer(chosen.embedding, models_dir=chosen.models_dir), warnings
        )
        return ApproximateCounter() if counter is None else counter

    def _hits(
        self, index: SearchIndex, ranked: list[Ranked], scope: Scope, expand: bool, warnings: list[str]
    ) -> list[Hit]:
        reach = self.settings.retrieval.neighbours if expand else 0
        candidates = [found.row for found in ranked]
        rows = attempt("index", lambda: read_hits(index, candidates, reach=reach, within=scope.within), warnings) or []
        return to_hits(rows, ranked, scope.clocks)


def _timings(started: float, embed_ms: float) -> Timings:
    return Timings(embed_ms, (time.perf_counter() - started) * 1000 - embed_ms)
