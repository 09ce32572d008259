"""A source with the passage in its place: text, mail thread, chat, transcript with a player, page with a box."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from brain_pipelines.server.page.highlight import Span
from brain_pipelines.server.page.lake import rows
from brain_pipelines.server.page.media import GONE, media_type_of
from brain_pipelines.server.page.page_picture import can_show
from brain_pipelines.server.page.parts import Part, boxes_on, parts_of
from brain_pipelines.server.page.team_space import holding
from brain_pipelines.server.page.visit import In, router_for
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.source_card import SourceCard

router = router_for("read")
WINDOW, BEFORE = 40_000, 4_000  # characters of a long text on one page; so many of them before the passage
THREAD = 30  # mails
Place = Annotated[int | None, Query(ge=0, le=1 << 40)]
_TEXT = """
SELECT substr(text, $2 + 1, $3) AS text, length(text) AS characters, segments, anchors FROM text WHERE source_id = $1
"""
_THREAD = """
SELECT source_id, uri, title, event_at, text, segments, participants FROM text
WHERE source = $2 AND parent_id IS NULL AND json_extract_string(attributes, '$.thread_id') = $1
ORDER BY event_at, source_id LIMIT $3
"""


@router.get("/source/{source_id}")
async def source(
    visit: In, source_id: str, start: Place = None, end: Place = None, offset: Place = None,
    t: Annotated[float | None, Query(ge=0, le=1e7)] = None,
    page: Annotated[int | None, Query(ge=1, le=100_000)] = None,
) -> Response:  # fmt: skip
    """Show a source.

    Args:
        start, end: the passage to mark.
        offset: first character to show of a long text.
        t: where a player begins, in seconds.
        page: which page of a document is drawn.
    """
    span = (start, end) if start is not None and end is not None and start < end else None
    view = View(span, offset, t, page)
    return await visit.show("source.html", lambda opened: _source(opened, source_id, view))


@dataclass(frozen=True)
class View:
    """What of a source is asked for."""

    span: Span | None
    offset: int | None
    seconds: float | None
    page: int | None


def _source(opened: Opened, source_id: str, view: View) -> dict[str, Any]:
    with holding(opened, source_id) as stores:
        return {**_shown(stores, source_id, view), "team": "" if stores.user == opened.user else stores.user}


def _shown(opened: Opened, source_id: str, view: View) -> dict[str, Any]:
    card, span, offset = card_of(opened, source_id), view.span, view.offset
    first = offset if offset is not None else max(0, span[0] - BEFORE) if span and card.characters > WINDOW else 0
    (row,) = rows(opened, _TEXT, [card.source_id, first, WINDOW])
    spans = [span] if span else []
    parts = parts_of(row["text"], row["segments"] or (), spans, first)
    kind = _kind(card, parts)
    return {
        "card": card,
        "kind": kind,
        "parts": parts,
        "span": span,
        "first": first,
        "last": min(card.characters, first + WINDOW),
        "window": WINDOW,
        "thread": _thread(opened, card) if kind == "mail" else [],
        "player": _player(card, parts, view.seconds),
        "picture": _picture(card, row, parts, view) if can_show(card.format) else None,
    }


def card_of(opened: Opened, source_id: str) -> SourceCard:
    """Return the card of a source of this user.

    Raises:
        ProblemError: 404 if there is none.
    """
    try:
        return opened.brain.source(source_id)
    except InvalidQueryError:
        raise ProblemError(404, GONE) from None


def _kind(card: SourceCard, parts: list[Part]) -> str:
    """Return how a source is shown: mail | chat | transcript | text."""
    if any(part.seconds is not None for part in parts):
        return "transcript"
    if card.source.rpartition("--")[2] == "email" and "from" in card.attributes:
        return "mail"
    return "chat" if sum(part.kind == "message" and bool(part.speaker) for part in parts) > 1 else "text"


def _thread(opened: Opened, card: SourceCard) -> list[dict[str, Any]]:
    """Return the other mails of a thread, each with its parts; in order of time."""
    thread = card.attributes.get("thread_id")
    if not isinstance(thread, str) or not thread:
        return []
    found = rows(opened, _THREAD, [thread, card.source, THREAD])
    return [
        {**one, "parts": parts_of(one["text"][:WINDOW], one["segments"] or (), [])}
        for one in found
        if one["source_id"] != card.source_id or len(found) > 1
    ]


def _player(card: SourceCard, parts: list[Part], t: float | None) -> dict[str, Any] | None:
    """Return the player of a recording: its media type and the second at which it begins."""
    kind = media_type_of(card.format)
    if kind is None:
        return None
    here = next((part for part in parts if part.first and part.seconds is not None), None)
    return {"type": kind, "video": kind.startswith("video/"), "at": t if t is not None else here.seconds if here else 0}


def _picture(card: SourceCard, row: dict[str, Any], parts: list[Part], view: View) -> dict[str, Any]:
    """Return which page is shown, and the boxes of the passage on it."""
    here = next((part for part in parts if part.first), parts[0] if parts else None)
    page = view.page or (here.page if here else None)
    spans = [view.span] if view.span else []
    anchors = list(row["anchors"] or ())
    anchors += [one for one in row["segments"] or () if one.get("box")] if not boxes_on(anchors, spans, page) else []
    return {"page": page or 1, "pages": card.attributes.get("pages") or 1, "boxes": boxes_on(anchors, spans, page)}
