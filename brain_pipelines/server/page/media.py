"""What belongs to a source beside its text: the original to download, its recording to play, its pages to look at."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.server.page.page_picture import can_show, picture_of
from brain_pipelines.server.page.team_space import holding
from brain_pipelines.server.page.visit import In, Visit, router_for
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError

router = router_for("read")
GONE = "There is no such source. It may have been forgotten, or replaced by a newer version."
# Media types that browsers play, and under which one they take it.
PLAYED = {f"audio/{kind}": f"audio/{kind}" for kind in "mpeg wav flac ogg aac mp4".split()}
PLAYED |= {"video/mp4": "video/mp4", "video/quicktime": "video/mp4", "video/webm": "video/webm"}
# A page may embed these files; none of them may do anything itself.
SANDBOX = {"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'"}
_BLOB = "SELECT sha256, name FROM item WHERE source_id = ?"


def media_type_of(kind: str) -> str | None:
    """Return the media type of a format that browsers play, None for any other."""
    known = FORMATS.get(kind)
    return PLAYED.get(known.mime) if known else None


class Blob(FileResponse):
    """A stored file, whole or a range of it; what was decrypted for it is deleted afterwards, also if a client left."""

    def __init__(self, path: Path, opened: ExitStack, **more: Any) -> None:
        super().__init__(path, **more)
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._opened:
            await super().__call__(scope, receive, send)


@router.get("/source/{source_id}/original")
async def original(visit: In, source_id: str) -> Response:
    """Send the bytes as they were received, to be stored by the browser, never shown by it."""
    opened, path, name = await _blob(visit, source_id)
    ending = quote(name, safe="", errors="replace")
    headers = {**SANDBOX, "Content-Disposition": f"attachment; filename*=UTF-8''{ending}"}
    return Blob(path, opened, media_type="application/octet-stream", headers=headers)


@router.get("/source/{source_id}/media")
async def media(visit: In, source_id: str) -> Response:
    """Send a recording to the player, by ranges."""
    kind = media_type_of(await _format(visit, source_id))
    if kind is None:
        raise ProblemError(404, "this source has no recording that a browser plays")
    opened, path, _ = await _blob(visit, source_id)
    return Blob(path, opened, media_type=kind, headers=SANDBOX)


@router.get("/source/{source_id}/picture")
async def picture(visit: In, source_id: str, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """Send a page of a document, or a picture, drawn from its pixels."""
    kind = await _format(visit, source_id)
    if not can_show(kind):
        raise ProblemError(404, "this source has no pages to show")
    opened, path, _ = await _blob(visit, source_id)

    def draw() -> bytes:
        with opened, TemporaryDirectory(prefix="brain-picture-") as scratch:
            return picture_of(path, kind, page, visit.server.settings.limits, Path(scratch))

    return Response(await visit.server.work.read(visit.asker, draw), media_type="image/png", headers=SANDBOX)


async def _format(visit: Visit, source_id: str) -> str:
    from brain_pipelines.server.page.lake import rows

    def read(opened: Opened) -> list[dict[str, Any]]:
        with holding(opened, source_id) as stores:
            return rows(stores, "SELECT format FROM text WHERE source_id = $1", [source_id])

    found = await visit.read(read)
    if not found:
        raise ProblemError(404, GONE)
    return found[0]["format"]


async def _blob(visit: Visit, source_id: str) -> tuple[ExitStack, Path, str]:
    """Return the path of a source's bytes while the stack is open, and the name of its file."""

    def find(opened: Opened) -> tuple[ExitStack, Path, str]:
        from brain_pipelines.landing.landing import open_landing
        from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError
        from brain_pipelines.landing.redaction.file_names import FileNames

        with holding(opened, source_id) as stores:
            space = stores.home.space(stores.user)
        with open_landing(space, visit.server.settings) as landing, ExitStack() as held:
            row = landing.rows(_BLOB, (source_id,))
            if not row:
                raise ProblemError(404, GONE)
            try:
                path = held.enter_context(landing.raw.open(row[0][0]))
            except BytesDroppedError as error:
                raise ProblemError(410, str(error)) from None
            except LostBytesError as error:
                raise ProblemError(404, str(error)) from None
            return held.pop_all(), path, FileNames(visit.server.settings).name(row[0][1] or "source")

    return await visit.read(find)
