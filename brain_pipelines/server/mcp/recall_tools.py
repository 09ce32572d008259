"""Tools that read short statements: memory_recall, memory_audit, fact_query_at_time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from brain_pipelines.server.mcp.answers import TITLE_CHARS, Answer, Entry, answer, citation, day, heading
from brain_pipelines.server.mcp.arguments import About, Kind, KnownAt, Limit, MaxTokens, When
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.search_tools import memory_search
from brain_retrieval.errors import InvalidQueryError, NoSnapshotError
from brain_retrieval.query.packs.fence import flat

if TYPE_CHECKING:
    from brain_retrieval.knowledge.cards import FactCard
    from brain_retrieval.knowledge.memories.audit import Change
    from brain_retrieval.knowledge.memories.cards import MemoryCard
    from brain_retrieval.knowledge.reader import Knowledge

SHOWN_KINDS = 12
MOST_READ = 200  # statements from which those of the wanted kinds are taken


def memory_recall(
    memory: UserMemory,
    query: Annotated[
        str | None, Field(max_length=300, description="A name or topic; without it, what is most worth knowing.")
    ] = None,
    kinds: Annotated[list[Kind] | None, Field(description="Only statements of these kinds.")] = None,
    as_of: When = None,
    known_at: KnownAt = None,
    current_only: Annotated[bool, Field(description="Leave out what has ended.")] = False,
    limit: Limit = 10,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Recall short statements about a person, project or topic: preferences, decisions, plans, facts, relationships.

    What holds now comes first; ended statements follow and say until when they held. Cheaper and shorter than
    memory_search, which finds whole passages; if nothing is recalled, passages are searched instead. For changes and
    what ended what use memory_audit. Example: memory_recall(query="Priya Nair", kinds=["decision", "plan"]).
    """
    most = MOST_READ if kinds or current_only else limit
    wanted = (query or "").strip() or None
    if wanted:
        cards = memory.facts(wanted, as_of=as_of, known_at=known_at, limit=most)
    else:
        cards = _most_worth(memory.knowledge(known_at=known_at), as_of, most, every=bool(kinds))
    if kinds:
        cards = [card for card in cards if card.kind in kinds]
    if current_only:
        cards = [card for card in cards if card.status not in ("ended", "perhaps outdated")]
    if not cards and wanted:
        return memory_search(memory, wanted, limit=min(limit, 6), as_of=as_of, known_at=known_at, max_tokens=max_tokens)
    later = _later_values(cards)
    entries = [statement(card, later.get(card.memory_id, "")) for card in cards[:limit]]
    title = "Statements, current ones first." if entries else "Nothing is known yet."
    advice = "Read the passage behind one with memory_get(id=…)." if entries else "Use memory_search for passages."
    return answer(title, entries, counter=memory.counter, max_tokens=max_tokens, advice=advice)


def _most_worth(known: "Knowledge", as_of: str | None, limit: int, *, every: bool) -> "list[MemoryCard]":
    """Return what is most worth knowing; of what was written down the latest value, and `every` entry behind it."""
    from brain_retrieval.knowledge.memories.compared.claims import WRITTEN
    from brain_retrieval.knowledge.memories.shown.exchanged import newest_of
    from brain_retrieval.moments import to_moment
    from brain_retrieval.query.packs.start import written_down

    shown = known.memories(as_of=as_of, limit=limit)
    at = to_moment(as_of, known.settings.zone) if as_of else known.known_at or datetime.now(UTC)
    entries = written_down(known, at)
    found = [newest_of(card, entries) if card.method in WRITTEN else card for card in shown]
    return list({card.memory_id: card for card in (*found, *(entries if every else ()))}.values())


def _later_values(cards: "Sequence[MemoryCard]") -> dict[str, str]:
    """Return by id a remark on entries of which a later one among the cards has another value: both may hold."""
    from brain_retrieval.knowledge.memories.compared.claims import WRITTEN
    from brain_retrieval.knowledge.memories.shown.exchanged import newest_of

    entries = [card for card in cards if card.method in WRITTEN and card.status == "current"]
    newest = {card.memory_id: newest_of(card, entries).memory_id for card in entries}
    return {key: f"differs in a value from the later {newer}" for key, newer in newest.items() if newer != key}


def memory_audit(
    memory: UserMemory,
    about: About,
    as_of: When = None,
    known_at: KnownAt = None,
    limit: Limit = 10,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Show how what is known about a name or topic changed: what holds, what had been known then, what ended what.

    Use it when statements contradict each other, when the user asks "since when" or "what changed", or before you rely
    on an old statement. Without as_of it tells the state now. Example: memory_audit(about="launch date of the UI
    redesign", as_of="2026-02-01").
    """
    found = memory.brain.audit(about, at=as_of, known_at=known_at)
    known = {card.memory_id for card in found.known}
    changed = [_change(change) for change in found.changes]
    held = [statement(card, "" if card.memory_id in known else "not yet known then") for card in found.state]
    entries = [*held[:limit], *changed[-limit:]]
    title = f"As of {day(found.at)}: {len(found.state)} statements hold, {len(found.changes)} changes up to then."
    details = {"at": found.at.isoformat(), "hold": len(found.state), "known": len(known), "changes": len(changed)}
    advice = "" if entries else "Nothing is stated about that; try memory_search."
    return answer(title, entries, counter=memory.counter, max_tokens=max_tokens, advice=advice, details=details)


def fact_query_at_time(
    memory: UserMemory,
    about: About,
    at: Annotated[str, Field(max_length=40, description='Day or time asked about, as "2026-01-15" (ISO 8601).')],
    predicate: Annotated[
        str | None, Field(max_length=100, description='Only relations of this kind, as shown: "lead", "work at", …')
    ] = None,
    known_at: KnownAt = None,
    limit: Limit = 10,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Say what held about a person, project or thing on a given day: relations of the graph, then statements.

    Two clocks: `at` is when it held, `known_at` what had been received by then ("what did we know on 1 March about
    January"). Example: fact_query_at_time(about="UI redesign", at="2026-01-15", predicate="lead").
    """
    known, warnings = memory.knowledge(known_at=known_at), list[str]()
    facts: list[FactCard] = []
    try:
        facts = known.facts(about, predicate=predicate, as_of=at, limit=limit)
    except NoSnapshotError as error:
        warnings.append(f"relations are not computed yet: {error}")
    except InvalidQueryError as error:
        if "nothing is known of" not in str(error):  # a topic is no entity, but statements may be about it
            raise
    cards = [] if predicate else memory.facts(about, as_of=at, known_at=known_at, limit=limit)
    held = [card for card in cards if card.status not in ("ended", "upcoming")]
    entries = [*(relation(fact) for fact in facts), *(statement(card) for card in held)][: 2 * limit]
    title = "What held on that day: relations, then statements." if entries else "Nothing is known to have held then."
    advice = "" if entries else "Try memory_audit for changes over time, or memory_search with day_from and day_to."
    if predicate and not entries and (kinds := _predicates(known, about, at)):
        advice = f"Relations that held then: {', '.join(kinds)}. Without predicate all of them are shown."
    return answer(title, entries, counter=memory.counter, max_tokens=max_tokens, warnings=warnings, advice=advice)


def _predicates(known: "Knowledge", about: str, at: str) -> list[str]:
    """Return the kinds of relations that something had, so that a model can name one of them."""
    try:
        held = known.facts(about, as_of=at)
    except (NoSnapshotError, InvalidQueryError):
        return []
    return [flat(one, TITLE_CHARS) for one in sorted({fact.predicate for fact in held})[:SHOWN_KINDS]]


def statement(card: "MemoryCard", remark: str = "") -> Entry:
    """Return a memory as an entry."""
    until = f"until {day(card.valid_to)}" if card.valid_to else ""
    status = "" if card.status == "current" else card.status
    return Entry(
        card.memory_id,
        heading(f"since {day(card.effective_from)}", until, card.kind, status, remark),
        card.text,
        citation(card.uri, card.span),
        {
            "kind": card.kind,
            "status": card.status,
            "from": card.effective_from.isoformat(),
            "until": card.valid_to.isoformat() if card.valid_to else "",
            "uri": citation(card.uri),
            "span": list(card.span),
            "source_id": card.source_id,
            "remark": remark,
        },
    )


def relation(fact: "FactCard") -> Entry:
    """Return a relation of the graph as an entry, with the first passage that states it."""
    until = f"until {day(fact.valid_to)}" if fact.valid_to else ""
    status = "" if fact.status == "current" else fact.status
    stated = fact.evidence[0] if fact.evidence else None
    sure = f"confidence {fact.confidence:.2f}"
    quote = f"\n“{stated.quote}”" if stated else ""
    return Entry(
        fact.fact_id,
        heading("relation", f"since {day(fact.valid_from)}", until, status, sure),
        fact.sentence + quote,
        f"{citation(stated.uri, stated.span)} source: {stated.source_id}" if stated else "",
        {
            "kind": "relation",
            "status": fact.status,
            "from": fact.valid_from.isoformat(),
            "until": fact.valid_to.isoformat() if fact.valid_to else "",
            "confidence": round(fact.confidence, 3),
            "subject_id": fact.subject_id,
            "object_id": fact.object_id,
            "source_id": stated.source_id if stated else "",
            "uri": citation(stated.uri) if stated else "",
            "span": list(stated.span) if stated else [],
        },
    )


def _change(change: "Change") -> Entry:
    sure = "ended" if change.sure else "perhaps ended"
    return Entry(
        change.by.memory_id,
        heading("change", f"{day(change.since)}: the first statement was {sure} by the second ({change.rule})"),
        f"{day(change.ended.said_at)}: {change.ended.text}\n{day(change.by.said_at)}: {change.by.text}",
        f"{citation(change.by.uri, change.by.span)} source: {change.by.source_id}",
        {
            "kind": "change",
            "ended": change.ended.memory_id,
            "by": change.by.memory_id,
            "since": change.since.isoformat(),
            "sure": change.sure,
            "rule": change.rule,
            "source_id": change.by.source_id,
            "uri": citation(change.by.uri),
            "span": list(change.by.span),
        },
    )
