"""Routes that search and pack: passages, context packs, memories, facts at a time, audits."""

from typing import Any

from starlette.responses import Response

from brain_pipelines.server.pool import Opened
from brain_pipelines.server.routes.bodies import AuditBody, ContextBody, FactsBody, MemoryBody, RetrieveBody, SearchBody
from brain_pipelines.server.state import In, example, router_for
from brain_retrieval.errors import NoSnapshotError

router = router_for("read", "search")
_HIT = {
    "rank": 1,
    "score": 0.65,
    "text": "The launch of the new UI is on 30 March.",
    "source_ref": {"source_id": "source_4f…", "source": "note", "uri": "inbox:note/launch.md", "span": [0, 40]},
}


@router.post("/search", responses=example({"hits": [_HIT], "warnings": [], "nearest": None}))
async def search(context: In, body: SearchBody) -> Response:
    """Search passages; each with its source, its score breakdown and its times."""
    return await context.read(_found, body)


def _found(opened: Opened, body: SearchBody) -> dict[str, Any]:
    return opened.brain.search(body.query, body.k, **body.options()).to_json()


@router.post("/memory/context-pack", responses=example({"text": "[1:k3f] 5 Jan 2026 note: …", "items": [_HIT]}))
async def context_pack(context: In, body: ContextBody) -> Response:
    """Pack the best passages into one cited text for a model, within a budget of tokens."""
    return await context.read(_packed, body)


def _packed(opened: Opened, body: ContextBody) -> dict[str, Any]:
    included: dict[str, Any] = {f"include_{kind}": True for kind in body.include}
    return opened.brain.context(body.query, body.max_tokens, **{**body.options(), **included}).to_json()


@router.post(
    "/knowledge/pipeline/retrieve", responses=example({"context": "…", "totalTokens": 812, "evidence": [_HIT]})
)
async def retrieve(context: In, body: RetrieveBody) -> Response:
    """Retrieve a context for a query: its text, the evidence in it, and the entities that the query names."""
    return await context.read(_retrieved, body)


def _retrieved(opened: Opened, body: RetrieveBody) -> dict[str, Any]:
    pack = opened.brain.context(
        body.query, body.max_tokens, include_entities=body.include_entities, buckets=True
    ).to_json()
    return {
        "context": pack["text"],
        "totalTokens": pack["total_tokens"],
        "evidence": pack["items"],
        "entities": [one for one in pack["known"] if one["kind"] == "entity"],
        "warnings": pack["warnings"],
    }


@router.post("/memory/query", responses=example({"memories": [{"text": "The launch is on 30 March."}], "hits": [_HIT]}))
async def query(context: In, body: MemoryBody) -> Response:
    """Return the memories about a question, what holds first, and the passages found for it."""
    return await context.read(_remembered, body)


def _remembered(opened: Opened, body: MemoryBody) -> dict[str, Any]:
    cards = opened.brain.facts(body.query, as_of=body.as_of, known_at=body.known_at, limit=body.limit)
    memories = [card.to_json() for card in cards]
    if not body.k:
        return {"memories": memories, "hits": [], "warnings": []}
    found = opened.brain.search(body.query, body.k, as_of=body.as_of, known_at=body.known_at).to_json()
    return {"memories": memories, "hits": found["hits"], "warnings": found["warnings"]}


@router.post("/memory/facts/query-at-time", responses=example({"about": "launch", "at": "2026-01-31", "memories": []}))
async def facts_at_time(context: In, body: FactsBody) -> Response:
    """Return what held about a name or topic at a time; relations of the graph if there is a snapshot."""
    return await context.read(_held, body)


def _held(opened: Opened, body: FactsBody) -> dict[str, Any]:
    from brain_retrieval.errors import InvalidQueryError

    known = opened.brain.knowledge(known_at=body.known_at)
    cards = opened.brain.facts(body.about, as_of=body.at, known_at=body.known_at, limit=body.limit)
    memories = [card.to_json() for card in cards]
    relations, warnings = list[dict[str, Any]](), list[str]()
    try:
        relations = [card.to_json() for card in known.facts(body.about, as_of=body.at, limit=body.limit)]
    except (NoSnapshotError, InvalidQueryError) as error:  # memories need neither a snapshot nor a known name
        warnings.append(str(error))
    return {"about": body.about, "at": body.at, "memories": memories, "relations": relations, "warnings": warnings}


@router.post("/memory/audit", responses=example({"about": "launch", "state": [], "known": [], "changes": []}))
async def audit(context: In, body: AuditBody) -> Response:
    """Return what held at a time, what was known then, and which statement ended which."""
    return await context.read(_audited, body)


def _audited(opened: Opened, body: AuditBody) -> dict[str, Any]:
    return opened.brain.audit(body.about, at=body.at, known_at=body.known_at).to_json()
