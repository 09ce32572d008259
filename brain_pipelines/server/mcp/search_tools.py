"""Tools that read passages: memory_search, memory_get, memory_context."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from brain_pipelines.server.mcp.answers import Answer, Entry, answer, citation, cut, day, heading
from brain_pipelines.server.mcp.arguments import KnownAt, Limit, MaxTokens, Names, Query, When
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.stored import memory_row, source_text
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.packs.fence import quoted

if TYPE_CHECKING:
    from brain_retrieval.query.hits import Hit

BEFORE = 200  # characters shown before a span


def memory_search(
    memory: UserMemory,
    query: Query,
    limit: Limit = 6,
    as_of: When = None,
    known_at: KnownAt = None,
    sources: Annotated[
        Names, Field(description='Source types: "note", "email", "conversation", "meeting", "document", "web-page", …')
    ] = None,
    people: Annotated[Names, Field(description="Names of speakers or authors.")] = None,
    day_from: Annotated[str | None, Field(max_length=10, description="First day of the events, YYYY-MM-DD.")] = None,
    day_to: Annotated[str | None, Field(max_length=10, description="Last day of the events.")] = None,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Search everything the user has stored (notes, mail, chats, meetings, documents, web pages) for passages.

    Use it first for any question about the user's life, work, people or documents, and to find the source of a claim.
    For short statements of what is known use memory_recall, for one person or project graph_inspect. Passages come
    best first with uri and span; read more of one with memory_get(id=…, start=…). No passage means nothing stored
    answers it: do not guess. Example: memory_search(query="who approved the usability lab", people=["Daniel Weber"]).
    """
    found = memory.brain.search(
        query,
        limit,
        as_of=as_of,
        known_at=known_at,
        sources=sources,
        people=people,
        day_from=day_from,
        day_to=day_to,
        session=memory.session,
    )
    if not found:
        entries = [_passage(found.nearest)] if found.nearest else []
        title = "Nothing stored answers this." + (" The nearest passage, probably not an answer:" if entries else "")
        advice = "Try other words, fewer filters, or memory_recall with a name."
        return _answer(memory, title, entries, max_tokens, found.warnings, advice)
    advice = "Read on with memory_get(id=…, start=…). Cite uri and span."
    return _answer(
        memory, "Passages, best first.", [_passage(hit) for hit in found], max_tokens, found.warnings, advice
    )


def memory_get(
    memory: UserMemory,
    id: Annotated[  # noqa: A002 the name that models know from other memory servers
        str, Field(min_length=1, max_length=1000, description="Id or uri from another tool: source_…, memory_…")
    ],
    start: Annotated[int, Field(ge=0, description="First character, as in a cited span [start:end].")] = 0,
    end: Annotated[
        int | None, Field(ge=1, description="Last character; to the end of the budget if not given.")
    ] = None,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Read the text of one stored source, or the passage around a cited span.

    Use it after memory_search or memory_recall, when a passage is cut or its surroundings matter. Long sources are
    read in pages: the answer says with which start the next page begins. Takes source ids, source uris and memory ids;
    for entity ids use graph_inspect. Example: memory_get(id="source_3c16…", start=106).
    """
    row = memory_row(memory.brain.space, id) if id.startswith("memory_") else None
    if row is not None:
        start, end = start or max(0, row["start"] - BEFORE), end or row["end"] + BEFORE
    elif id.startswith(("entity_", "storyline_", "macro_")):
        kind = "graph_inspect" if id.startswith("entity_") else "the resource brain://storyline/" + id
        raise InvalidQueryError(f"that is no source; read it with {kind}")
    found = source_text(memory.brain.space, row["source_id"] if row else id)
    if end is not None and end <= start:
        raise InvalidQueryError(f"end must be above start, which is {start}")
    if start and start >= len(found.text):
        raise InvalidQueryError(f"the source has {len(found.text)} characters; start must be below that")
    whole = found.text[start : end if end is not None else start + max_tokens * 8]
    text = cut(whole, memory.counter, max_tokens).removesuffix(" …")
    until = start + len(text)
    rest = len(found.text) - until
    entry = Entry(
        found.source_id,
        heading(day(found.event_at), found.source, found.title),
        text,
        citation(found.uri, (start, until)),
        {"uri": citation(found.uri), "span": [start, until], "characters": len(found.text)},
    )
    more = f"{rest} characters follow: memory_get(id={found.source_id!r}, start={until})." if rest > 0 else ""
    return answer(
        "Text of a stored source.", [entry], counter=memory.counter, max_tokens=max_tokens * 2, advice=more,
        details={"next_start": until} if rest > 0 else {},
    )  # fmt: skip


def memory_context(
    memory: UserMemory,
    message: Annotated[
        str | None, Field(max_length=4000, description="The user's first message, if there is one already.")
    ] = None,
    max_tokens: MaxTokens = 1300,
) -> Answer:
    """Load what to know at the start of a conversation: the time, who the user is, goals, relations, recent sources.

    Call it once, before the first answer. With `message` it also brings passages and facts for that message. Later in
    the conversation use memory_search and memory_recall instead. Example: memory_context(message="Plan my week").
    """
    start = memory.brain.conversation_context(max_tokens // 2 if message else max_tokens)
    packs = [start]
    if message and message.strip():
        rest = max(100, max_tokens - start.total_tokens)
        pack = memory.brain.context(
            message,
            rest,
            include_memories=True,
            include_entities=True,
            include_relationships=True,
            session=memory.session,
        )
        packs.append(pack)
    warnings = list(dict.fromkeys(warning for pack in packs for warning in pack.warnings))
    texts = [pack.text for pack in packs if pack.text] or ["Nothing is stored yet; memory_store keeps what matters."]
    known = [{"id": one.id, "text": quoted([one.text])} for pack in packs for one in pack.known if one.id]
    cited = [
        {"id": ref.source_id, "uri": citation(ref.uri), "span": list(ref.span), "citation": item.citation}
        for pack in packs
        for item in pack.items
        for ref in (item.hit.source_ref,)
    ]
    empty = answer("", [], counter=memory.counter, max_tokens=max_tokens, warnings=warnings)
    ids = [f"[{one['citation']}] {one['uri']} {one['span'][0]}:{one['span'][1]} id: {one['id']}" for one in cited]
    sources = ["Sources of the numbered passages, for memory_get:", *ids] if ids else []
    noted = [f"warning: {warning}" for warning in empty.values["warnings"]]
    values = {**empty.values, "items": [*cited, *known], "details": {"text": "\n\n".join(texts)}}
    return Answer("\n".join(["\n\n".join(texts), *sources, *noted]), values)


def _answer(
    memory: UserMemory, title: str, entries: list[Entry], max_tokens: int, warnings: list[str], advice: str
) -> Answer:
    return answer(title, entries, counter=memory.counter, max_tokens=max_tokens, warnings=warnings, advice=advice)


def _passage(hit: "Hit") -> Entry:
    ref, times = hit.source_ref, hit.temporal_context
    ended = times.superseded_by
    place = ref.place if ref.place != ref.title else None  # the first heading of a note is its title
    newer = None
    if ended is not None:
        newer = f"{'ended' if ended.sure else 'perhaps ended'} by a newer statement: {ended.text}"
    return Entry(
        ref.source_id,
        heading(day(ref.time or times.event_at), ref.source, ref.title, place, f"relevance {hit.score:.2f}", newer),
        hit.text,
        citation(ref.uri, ref.span),
        {
            "uri": citation(ref.uri),
            "span": list(ref.span),
            "score": round(hit.score, 4),
            "at": (ref.time or times.event_at).isoformat(),
            "source": ref.source,
            "chunk_id": ref.chunk_id,
            "ended_by": ended.source_ref.source_id if ended else "",
        },
    )
