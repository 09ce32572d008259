"""People, projects and other names: the list, and the page of one with what is known of it over time."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse, Response

from brain_pipelines.server.page.graph_svg import Drawing, draw
from brain_pipelines.server.page.visit import In, router_for
from brain_pipelines.server.page.words import word
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.cards import EntityCard
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.shown.display import MIN_KEEP
from brain_retrieval.knowledge.reader import Knowledge

router = router_for("read")
PER_PAGE, CANDIDATES, NEIGHBOURS, FACTS = 60, 400, 10, 40
CLASSES = ("Person", "Entity", "Concept")
Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Text = Annotated[str, Query(max_length=300)]


@router.get("/names")
async def names(visit: In, q: Text = "", of: Text = "", offset: Offset = 0) -> Response:
    """List who and what is known, the most often mentioned first."""
    return await visit.show("names.html", lambda opened: _names(opened, q.strip(), of, offset))


def _names(opened: Opened, q: str, of: str, offset: int) -> dict[str, Any]:
    import polars as pl

    from brain_retrieval.language.folding import fold

    known = opened.brain.knowledge()
    frame: dict[str, Any] = {"q": q, "of": of, "classes": CLASSES, "offset": offset, "step": PER_PAGE}
    if known.day is None:
        return {**frame, "rows": [], "total": 0, "snapshot": None}
    table = known.table("known_entities")
    if of in CLASSES:
        table = table.filter(pl.col("entity_class") == of)
    if q:
        forms = known.table("entity_names").with_columns(
            pl.col("display").map_elements(fold, return_dtype=pl.String).alias("form")
        )
        wanted = forms.filter(pl.col("form").str.contains(fold(q), literal=True))["entity_id"].unique().to_list()
        table = table.filter(pl.col("entity_id").is_in(wanted))
    ordered = table.sort(["source_count", "name"], descending=[True, False])
    return {
        **frame,
        "rows": ordered[offset : offset + PER_PAGE].to_dicts(),
        "total": table.height,
        "snapshot": known.day,
    }


@router.get("/about/{name:path}")
async def about(visit: In, name: str, as_of: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show one person, project or other name (an id or a name)."""
    try:
        return await visit.show("about.html", lambda opened: _about(opened, name, as_of.strip()))
    except ProblemError as error:
        if error.status_code != 404:
            raise
        return HTMLResponse(visit.html("unknown.html", {"name": name, "detail": str(error.detail)}), error.status_code)


def _about(opened: Opened, name: str, as_of: str) -> dict[str, Any]:
    known = opened.brain.knowledge()
    moment = as_of or None
    try:
        card = known.entity(name, as_of=moment)
    except InvalidQueryError as error:
        if as_of and "ISO 8601" in str(error):
            raise
        said = str(error)[:1].upper() + str(error)[1:]
        raise ProblemError(404, said if said.endswith("?") else f"{said}.") from None
    audit = opened.brain.audit(card.name, at=moment)
    facts = known.facts(card.entity_id, as_of=moment, history=not as_of, limit=FACTS) if known.day else []
    return {
        "card": card,
        "as_of": as_of,
        "months": _months(_likely(known, card, moment)),
        "changes": [one for one in audit.changes if one.sure],
        "facts": sorted(facts, key=lambda one: (one.status != "current", -one.confidence, one.fact_id)),
        "drawing": _drawing(opened, card, as_of) if known.day else None,
    }


def _likely(known: Knowledge, card: EntityCard, as_of: str | None) -> list[MemoryCard]:
    """Return the statements about an entity that a reader probably wants, newest first; with what has ended."""
    from brain_retrieval.moments import to_moment

    at = None if as_of is None else to_moment(as_of, known.settings.zone)
    found = known.memory_reader.about(card.name, at=at, limit=CANDIDATES)
    shown = [one for one in found if (one.keep >= MIN_KEEP or one.method != "local") and one.modality != "question"]
    return sorted(shown, key=lambda one: (one.effective_from, one.said_at, one.memory_id), reverse=True)


def _months(cards: Sequence[MemoryCard]) -> list[tuple[str, list[MemoryCard]]]:
    return [(month, list(found)) for month, found in groupby(cards, key=lambda card: _month(card.effective_from))]


def _month(at: datetime) -> str:
    return f"{word(f'{at:%B}')} {at.year}"


def _drawing(opened: Opened, card: EntityCard, as_of: str) -> Drawing | None:
    from brain_retrieval.moments import to_moment
    from brain_retrieval.stores.graph.protocol import FACT_KINDS

    at = to_moment(as_of, opened.settings.zone) if as_of else None
    kinds = [kind for kind in FACT_KINDS if kind != "has_value"]
    found = opened.graph.neighbours(card.entity_id, kinds=kinds, as_of=at, limit=NEIGHBOURS)
    drawing = draw(found) if found else None
    return drawing if drawing and drawing.spots else None
