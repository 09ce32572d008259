"""Pages that are kept for a claim: landed and taken through the stages, and read back as statements.

A page of a trusted site is indexed and found by the search like any other. One that is pending is stored apart: its
statements are read here and given to the judging, marked, for the requests whose search found it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from brain_pipelines.connectors.http.archive import page_path, uri_of
from brain_pipelines.ingest.evidence.page_text import SOURCE, about
from brain_pipelines.ingest.one_file import take_kept
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.trust_gate import ORIGIN
from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.candidates.pages import statements_of_page
from brain_retrieval.evidence.candidates.statement import Statement
from brain_retrieval.evidence.claims.claim import Claim
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id
from brain_retrieval.schemas.names import HELD
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.trust_book import PENDING, TRUSTED

CRAWLED = "web-crawl"
COLUMNS = ["source_id", "source", "uri", "day", "event_at", "received_at", "title", "language", "url", "text"]


@dataclass(frozen=True)
class StoredPage:
    """A page that has landed: its uri, when it was fetched, how Brain came to it, and whether it is trusted."""

    uri: str
    fetched_at: datetime | None
    origin: str
    state: str


def stored_page(space: Space, settings: Settings, url: str) -> StoredPage | None:
    """Return the page at a canonical address, None if no such page has landed."""
    with open_landing(space, settings) as landing:
        for source in (SOURCE, CRAWLED):
            uri = uri_of(space, page_path(space, source, url))
            for item in landing.items_of(uri):
                at = item.meta.get("fetched_at")
                fetched_at = datetime.fromisoformat(at) if at else None
                return StoredPage(uri, fetched_at, item.meta.get(ORIGIN, "named"), item.state or TRUSTED)
    return None


def is_fresh(fetched_at: datetime | None, days: float, now: datetime) -> bool:
    """Return whether a page that was fetched then need not be fetched now."""
    return fetched_at is not None and now - fetched_at <= timedelta(days=days)


def ingest_pages(
    space: Space, settings: Settings, paths: Sequence[Path], seconds: float, runs: list[dict[str, Any]]
) -> dict[str, str]:
    """Land pages and run their days; return the reason of each that was refused or failed, by its uri.

    Args:
        seconds: how long to wait for another process that writes.
        runs: to which the runs are added.
    """
    if not paths:
        return {}
    try:
        report = take_kept(space, settings, SOURCE, paths, seconds=max(1.0, seconds))
    except (BrainError, OSError) as error:
        return {uri_of(space, path): f"kept, but not processed yet: {error}" for path in paths}
    runs += report.runs
    failed = {row["uri"]: row["reason"] for row in report.quarantined if row["kind"] == "rejected"}
    if any(not run["success"] for run in report.runs):
        reason = next(run["error"] for run in report.runs if not run["success"])
        failed = {uri_of(space, path): f"kept, but not processed yet: {reason}" for path in paths} | failed
    return failed


def read_pending(space: Space, settings: Settings, uris: Collection[str]) -> list[Statement]:
    """Return the statements of those of the pages that are pending, in the order of their places."""
    rows = _rows(space, settings, HELD, uris, COLUMNS)
    with open_landing(space, settings) as landing:  # it knows decisions that no run has followed yet
        rows = [row for row in rows if landing.state_of(row["source_id"]) == PENDING]
    rows.sort(key=lambda row: row["source_id"])
    return [one for row in rows for one in statements_of_page(row, approved=False)]


def facts_about(space: Space, settings: Settings, uris: Collection[str], claim: Claim) -> dict[str, tuple[str, ...]]:
    """Return by uri the ids of the memories of pages that are about a claim; of pending pages those of statements."""
    found: dict[str, list[str]] = {}
    for one in about(read_pending(space, settings, uris), claim):
        found.setdefault(one.uri, []).append(content_id("statement", *one.key))
    texts = {row["source_id"]: row for row in _rows(space, settings, "text", uris, COLUMNS)}
    spans = {
        key: [one.span for one in about(statements_of_page(row, approved=True), claim)] for key, row in texts.items()
    }
    for row in _rows(space, settings, "memories", uris, ["memory_id", "source_id", "uri", "start", "end"]):
        own = spans.get(row["source_id"], ())
        if any(start < row["end"] and row["start"] < end for start, end in own):
            found.setdefault(row["uri"], []).append(row["memory_id"])
    return {uri: tuple(sorted(ids)) for uri, ids in found.items()}


def _rows(
    space: Space, settings: Settings, table: str, uris: Collection[str], columns: list[str]
) -> list[dict[str, Any]]:
    """Return the rows of files in a lake table."""
    if not uris:
        return []
    found = []
    with Catalog(space) as catalog, open_landing(space, settings) as landing:
        lake = Lake(space, catalog)
        for source, days in sorted(_days(landing.days_of(uri) for uri in uris).items()):
            rows = lake.read(table, source=source, days=sorted(days), columns=columns).to_pylist()
            found += [row for row in rows if row["uri"].partition("#")[0] in uris]
    return found


def _days(places: Iterable[Iterable[tuple[str, str]]]) -> dict[str, set[str]]:
    days: dict[str, set[str]] = {}
    for of_file in places:
        for source, day in of_file:
            days.setdefault(source, set()).add(day)
    return days
