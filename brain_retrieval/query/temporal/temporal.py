"""`Temporal`: marks the hits whose statements have ended, and puts the current passage before them.

Only the hits returned are judged, by the memories kept in the process; a user without memories costs a look at the
catalog. If the memories cannot be read, the hits stay as they are and a warning says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.endings import Endings
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.expand import Row, read_hits, to_hits
from brain_retrieval.query.hits import Clocks, Hit
from brain_retrieval.query.ranking import Order
from brain_retrieval.query.request import Options, Scope
from brain_retrieval.query.retrievers import attempt, unexpired
from brain_retrieval.query.superseded import StatementRef
from brain_retrieval.query.temporal.current_first import contains, current_first, unranked
from brain_retrieval.query.temporal.events import (
    COLUMNS,
    PASSAGES,
    Event,
    assumed,
    dated,
    find_event,
    find_in_passages,
)
from brain_retrieval.query.temporal.standing import Standing, standings, superseded_by
from brain_retrieval.query.temporal.user_memories import endings_at
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake_cache import LakeCache

MOST_MARKED = 50  # hits that are judged, the best


@dataclass(frozen=True)
class _Titles:
    """The titles of sources, and the rows that they were taken from."""

    rows: pl.DataFrame

    @cached_property
    def by_source(self) -> dict[str, str | None]:
        return dict(zip(self.rows["source_id"].to_list(), self.rows["title"].to_list(), strict=True))


_TITLES = LakeCache(
    "text",
    _Titles,
    most_rows=1_000_000,
    columns=["source_id", "source", "day", "title"],
    renew=lambda titles, change: _Titles(change.applied(titles.rows)),
)


@dataclass(frozen=True)
class Temporal:
    """What the memories of one user say about passages that were found."""

    space: Space
    settings: Settings
    catalog: Catalog

    def apply(
        self,
        hits: list[Hit],
        question: Question,
        scope: Scope,
        options: Options,
        index: SearchIndex,
        order: Order,
        warnings: list[str],
    ) -> list[Hit]:
        """Return the hits with `superseded_by`, the current before the ended ones, at most as many as asked for."""
        marked = attempt("memories", lambda: self._marked(hits, question, scope.clocks), warnings) or hits
        if asks_about_then(question, self._today(scope.clocks)):
            return marked
        missing = _missing(marked)
        fetched = attempt("memories", lambda: self._fetched(missing, index, scope, options, order), warnings) or []
        return current_first(marked, fetched)[: options.limit] if _any_asked(marked) else marked

    def dated(self, question: Question, scope: Scope, index: SearchIndex, warnings: list[str]) -> Question:
        """Return the question with the days of the event that it refers to, if it refers to one that is known.

        What is assumed, or that the event is not known, is said in a warning.
        """
        if question.time is None or not (called := question.time.event):
            return question
        event = attempt("memories", lambda: self._event(called, scope, index), warnings)
        warnings.append(
            assumed(called, event) if event else f"“{called}” is not known, so no time is preferred because of it"
        )
        return dated(question, event) if event else question

    def _event(self, called: str, scope: Scope, index: SearchIndex) -> Event | None:
        judged = endings_at(self.space, scope.clocks, self.catalog)
        if judged and (found := find_event(called, *judged, self.settings.zone)):
            return found
        now = scope.clocks.known_at or datetime.now(UTC)
        clocks = IndexFilter(as_of=scope.clocks.as_of, known_at=scope.clocks.known_at)
        passages = unexpired(index.search_text(called, within=clocks, limit=PASSAGES, columns=COLUMNS), now)
        return find_in_passages(called, passages.rows.to_pylist(), judged[0] if judged else None)

    def _marked(self, hits: Sequence[Hit], question: Question, clocks: Clocks) -> list[Hit]:
        judged = endings_at(self.space, clocks, self.catalog) if hits else None
        if judged is None:
            return list(hits)
        endings, moment = judged
        found = standings(hits[:MOST_MARKED], question, endings, moment)
        titles = _TITLES.of(self.space, self.catalog).by_source if found else {}
        return [_mark(hit, found.get(hit.source_ref.chunk_id), endings, titles) for hit in hits]

    def _fetched(
        self, missing: Sequence[StatementRef], index: SearchIndex, scope: Scope, options: Options, order: Order
    ) -> list[Hit]:
        """Return the passages of statements that were not found, as far as they lie in the scope of the search."""
        allowed = scope.within.source_ids
        wanted = {ref.source_id for ref in missing if allowed is None or ref.source_id in allowed}
        if not wanted:
            return []
        own = replace(scope.within, source_ids=sorted(wanted))
        rows = index.read(own, ["id", "source_id", "position", "start", "end"]).to_pylist()
        chosen = {row["id"]: row for ref in missing if ref.source_id in wanted for row in _holding(rows, ref)}
        reach = self.settings.retrieval.neighbours if options.expand else 0
        read = read_hits(index, list(chosen.values()), reach=reach, within=scope.within)
        reasons = dict.fromkeys(chosen, (0.0, unranked(options.method)))
        reasons |= {key: (found.score, found.why) for key, found in order.of(chosen).items()}
        return to_hits(read, reasons, scope.clocks)

    def _today(self, clocks: Clocks) -> datetime:
        return (clocks.as_of or datetime.now(UTC)).astimezone(self.settings.zone)


def asks_about_then(question: Question, today: datetime) -> bool:
    """Return whether a question asks for a past state, so that what has ended since is the answer."""
    if question.asks_then:
        return True
    asked = question.time
    return asked is not None and asked.restricts and asked.end is not None and asked.end < today.date()


def _any_asked(hits: Iterable[Hit]) -> bool:
    return any((newer := hit.temporal_context.superseded_by) is not None and newer.asked for hit in hits)


def _missing(hits: Sequence[Hit]) -> list[StatementRef]:
    """Return where the current statements asked for are made that no hit contains.

    Each takes the place of a passage that was found. So of those that only may have ended others the first one alone.
    """
    found = [newer for hit in hits if (newer := hit.temporal_context.superseded_by) is not None and newer.asked]
    outside = [newer for newer in found if not any(_contains(hit, newer.source_ref) for hit in hits)]
    unsure = next((newer for newer in outside if not newer.sure), None)
    return list(dict.fromkeys(newer.source_ref for newer in outside if newer.sure or newer is unsure))


def _contains(hit: Hit, ref: StatementRef) -> bool:
    return contains(hit, ref.source_id, ref.span)


def _holding(rows: Sequence[Row], ref: StatementRef) -> Iterable[Row]:
    """Return the shortest chunk that a statement lies in."""
    inside = (
        row
        for row in rows
        if row["source_id"] == ref.source_id and row["start"] <= ref.span[0] and ref.span[1] <= row["end"]
    )
    return sorted(inside, key=lambda row: (row["end"] - row["start"], row["position"]))[:1]


def _mark(hit: Hit, standing: Standing | None, endings: Endings, titles: Mapping[str, str | None]) -> Hit:
    if standing is None:
        return hit
    newer = superseded_by(standing, endings, titles)
    return replace(hit, temporal_context=replace(hit.temporal_context, superseded_by=newer))
