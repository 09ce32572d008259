"""The inbox: what became of each file, what could not be read and why, and a button to try again."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query
from starlette.responses import Response

from brain_pipelines.server.page.visit import In, router_for, to
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.writer import Place

if TYPE_CHECKING:
    from brain_pipelines.landing.landing import Landing
    from brain_retrieval.stores.catalog import Catalog

router = router_for("read")
writing = router_for("write")
PER_PAGE, MOST_PROBLEMS = 50, 200
_FILES = """
SELECT d.uri, d.source, d.size, d.reason, count(i.source_id), min(i.event_at), max(i.received_at) FROM delivery AS d
LEFT JOIN item AS i ON i.file = d.uri GROUP BY d.uri ORDER BY max(i.received_at) DESC, d.uri LIMIT ? OFFSET ?
"""
_FILE_OF = "SELECT source_id, file FROM item"
_ONE = "SELECT d.uri, d.source, d.size, d.reason, count(i.source_id), min(i.event_at), max(i.received_at) "
_ONE += "FROM delivery AS d LEFT JOIN item AS i ON i.file = d.uri WHERE d.uri = ? GROUP BY d.uri"
_ITEM = "SELECT source_id FROM item WHERE file = ? ORDER BY parent_id IS NOT NULL, fragment, source_id LIMIT 1"


STATES = {
    "taken": "in memory",
    "remarks": "in memory, with remarks",
    "waiting": "waiting",
    "failed": "failed",
    "partly": "not or partly read",
    "refused": "refused",
}


@dataclass
class File:
    """A file of the inbox and what became of it: taken | remarks | waiting | failed | partly | refused."""

    uri: str  # by which it is named in a form
    shown: str
    source: str
    size: int
    items: int
    event_at: datetime | None
    received_at: datetime | None
    state: str = "taken"
    reasons: list[tuple[str, str]] = field(default_factory=list)  # kind, reason
    source_id: str | None = None


@router.get("/inbox")
async def inbox(visit: In, offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0, again: str = "") -> Response:
    """List problems first, then all files, the newest first."""
    queued = visit.server.queue.waiting(visit.user)
    more = {
        "queued": queued,
        "again": again in ("queued", "done", "refused") and again,
        "states": STATES,
        "offset": offset,
        "step": PER_PAGE,
    }
    return await visit.show("inbox.html", lambda opened: {**_inbox(opened, offset), **more})


class _Files:
    """What became of the files of a user; all that is asked of the stores at once is asked when it is made."""

    def __init__(self, opened: Opened, landing: "Landing", catalog: "Catalog") -> None:
        from brain_pipelines.landing.redaction.file_names import FileNames
        from brain_pipelines.orchestration.behind import unfinished

        self.landing, self._names = landing, FileNames(opened.settings)
        self.reasons = defaultdict[str, list[tuple[str, str]]](list)
        file_of = dict(landing.rows(_FILE_OF)) if (quarantine := catalog.quarantine()) else {}
        for row in quarantine:
            self.reasons[file_of.get(row.source_id, row.uri.partition("#")[0])].append((row.kind, row.reason))
        self.waiting = {(day.source, day.day) for day in unfinished(landing, catalog)}
        self._failed = {(row.source, row.day): row.error for row in catalog.ledger(state="failed")}

    def file(self, row: tuple[Any, ...]) -> File:
        """Return the file of a row of `_FILES`."""
        uri, source, size, reason, items, event_at, received_at = row
        found = File(uri, self._names.uri(uri), source, size, items, _time(event_at), _time(received_at))
        days = set(self.landing.days_of(uri)) if self.waiting or self._failed else set()
        failed = sorted(days & self._failed.keys())
        found.reasons = [*([("refused", reason)] if reason else []), *self.reasons.get(uri, ())]
        found.reasons += [("failed", self._failed[day]) for day in failed]
        found.state = _state(found, waiting=bool(days & self.waiting), failed=bool(failed))
        if found.state in ("taken", "remarks") or items > 1:  # else it has no text to show
            found.source_id = next((one for (one,) in self.landing.rows(_ITEM, (uri,))), None)
        return found


@contextmanager
def _files(opened: Opened) -> Iterator[_Files]:
    from brain_pipelines.landing.landing import open_landing
    from brain_retrieval.stores.catalog import Catalog

    space = opened.home.space(opened.user)
    with open_landing(space, opened.settings) as landing, Catalog(space) as catalog:
        yield _Files(opened, landing, catalog)


def _inbox(opened: Opened, offset: int) -> dict[str, Any]:
    with _files(opened) as files:
        troubled = sorted({*(uri for uri, _ in files.landing.refused()), *files.reasons})[:MOST_PROBLEMS]
        problems = [files.file(row) for uri in troubled for row in files.landing.rows(_ONE, (uri,))]
        problems = [one for one in problems if one.state in ("refused", "partly", "failed")]
        total = files.landing.rows("SELECT count(*) FROM delivery")[0][0]
        shown = [files.file(row) for row in files.landing.rows(_FILES, (PER_PAGE, offset))]
        waiting = len(files.waiting)
    return {"problems": problems if not offset else [], "files": shown, "total": total, "unfinished": waiting}


def one_file(opened: Opened, uri: str) -> File | None:
    """Return what became of a file of this user, None if there is no such file."""
    with _files(opened) as files:
        found = files.landing.rows(_ONE, (uri,))
        return files.file(found[0]) if found else None


def _state(file: File, *, waiting: bool, failed: bool) -> str:
    kinds = {kind for kind, _ in file.reasons}
    if "refused" in kinds:
        return "refused"
    if failed:
        return "failed"
    if kinds & {"rejected", "failed"}:
        return "partly"
    return "waiting" if waiting else "remarks" if kinds else "taken"


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@writing.post("/inbox/retry")
async def retry(visit: In) -> Response:
    """Read a file again: in the background, or at once where this server does not process uploads."""
    uri = visit.form.get("uri", "")
    source = await visit.read(lambda opened: _known(opened, uri))
    if source is None:
        return to("/inbox?again=refused")
    if visit.server.queue.add(visit.user, source, uri, (), again=True):
        return to("/inbox?again=queued")
    done = await visit.write(_again, uri)
    return to(f"/inbox?again={'done' if done else 'refused'}")


def _known(opened: Opened, uri: str) -> str | None:
    """Return the source type of a file of this user, None if there is no such file."""
    from brain_pipelines.landing.landing import open_landing

    with open_landing(opened.home.space(opened.user), opened.settings) as landing:
        found = landing.rows(_ONE, (uri,))
    return found[0][1] if found else None


def _again(place: Place, uri: str) -> bool:
    from brain_pipelines.ingest.one_file import retry_file

    report = retry_file(place.space, place.settings, uri, report=False)
    return report.success and not report.quarantined
