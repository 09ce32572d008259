"""`Brain`, the public class: passages, and what is known, of one user.

Finding and packing of passages is in `query/passages.py`. Importing this module loads no store: the libraries behind
`search` are imported by the first call that needs them.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from brain_retrieval.moments import to_moment
from brain_retrieval.query.passages import Passages

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from brain_retrieval.evidence.candidates.statement import Statement
    from brain_retrieval.evidence.report import EvidenceReport
    from brain_retrieval.knowledge.memories.audit import Audit
    from brain_retrieval.knowledge.memories.cards import MemoryCard
    from brain_retrieval.knowledge.reader import Knowledge
    from brain_retrieval.models.chat.protocol import TokenMeter
    from brain_retrieval.moments import Moment
    from brain_retrieval.query.ask.asked import Asked
    from brain_retrieval.query.hits import Hit
    from brain_retrieval.query.overview import Overview
    from brain_retrieval.query.packs.pack import ContextPack
    from brain_retrieval.query.why.node import Why


class Brain(Passages):
    """Search and context for one user. Read-only and thread-safe.

    >>> with Brain.open("data/home", user="alice") as brain:  # doctest: +SKIP
    ...     for hit in brain.search("who leads Phoenix?", k=3, as_of="2026-02-01"):
    ...         print(hit.score, hit.source_ref.uri, hit.text)
    """

    def enrich_prompt(self, message: str, system_context: str = "", **options: Any) -> str:
        """Return `system_context`, a blank line, and what is stored about `message` as a block for a prompt.

        The block is the text of `context` with 4000 tokens and entities; `options` are those of `context` and can
        change that. Without anything found it is `system_context` alone.
        """
        from brain_retrieval.query.packs.prompt import enriched

        chosen = {"max_tokens": self.settings.retrieval.prompt_tokens, "include_entities": True, **options}
        return enriched(self.context(message, **chosen), system_context)

    def conversation_context(self, max_tokens: int | None = None, *, now: Moment | None = None) -> ContextPack:
        """Return what to load at the start of a conversation: owner, core concepts, goals, relations, recent sources.

        At most 1300 tokens if `max_tokens` is not given. `now` is when the conversation starts; "recent" and
        "current" are as of then. Without a snapshot only the time and goals are known, with a warning.
        """
        from brain_retrieval.query.packs.start import START_TOKENS, conversation_start

        warnings: list[str] = []
        at = datetime.now(UTC) if now is None else to_moment(now, self.settings.zone)
        counter = self._searcher.token_counter(warnings)
        budget = START_TOKENS if max_tokens is None else max_tokens
        pack = conversation_start(self.knowledge(), counter, now=at, max_tokens=budget)
        return replace(pack, warnings=(*warnings, *pack.warnings))

    def knowledge(self, *, known_at: Moment | None = None, session: str | None = None) -> Knowledge:
        """Return what is known: memories at once, entities, relations and storylines from the newest snapshot.

        Args:
            known_at: what sources received by then say.
            session: the conversation this belongs to; items shown count as recalled once per session.
        """
        from brain_retrieval.knowledge.reader import Knowledge

        catalog = self._opened.catalog if self._opened is not None else None
        recall = lambda items: self._recorder.note(items, session, [])  # noqa: E731
        return Knowledge(self.space, self.settings, known_at=known_at, on_recall=recall, catalog=catalog)

    def audit(self, about: str, *, at: Moment | None = None, known_at: Moment | None = None) -> Audit:
        """Return what held about a name or topic at a time, what was known then, and which statement ended which.

        Args:
            about: a name, or words such as "launch date".
            at: the time asked about; now if not given.
            known_at: only what had been received by then counts.

        Raises:
            InvalidQueryError: for an invalid time.
        """
        from brain_retrieval.knowledge.memories.audit import audit
        from brain_retrieval.knowledge.memory_cards import names_of

        moment = None if at is None else to_moment(at, self.settings.zone)
        knowledge = self.knowledge(known_at=known_at)
        return audit(knowledge.memory_reader, about, names=names_of(knowledge, about), at=moment)

    def ask(
        self,
        question: str,
        *,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        k: int = 3,
        write: bool = True,
        session: str | None = None,
    ) -> Asked:
        """Return what is found for a question: memories, passages, a storyline, and an answer in cited sentences.

        The answer is written only if the settings have a chat model; each of its sentences is checked against what it
        cites, and left out if that does not support it.

        Args:
            question: asked.
            as_of: what held, and had happened, by then.
            known_at: only what had been received by then counts.
            k: most passages; write: False asks no chat model.
            session: the conversation this belongs to; see `search`.

        Raises:
            InvalidQueryError: for an empty question or an invalid time.
            StoreError: if nothing could be searched and nothing is known.
        """
        from brain_retrieval.errors import StoreError
        from brain_retrieval.query.ask.ask import ask
        from brain_retrieval.query.ask.written import write_answer
        from brain_retrieval.query.request import build_scope

        clocks = build_scope(zone=self.settings.zone, as_of=as_of, known_at=known_at).clocks
        asked = self._searcher.questions.read(question, now=clocks.as_of)
        read = self._searcher.questions.named(asked, now=clocks.as_of)
        found = ask(
            read,
            self.knowledge(known_at=known_at, session=session),
            lambda count: self.search(read.text, count, as_of=as_of, known_at=known_at, log=False),
            lambda: self._searcher.questions.in_other_languages(read, now=clocks.as_of),
            as_of=clocks.as_of,
            known_at=clocks.known_at,
            k=k,
        )
        if found.failure and not found.memories:
            raise StoreError(found.failure)
        warnings = list(dict.fromkeys((*found.warnings, found.failure) if found.failure else found.warnings))
        self._recorder.record(found.hits, session, warnings)
        written, problems = write_answer(self.space, self.settings, question, found.cited) if write else (None, [])
        return replace(found, question=asked.text, written=written, warnings=(*warnings, *problems))

    def remembered(
        self, question: str, found: Sequence[Hit], *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> tuple[MemoryCard, ...]:
        """Return the memories that answer a question, as `ask` does: what holds first, then what has ended.

        Args:
            found: the passages of a search for it; a memory that one of them states needs fewer words of the question.
            as_of: what held by then.
            known_at: only what had been received by then counts.

        Raises:
            InvalidQueryError: for an empty question or an invalid time.
        """
        from brain_retrieval.query.ask.then import answers_of_time
        from brain_retrieval.query.request import build_scope

        at = build_scope(zone=self.settings.zone, as_of=as_of, known_at=known_at).clocks.as_of
        read = self._searcher.questions.read(question, now=at)
        return answers_of_time(self.knowledge(known_at=known_at).memory_reader, read, found, at=at)

    def facts(
        self,
        about: str,
        *,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        limit: int = 10,
        session: str | None = None,
    ) -> list[MemoryCard]:
        """Return what is known about words or a name, as sentences; for a question what `ask` answers comes first.

        Args:
            about: a name, an id, or words such as "launch date" or "when is the launch".
            as_of: what held at that time.
            known_at: only what had been received by then counts.
            limit: of the sentences; session: the conversation this belongs to, see `knowledge`.

        Raises:
            InvalidQueryError: for an invalid time.
            StoreError: if the memories cannot be read.
        """
        from brain_retrieval.query.ask.known import with_answers
        from brain_retrieval.query.request import build_scope

        at = build_scope(zone=self.settings.zone, as_of=as_of, known_at=known_at).clocks.as_of
        known = self.knowledge(known_at=known_at, session=session)
        found, question = known.memories(about, as_of=as_of, limit=limit), self._searcher.questions.named(about, now=at)
        search = partial(self.search, question.text, as_of=as_of, known_at=known_at, log=False)
        return with_answers(known.memory_reader, question, found, search, at=at, limit=limit)

    def sql(
        self, query: str, parameters: Sequence[Any] = (), *, seconds: float = 60.0, megabytes: int = 1024
    ) -> pa.Table:
        """Return the rows of one SELECT over what is stored of this user; see `query/sql/views.py` for the views.

        The query can read no other file, write nothing and load nothing.

        Args:
            query: in the SQL of DuckDB; `?` stands for a parameter.
            parameters: their values, in order.
            seconds: time limit; megabytes: limit of the query's memory, and of the size of its result.

        Raises:
            InvalidQueryError: if the query is refused, fails, or exceeds a limit.
        """
        from brain_retrieval.query.sql.run import run_sql

        return run_sql(self.space, query, parameters, seconds=seconds, megabytes=megabytes)

    def overview(self, question: str | None = None, *, limit: int = 10, now: Moment | None = None) -> Overview:
        """Return the macros and storylines of the newest snapshot that a question is about, with their citations.

        Args:
            question: what it is to be about; without it, everything, and what has a day in the next two weeks.
            limit: of the macros and storylines.
            now: from when on a day is coming up.

        Raises:
            NoSnapshotError: if there is no snapshot yet.
            InvalidQueryError: for an empty question.
        """
        from brain_retrieval.query.ask.broad.overview import PASSAGES, overview_at

        hits = [] if question is None else self.search(question, PASSAGES, expand=False, log=False)
        passages = ((hit.source_ref.source_id, hit.score) for hit in hits)
        at = datetime.now(UTC) if now is None else to_moment(now, self.settings.zone)
        read = None if question is None else self._searcher.questions.read(question, now=at)
        return overview_at(self.knowledge(), read, passages, at=at, limit=limit)

    def evidence(
        self,
        claim: str,
        *,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        limit: int = 10,
        further: Sequence[Statement] = (),
        meter: TokenMeter | None = None,
    ) -> EvidenceReport:
        """Return what supports a claim, what contradicts it and what is unknown, with citations, trust and a verdict.

        Nothing leaves the machine, unless the settings name remote models, and nothing is written.

        Args:
            claim: one or a few sentences that state something.
            as_of: the time asked about; evidence from up to then, and what held then.
            known_at: only what had been received by then counts.
            limit: of the evidence shown for each statement of the claim, 1–1000.
            further: statements that no search finds, such as those of pages that wait for an approval.
            meter: counts and limits the tokens of the model that judges, if one is set.

        Raises:
            InvalidQueryError: for an empty claim or an invalid option.
        """
        from brain_retrieval.evidence.candidates.gathering import PLAIN_HITS
        from brain_retrieval.evidence.check import check_claim
        from brain_retrieval.query.request import build_scope, check_k

        check_k(limit)
        clocks = build_scope(zone=self.settings.zone, as_of=as_of, known_at=known_at).clocks
        question = self._searcher.questions.read(claim, now=clocks.as_of)
        options = {"as_of": as_of, "known_at": known_at, "min_score": 0.0, "log": False}
        return check_claim(
            question,
            lambda query: self.search(query, recipe="evidence", **options),
            self.knowledge(known_at=known_at),
            self.settings,
            as_of=clocks.as_of,
            limit=limit,
            further=further,
            meter=meter,
            plain=lambda query: self.search(query, PLAIN_HITS, **options),
        )

    def why(self, asked: str, *, depth: int = 8, limit: int = 5) -> Why:
        """Return what something is made of, down to its bytes and how they arrived, and what depends on it.

        Args:
            asked: anything that Brain shows: the id of a memory, relation, passage, source, name, storyline, macro,
                note or mention; "uri [first:last]" of a hit or of an item of evidence; the uri, address or hash of a
                source; a name.
            depth: levels below what is asked about, 0–20.
            limit: of the things listed at each level, 1–200; what is left out is counted.

        Raises:
            InvalidQueryError: for an id that this user does not have, with the nearest ones; for a number out of range.
        """
        from brain_retrieval.query.why.why import why

        return why(self.space, self.settings, asked, depth=depth, limit=limit)
