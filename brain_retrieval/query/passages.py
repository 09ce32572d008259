"""`Passages`: finds, ranks and packs passages from one user's stores.

It is the part of `Brain` that searches. Importing this module loads no store: the libraries behind `search` are
imported by the first call that needs them.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from brain_retrieval.query.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from brain_retrieval.moments import Moment
    from brain_retrieval.query.explained.connection import Connection
    from brain_retrieval.query.hits import SearchResult
    from brain_retrieval.query.media_question import MediaQuestion
    from brain_retrieval.query.packs.pack import ContextPack
    from brain_retrieval.query.request import Names, SearchOptions
    from brain_retrieval.query.source_card import SourceCard


class Passages(Opened):
    """Search and context for one user. Read-only and thread-safe."""

    def search(
        self,
        query: str | MediaQuestion,
        k: int | None = None,
        *,
        recipe: str | None = None,
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
        expand: bool | None = None,
        min_similarity: float | None = None,
        min_score: float | None = None,
        include_untrusted: bool = False,
        session: str | None = None,
        log: bool = True,
    ) -> SearchResult:
        """Return up to `k` passages for `query`, best first, each with its source, score breakdown and times.

        Every retriever applies the filters before it takes its top candidates. `.warnings` lists what failed.

        Args:
            k: 1–1000; as all options that are not given, from the recipe (10 by default).
            recipe: a named set of options: default, fast, thorough, meetings, evidence or one of the settings.
            as_of: only sources with an event time up to then; known_at: only those that Brain had received by then.
                A datetime, a date (its end) or an ISO 8601 string; without an offset, in the settings' time zone.
            sources: source types; source_ids: ids of sources; people: names of speakers or authors.
            days, day_from, day_to: ISO days of the events, inclusive.
            fusion: "weighted" or "rrf"; weights: by retriever ("vector", "lexical"); 0 switches one off.
            expand: add the neighbouring turns to hits in conversations.
            min_similarity: cosine below which a passage found by the vector retriever alone is dropped.
            min_score: probability of being relevant below which a passage is left out. By default all are returned,
                unless nothing found can be an answer; 0 returns everything. `.nearest` is the best one left out then.
            include_untrusted: also look, by words alone, through what is held back; found in `.held`, not in the list.
            session: the conversation this search belongs to; a passage found counts as recalled once per session,
                without one once a day. log: False writes nothing to the access log (for evaluations).

        Raises:
            InvalidQueryError: for an empty query or an invalid option.
        """
        how = {"recipe": recipe, "fusion": fusion, "weights": weights, "expand": expand}
        least = {"min_similarity": min_similarity, "min_score": min_score}
        limits = {"as_of": as_of, "known_at": known_at, "sources": sources, "source_ids": source_ids, "people": people}
        days_limits = {"days": days, "day_from": day_from, "day_to": day_to}
        all_limits = {**limits, **days_limits}
        return self._found(query, {"k": k, **how, **least}, all_limits, session, log=log, held=include_untrusted)

    def _found(
        self,
        query: str | MediaQuestion,
        how: Mapping[str, Any],
        limits: Mapping[str, Any],
        session: str | None,
        *,
        log: bool,
        held: bool = False,
    ) -> SearchResult:
        """Answer a search: `how` are the options of `build_options`, `limits` those of `build_scope`."""
        from brain_retrieval.query.request import build_options, build_scope, check_switches

        started = time.perf_counter()
        options = build_options(self.settings.retrieval, **how)
        check_switches(log=log, include_untrusted=held)
        scope = build_scope(zone=self.settings.zone, **limits)
        question = self._searcher.questions.read(query, now=scope.clocks.as_of)
        found = self._searcher.answer(question, scope, options, started)
        if held:
            found.held = self._searcher.held(question, scope, options, found.warnings)
        if log:
            self._recorder.record(found, session, found.warnings)
        return found

    def connection(
        self, found: SearchResult, *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> Connection | None:
        """Return the strongest shortest path in the graph between the first two entities that a question names.

        Args:
            found: the result of `search` for the question.
            as_of: steps that held then; known_at: that were known then.

        Raises:
            InvalidQueryError: for an invalid time.
            GraphUnavailableError: if the graph cannot be read.
        """
        from brain_retrieval.query.explained.connection import connection
        from brain_retrieval.query.request import build_scope

        clocks = build_scope(zone=self.settings.zone, as_of=as_of, known_at=known_at).clocks
        if found.question is None:
            return None
        return connection(found.question, self.space, self.settings, as_of=clocks.as_of, known_at=clocks.known_at)

    def search_image(
        self, picture: Path | str | bytes, text: str = "", k: int | None = None, **options: Unpack[SearchOptions]
    ) -> SearchResult:
        """Return passages for what a picture shows: its description and the text recognised in it, and `text`.

        The options are those of `search`; the limits of size are those of ingestion.

        Raises:
            MissingExtraError: the extra "media" is not installed.
            InvalidQueryError: as `search`, or for a file that is no picture or beyond the limits.
        """
        from brain_retrieval.query.media_question import image_question

        return self.search(image_question(picture, text, self.settings), k, **options)

    def search_audio(
        self, recording: Path | str, k: int | None = None, **options: Unpack[SearchOptions]
    ) -> SearchResult:
        """Return passages for what is said in a recording.

        The options are those of `search`; the limits of size and length are those of ingestion.

        Raises:
            MissingExtraError: the extra "media" is not installed.
            InvalidQueryError: as `search`, or for a recording without speech or beyond the limits.
        """
        from brain_retrieval.query.media_question import audio_question

        return self.search(audio_question(recording, self.settings), k, **options)

    def context(
        self,
        query: str | MediaQuestion,
        max_tokens: int | None = None,
        *,
        k: int | None = None,
        recipe: str | None = None,
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
        expand: bool | None = None,
        min_similarity: float | None = None,
        min_score: float | None = None,
        include_memories: bool = False,
        include_entities: bool = False,
        include_relationships: bool = False,
        include_notes: bool = False,
        include_cross_references: bool = False,
        buckets: bool = False,
        session: str | None = None,
        log: bool = True,
    ) -> ContextPack:
        """Return the best passages for `query` as one cited text of at most `max_tokens` tokens.

        `k` is the number of candidate passages (the recipe's `context_hits` if not given); the other options are those
        of `search`. Tokens are counted with the embedding model's tokenizer, or estimated as characters / 4, with a
        warning, if it is not installed. Only passages in the text count as recalled.

        Args:
            include_memories: also lines about the entities that the question names, each kind within a share of the
                budget: memories (current ones first), include_entities, include_relationships, include_notes,
                include_cross_references (their other sources). All but memories need a snapshot.
            buckets: show the bucket of each source in its heading.

        Raises:
            InvalidQueryError: as `search`, or for a budget below 1.
        """
        lines = {"memories": include_memories, "entities": include_entities, "notes": include_notes}
        lines |= {"relationships": include_relationships, "cross_references": include_cross_references}
        how = {"recipe": recipe, "fusion": fusion, "weights": weights, "expand": expand}
        least = {"min_similarity": min_similarity, "min_score": min_score}
        limits = {"as_of": as_of, "known_at": known_at, "sources": sources, "source_ids": source_ids, "people": people}
        days_limits = {"days": days, "day_from": day_from, "day_to": day_to}
        asked = {"k": k, **how, **least}, {**limits, **days_limits}
        return self._packed(query, max_tokens, *asked, lines, buckets=buckets, session=session, log=log)

    def _packed(
        self,
        query: str | MediaQuestion,
        max_tokens: int | None,
        how: Mapping[str, Any],
        limits: Mapping[str, Any],
        lines: Mapping[str, bool],
        *,
        buckets: bool,
        session: str | None,
        log: bool,
    ) -> ContextPack:
        """Answer a `context`: `how` and `limits` as for `_found`; `lines` are the kinds of lines asked for."""
        from brain_retrieval.query.packs.assemble import assemble
        from brain_retrieval.query.packs.known import Include
        from brain_retrieval.query.request import build_scope, check_switches, settings_under

        check_switches(**{f"include_{kind}": wanted for kind, wanted in lines.items()}, buckets=buckets, log=log)
        chosen = settings_under(self.settings.retrieval, how["recipe"])
        k = chosen.context_hits if how["k"] is None else how["k"]
        hits = self._found(query, {**how, "k": k}, limits, None, log=False)
        clocks = build_scope(zone=self.settings.zone, as_of=limits["as_of"], known_at=limits["known_at"]).clocks
        pack = assemble(
            self._searcher,
            hits,
            query if isinstance(query, str) else query.text,
            max_tokens=chosen.context_tokens if max_tokens is None else max_tokens,
            include=Include(**lines),
            buckets=buckets,
            at=clocks.as_of,
            known_at=clocks.known_at,
        )
        warnings = list(pack.warnings)
        if log:
            self._recorder.record([item.hit for item in pack.items], session, warnings)
        return replace(pack, warnings=tuple(warnings))

    def source(self, id_or_uri: str) -> SourceCard:
        """Return the metadata of one source: title, summary, keywords, tags, bucket, attributes, parent and children.

        Raises:
            InvalidQueryError: if this user has no source with this id or uri.
        """
        return self._searcher.read_source(id_or_uri)
