"""Tools that read the graph of people, concepts and entities: graph_search, graph_inspect, graph_path."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from brain_pipelines.server.mcp.answers import Answer, Entry, answer, citation, day, heading
from brain_pipelines.server.mcp.arguments import About, EntityClass, Limit, MaxTokens, Query, When
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.recall_tools import relation, statement
from brain_retrieval.errors import InvalidQueryError

if TYPE_CHECKING:
    from brain_retrieval.knowledge.cards import EntityCard
    from brain_retrieval.stores.graph.protocol import GraphStore, Node, Path

CLASSES = ("person", "concept", "entity")
SEEDS, NAMED = 8, 5  # passages that a search by meaning begins at; neighbours named beside an entity
LEAST = 0.05  # score of a passage to begin at: below it nothing in the passage answers the question
EMPTY = "The graph is empty: it is computed with the nightly snapshot (`brain nightly`). Use memory_search until then."


def graph_search(
    memory: UserMemory,
    query: Query,
    entity_class: Annotated[EntityClass | None, Field(description="Only people, concepts, or other entities.")] = None,
    limit: Limit = 10,
    max_tokens: MaxTokens = 1000,
) -> Answer:
    """Find people, projects, organisations, places and concepts by name, or those that a question is about.

    Use it to get the id and exact name of something before graph_inspect, graph_path or a note, and to see who or what
    is connected to a topic. For passages use memory_search. Example: graph_search(query="Priya"), or
    graph_search(query="who works on usability testing", entity_class="person").
    """
    kinds = (entity_class,) if entity_class else CLASSES
    with memory.graph() as graph:
        found = graph.find(query, prefix=True, kinds=kinds, limit=limit)
        how = "Found by name."
        if not found:
            found, how = _by_meaning(memory, graph, query, kinds, limit), "Connected to what the question is about."
        entries = [_node_entry(graph, node) for node in found]
        empty = not entries and not graph.stats()
    title = EMPTY if empty else how if entries else "No entity has such a name, and none is connected to the question."
    advice = "Look closer with graph_inspect(name=<id>)." if entries else ""
    return answer(title, entries, counter=memory.counter, max_tokens=max_tokens, advice=advice)


def graph_inspect(
    memory: UserMemory,
    name: About,
    as_of: When = None,
    include_neighborhood: Annotated[bool, Field(description="Also the entities it is connected to.")] = True,
    limit: Limit = 8,
    max_tokens: MaxTokens = 1500,
) -> Answer:
    """Show one person, project, organisation or concept: who it is, what holds, plans, notes, relations, sources.

    Takes a name or an entity id. If the name could mean several, the others are listed as `similar`. Use
    memory_recall for a topic without an entity. Example: graph_inspect(name="Priya Nair").
    """
    card = memory.knowledge().entity(name, as_of=as_of)
    sections = card.memories
    cards = [one for one in (sections.who, sections.relation) if one]
    cards += [*sections.current, *sections.changes, *sections.plans]
    entries = [_card_entry(card), *(statement(one) for one in cards[:limit])]
    entries += [
        Entry(note.note_id, heading("note", day(note.date_added), f"by {note.added_by}"), note.content)
        for note in card.notes[:limit]
    ]
    entries += [relation(fact) for fact in card.facts[:limit]]
    if include_neighborhood:
        entries += _neighbours(memory, card.entity_id, as_of, limit)
    entries += [
        Entry(story.id, heading("storyline", day(story.started_at), day(story.last_event_at)), story.name)
        for story in card.storylines[:3]
    ]
    entries += [
        Entry(one.source_id, heading("source", day(one.event_at), one.source_type, one.title), "", citation(one.uri))
        for one in card.sources[:5]
    ]
    return answer(
        "What is known about one entity.", entries, counter=memory.counter, max_tokens=max_tokens,
        advice="Read a source with memory_get(id=source_…), a storyline as resource brain://storyline/<id>.",
        details={"entity_id": card.entity_id, "class": card.entity_class, "snapshot": card.snapshot},
    )  # fmt: skip


def graph_path(
    memory: UserMemory,
    from_name: Annotated[str, Field(min_length=1, max_length=300, description="A name or an entity id.")],
    to_name: Annotated[str, Field(min_length=1, max_length=300, description="A name or an entity id.")],
    max_hops: Annotated[int, Field(ge=1, le=8, description="At most so many steps.")] = 4,
    as_of: When = None,
    max_tokens: MaxTokens = 1000,
) -> Answer:
    """Explain how two people, projects or things are connected: the strongest shortest path, step by step.

    Steps are relations; without such a path, sources and storylines that mention both. Example:
    graph_path(from_name="Mei Tanaka", to_name="component library").
    """
    from brain_retrieval.moments import to_moment
    from brain_retrieval.query.explained.connection import path_between

    moment = None if as_of is None else to_moment(as_of, memory.brain.settings.zone)
    ends = [_entity_id(memory, name) for name in (from_name, to_name)]
    if ends[0] == ends[1]:
        raise InvalidQueryError("both names are the same entity; give two different ones")
    with memory.graph() as graph:
        found = path_between(graph, ends[0], ends[1], max_hops=max_hops, as_of=moment)
        entries = list(_steps(found)) if found else []
    if found is None or not entries:
        advice = "Look at each with graph_inspect, or search for passages that name both."
        title = f"No path of at most {max_hops} steps."
        return answer(title, [], counter=memory.counter, max_tokens=max_tokens, advice=advice)
    title = f"A path of {len(found.edges)} steps, strength {found.strength:.2f}."
    details = {"nodes": [node.key for node in found.nodes], "strength": round(found.strength, 4)}
    return answer(title, entries, counter=memory.counter, max_tokens=max_tokens, details=details)


def _by_meaning(memory: UserMemory, graph: "GraphStore", query: str, kinds: Iterable[str], limit: int) -> "list[Node]":
    hits = memory.brain.search(query, SEEDS, session=memory.session, expand=False)
    seeds = {hit.source_ref.source_id: hit.score for hit in reversed(hits) if hit.score >= LEAST}
    seeds = {key: score for key, score in seeds.items() if graph.node(key)}
    if not seeds:
        return []
    ranked = graph.pagerank(seeds, top_k=10 * limit, max_depth=2)
    wanted = set(kinds)
    return [one.node for one in ranked if one.node.kind in wanted][:limit]


def _node_entry(graph: "GraphStore", node: "Node") -> Entry:
    near = graph.neighbours(node.key, kinds=_fact_kinds(), limit=NAMED)
    others = [one.node.name for one in near.neighbours if one.node.kind in CLASSES] if near else []
    text = str(node.properties.get("description") or "")
    if others:
        text += f"\nconnected to: {', '.join(others)}"
    count = node.properties.get("source_count")
    values = {"name": heading(node.name), "kind": node.kind, "type": node.type, "sources": count}
    return Entry(node.key, heading(node.name, node.type, _in_sources(count or 0)), text, "", values)


def _in_sources(count: int) -> str:
    return "" if count < 1 else "in 1 source" if count == 1 else f"in {count} sources"


def _card_entry(card: "EntityCard") -> Entry:
    aliases = f"also called: {', '.join(card.aliases)}" if card.aliases else ""
    similar = f"similar names: {', '.join(card.similar)}" if card.similar else ""
    owner = "the user" if card.is_owner else ""
    contact = f"last contact {day(card.last_contact)}" if card.last_contact else ""
    return Entry(
        card.entity_id,
        heading(card.name, card.type, owner, _in_sources(card.source_count), contact),
        "\n".join(part for part in (card.description, aliases, similar) if part),
        "",
        {"name": heading(card.name), "class": card.entity_class, "type": card.type, "kind": "entity"},
    )


def _neighbours(memory: UserMemory, entity_id: str, as_of: str | None, limit: int) -> list[Entry]:
    from brain_retrieval.moments import to_moment

    moment = None if as_of is None else to_moment(as_of, memory.brain.settings.zone)
    with memory.graph() as graph:
        near = graph.neighbours(entity_id, kinds=_fact_kinds(), as_of=moment, limit=limit)
        if near is None:
            return []
        return [
            Entry(
                one.node.key,
                heading("connected", one.node.name, one.node.type, f"strength {one.strength:.2f}"),
                "",
                "",
                {"kind": "neighbour", "name": heading(one.node.name), "hops": one.hops},
            )
            for one in near.neighbours
            if one.node.kind in CLASSES
        ]


def _entity_id(memory: UserMemory, name: str) -> str:
    card = memory.knowledge().entity(name)
    if card.snapshot is None:
        raise InvalidQueryError(EMPTY)
    return card.entity_id


def _steps(path: "Path") -> Iterable[Entry]:
    from brain_retrieval.query.explained.connection import steps_of

    for edge, node, said in zip(path.edges, path.nodes[1:], steps_of(path), strict=True):
        since = f"since {day(edge.valid_from)}" if edge.valid_from else ""
        values: dict[str, Any] = {"kind": edge.kind, "from": edge.start, "to": edge.end, "name": heading(node.name)}
        yield Entry(node.key, heading("to", node.name, node.type, since, f"{edge.confidence:.2f}"), said, "", values)


def _fact_kinds() -> tuple[str, ...]:
    from brain_retrieval.stores.graph.protocol import FACT_KINDS

    return FACT_KINDS
