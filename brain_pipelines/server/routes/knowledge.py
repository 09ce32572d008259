"""Routes that read what is known: the graph, storylines, notes, and counts of what is stored."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.pages import Limit, Offset, cut
from brain_pipelines.server.state import In, example, router_for
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.knowledge.stories.closed import without_closed

router = router_for("read", "knowledge")
Name = Annotated[str, Query(min_length=1, max_length=300)]
Maybe = Annotated[str | None, Query(max_length=300)]
Time = Annotated[str | None, Query(max_length=40, description="ISO 8601 date or time.")]


@router.get("/graph/stats", responses=example({"node.person": 12, "edge.mentions": 80}))
async def graph_stats(context: In) -> Response:
    """Count the nodes and edges of the newest snapshot by kind."""
    return await context.read(_graph_stats)


def _graph_stats(opened: Opened) -> dict[str, int]:
    return opened.graph.stats()


@router.get("/graph/neighborhood", responses=example({"center": {"key": "entity_1c…"}, "neighbours": [], "edges": []}))
async def neighborhood(
    context: In,
    key: Name,
    hops: Annotated[int, Query(ge=1, le=3)] = 1,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    as_of: Time = None,
    known_at: Time = None,
) -> Response:
    """Return the nodes around an entity (id or name), at most three steps away."""
    return await context.read(_neighborhood, key, hops, limit, as_of, known_at)


def _neighborhood(
    opened: Opened, key: str, hops: int, limit: int, as_of: str | None, known_at: str | None
) -> dict[str, Any]:
    found = opened.graph.neighbours(
        _key(opened, key), hops=hops, limit=limit, as_of=_at(opened, as_of), known_at=_at(opened, known_at)
    )
    if found is None:
        raise ProblemError(404, "there is no such entity in the graph")
    return plain(asdict(found))


@router.get("/graph/path", responses=example({"nodes": [], "edges": [], "strength": 0.5}))
async def path(
    context: In,
    start: Annotated[str, Query(alias="from", min_length=1, max_length=300)],
    end: Annotated[str, Query(alias="to", min_length=1, max_length=300)],
    max_hops: Annotated[int, Query(ge=1, le=8)] = 5,
    as_of: Time = None,
) -> Response:
    """Return the strongest shortest path between two entities (ids or names)."""
    return await context.read(_path, start, end, max_hops, as_of)


def _path(opened: Opened, start: str, end: str, max_hops: int, as_of: str | None) -> dict[str, Any]:
    ends = _key(opened, start), _key(opened, end)
    found = opened.graph.shortest_path(*ends, max_hops=max_hops, as_of=_at(opened, as_of))
    if found is None:
        raise ProblemError(404, "no path connects them")
    return plain(asdict(found))


@router.get("/graph/entity/{entity}", responses=example({"name": "Priya Nair", "facts": [], "notes": []}))
async def entity(context: In, entity: str, as_of: Time = None) -> Response:
    """Return an entity (id or name): who or what it is, what holds, its notes, storylines and sources."""
    return await context.read(_entity, entity, as_of)


def _entity(opened: Opened, entity: str, as_of: str | None) -> dict[str, Any]:
    try:
        return opened.brain.knowledge().entity(entity, as_of=as_of).to_json()
    except InvalidQueryError as error:
        if as_of is not None and "ISO 8601" in str(error):
            raise
        raise ProblemError(404, "there is no such entity") from None


@router.get("/storylines", responses=example({"storylines": [], "total": 0, "next_offset": None}))
async def storylines(
    context: In, about: Maybe = None, only_open: Annotated[bool, Query(alias="open")] = False, limit: Limit = 50,
    offset: Offset = 0,
) -> Response:  # fmt: skip
    """List macros, then storylines, newest first."""
    return await context.read(_storylines, about, only_open, limit, offset)


def _storylines(opened: Opened, about: str | None, only_open: bool, limit: int, offset: int) -> dict[str, Any]:
    try:
        known = opened.brain.knowledge()
        cards = known.storylines(about, open_only=only_open)
    except InvalidQueryError as error:
        raise ProblemError(404, str(error)) from None
    cards = cards if about is not None else without_closed(known, cards)
    shown = cut("storylines", cards, limit, offset)
    return {**shown, "storylines": [card.to_json() for card in shown["storylines"]]}


@router.get("/notes", responses=example({"notes": [], "total": 0, "next_offset": None}))
async def notes(
    context: In, about: Maybe = None, expired: bool = False, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """List what was written into memory, newest first."""
    return await context.read(_notes, about, expired, limit, offset)


def _notes(opened: Opened, about: str | None, expired: bool, limit: int, offset: int) -> dict[str, Any]:
    from brain_pipelines.ingest.note_list import list_notes

    found = list_notes(opened.home.space(opened.user), about, expired=expired, now=datetime.now(UTC))
    return cut("notes", found, limit, offset)


@router.get(
    "/knowledge/pipeline/retrieval-stats",
    responses=example({"totalEmbeddings": 120, "totalEvidence": 14, "totalEntities": 31, "bucketDistribution": {}}),
)
async def retrieval_stats(context: In) -> Response:
    """Count what can be retrieved: vectors, sources, entities, and sources by bucket."""
    return await context.read(_stats)


def _stats(opened: Opened) -> dict[str, Any]:
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.index.migration import active_index
    from brain_retrieval.stores.lake import Lake

    known, space = opened.brain.knowledge(), opened.home.space(opened.user)
    with Catalog(space) as catalog:
        lake, index = Lake(space, catalog), active_index(space, catalog)
        buckets = Counter(lake.read("enrichments", columns=["bucket"])["bucket"].to_pylist())
        return {
            "totalEmbeddings": index.count() if index is not None and index.exists() else 0,
            "totalEvidence": sum(file.rows for file in catalog.lake_files("text")),
            "totalEntities": known.table("known_entities").height if known.day else 0,
            "bucketDistribution": {str(name): count for name, count in sorted(buckets.items(), key=str) if name},
        }


def _key(opened: Opened, named: str) -> str:
    """Return the key of a node by its key or name.

    Raises:
        ProblemError: 404 if there is none.
    """
    if opened.graph.node(named) is not None:
        return named
    found = opened.graph.find(named, limit=1)
    if not found:
        raise ProblemError(404, "there is no such entity in the graph")
    return found[0].key


def _at(opened: Opened, moment: str | None) -> datetime | None:
    from brain_retrieval.moments import to_moment

    return None if moment is None else to_moment(moment, opened.settings.zone)
