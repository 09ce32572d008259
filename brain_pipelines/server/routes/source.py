"""Routes that read sources back: the list, one with its text, spans and chunks, and its original bytes."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response, StreamingResponse

from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.pages import Limit, Offset, page
from brain_pipelines.server.state import Context, In, example, router_for
from brain_retrieval.errors import InvalidQueryError

router = router_for("read", "sources")
PIECE_BYTES = 1 << 18
_COUNT = "SELECT count(*) AS n FROM text WHERE ($1 IS NULL OR source = $1)"
_LIST = """
SELECT source_id, source, uri, day, event_at, received_at, title, format, language, length(text) AS characters,
  count(*) OVER () AS total
FROM text WHERE ($1 IS NULL OR source = $1) ORDER BY event_at DESC, source_id LIMIT $2 OFFSET $3
"""
_TEXT = "SELECT substr(text, $2 + 1, $3) AS text, length(text) AS characters, segments FROM text WHERE source_id = $1"
_CHUNKS = """
SELECT chunk_id, position, start, "end", text, token_count, section, page, box, start_seconds, end_seconds, cells,
  speakers, time FROM chunks WHERE source_id = $1 AND start < $3 AND "end" > $2 ORDER BY position
"""


@router.get("/sources", responses=example({"sources": [], "total": 0, "next_offset": None}))
async def list_sources(
    context: In, source: Annotated[str | None, Query(max_length=40)] = None, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """List the sources, newest first."""
    return await context.read(_list, source, limit, offset)


def _list(opened: Opened, source: str | None, limit: int, offset: int) -> dict[str, Any]:
    rows = _rows(opened, _LIST, [source, limit, offset])
    total = rows[0]["total"] if rows else _rows(opened, _COUNT, [source])[0]["n"]
    shown = [{key: value for key, value in row.items() if key != "total"} for row in rows]
    return page("sources", shown, total, offset)


@router.get("/sources/{source_id}", responses=example({"source": {"title": "Launch"}, "text": "…", "chunks": []}))
async def source(
    context: In,
    source_id: str,
    offset: Annotated[int, Query(ge=0, description="First character of the text to return.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000_000, description="Characters to return.")] = 100_000,
) -> Response:
    """Return a source: what is known of it, and the text of a range with the spans and chunks that touch it."""
    return await context.read(_source, source_id, offset, limit)


def _source(opened: Opened, source_id: str, offset: int, limit: int) -> dict[str, Any]:
    try:
        card = opened.brain.source(source_id)
    except InvalidQueryError:
        raise ProblemError(404, "there is no such source") from None
    own = card.source_id
    row = _rows(opened, _TEXT, [own, offset, limit])[0]
    end = offset + len(row["text"])
    spans = [one for one in row["segments"] or () if one["start"] < end and one["end"] > offset]
    return {
        "source": card.to_json(),
        "offset": offset,
        "text": row["text"],
        "spans": [{key: value for key, value in one.items() if value is not None} for one in spans],
        "chunks": _rows(opened, _CHUNKS, [own, offset, end]),
        "next_offset": end if end < row["characters"] else None,
    }


@router.get("/sources/{source_id}/bytes", responses={200: {"content": {"application/octet-stream": {}}}})
async def original(context: In, source_id: str) -> Response:
    """Return the original bytes of a source, if the settings keep them."""
    opened = ExitStack()
    path = await context.server.work.read(context.asker, lambda: _open(context, source_id, opened))
    headers = {"Content-Disposition": "attachment", "Content-Length": str(path.stat().st_size)}
    # never the type that the file claims: a browser must not show it
    return StreamingResponse(_pieces(path, opened), media_type="application/octet-stream", headers=headers)


def _open(context: Context, source_id: str, opened: ExitStack) -> Any:
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError

    context.server.home.existing_space(context.user)
    with open_landing(context.space, context.server.settings) as landing:
        row = landing.rows("SELECT sha256 FROM item WHERE source_id = ?", (source_id,))
        if not row:
            raise ProblemError(404, "there is no such source")
        try:
            return opened.enter_context(landing.raw.open(row[0][0]))
        except BytesDroppedError as error:
            raise ProblemError(410, str(error)) from None
        except LostBytesError as error:
            raise ProblemError(404, str(error)) from None


def _pieces(path: Any, opened: ExitStack) -> Iterator[bytes]:
    with opened, path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _rows(opened: Opened, sql: str, values: list[Any]) -> list[dict[str, Any]]:
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.lake import Lake
    from brain_retrieval.stores.lake_query import query

    with Catalog(opened.home.space(opened.user)) as catalog:
        return query(Lake(opened.home.space(opened.user), catalog), sql, values).to_pylist()
