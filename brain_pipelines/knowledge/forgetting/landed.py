"""Removal of items from what was received: landing record, inbox, blobs, recorded sessions, crawl records.

A file all of whose items go is removed from the inbox with its blobs. Of a file with other items the bytes go too, as
they hold the words; the other items keep what was read of them, and those with bytes of their own can be read again.
"""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from brain_pipelines.connectors.agent_recorder import SOURCE as RECORDED
from brain_pipelines.connectors.agent_recorder import SPOOL
from brain_pipelines.connectors.crawl.frontier import Frontier
from brain_pipelines.knowledge.forgetting.plan import Target
from brain_pipelines.landing.inbox import FileState, to_path
from brain_pipelines.landing.landing import Landing
from brain_pipelines.landing.tombstones import of_file, of_item
from brain_pipelines.landing.trust_gate import forget_decisions
from brain_pipelines.readers.contract import Delivery
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings


def shared_blobs(landing: Landing, settings: Settings, targets: Sequence[Target]) -> list[str]:
    """Return the blobs from which items that go and items that stay are read, sorted."""
    found: set[str] = set()
    for file, members in _by_file(targets).items():
        ids = {target.source_id for target in members}
        left = {item.sha256 for item in landing.items_of(file) if item.source_id not in ids}
        if left and _shares_bytes(landing, settings, file):
            found |= left
    return sorted(found)


def remove_landed(landing: Landing, targets: Sequence[Target], shared: Iterable[str], at: datetime) -> None:
    """Remove items from the landing record and the inbox, leave tombstones, and remove their bytes. Repeatable.

    Args:
        shared: as of `shared_blobs`, before the first call.
    """
    stones = {digest for target in targets for digest in of_item(target.source_id, target.digest)}
    stones |= {of_file(target.sha256) for target in targets}
    landing.bury(stones, at)  # first: a scan between the steps must not land the files again
    forget_decisions(landing.space, {name for one in targets for name in (one.uri, one.file, one.url)})
    # all of them, because nothing is known of what they say
    landing.purge(one.uri for one in landing.removed())
    for file, members in _by_file(targets).items():
        ids = {target.source_id for target in members}
        left = any(item.source_id not in ids for item in landing.items_of(file))
        _forget_rows(landing, file, members, whole=not left)
        to_path(landing.space.inbox, file).unlink(missing_ok=True)
        _remove_spool(landing.space, file)
    for sha256 in shared:
        landing.raw.drop(sha256)
    remove_unreferenced(landing)
    _remove_empty_folders(landing.space.inbox)


def remove_unreferenced(landing: Landing) -> int:
    """Remove the blobs that no item refers to: of forgotten items, of earlier versions, of deleted files."""
    held = {sha256 for (sha256,) in landing.rows("SELECT DISTINCT sha256 FROM item")}
    gone = [path for path in landing.space.blobs.glob("*/*") if path.name.split(".", 1)[0] not in held]
    for path in gone:
        path.unlink(missing_ok=True)
    for folder in landing.space.blobs.glob("*"):
        _remove_if_empty(folder)
    return len(gone)


def remove_crawl_records(space: Space, urls: Collection[str]) -> int:
    """Remove the pages of these URLs from the crawl records, and jobs that begin there; return how many rows went."""
    if not urls or not (space.root / "crawl.sqlite").is_file():
        return 0
    removed = 0
    with Frontier(space) as frontier:
        names = {name for (name,) in frontier.rows("SELECT name FROM kept") if name in urls}
        names |= {name for name, final in frontier.rows("SELECT name, final_url FROM kept") if final in urls}
        both = sorted(names | set(urls))
        jobs = [job.id for job in frontier.jobs() if not set(both).isdisjoint(job.seeds)]
        with frontier.transaction() as connection:
            for one in both:
                removed += connection.execute("DELETE FROM kept WHERE name = ?", (one,)).rowcount
                removed += connection.execute("DELETE FROM visit WHERE url = ?1 OR name = ?1", (one,)).rowcount
            for job in jobs:  # a later crawl from there starts over
                for table, column in (("job", "id"), ("visit", "job"), ("likeness", "job")):
                    removed += connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (job,)).rowcount
    return removed


def _by_file(targets: Iterable[Target]) -> dict[str, list[Target]]:
    found: dict[str, list[Target]] = defaultdict(list)
    for target in sorted(targets):
        found[target.file].append(target)
    return found


def _forget_rows(landing: Landing, file: str, members: Sequence[Target], *, whole: bool) -> None:
    with landing.transaction() as connection:
        for target in members:
            connection.execute("DELETE FROM item WHERE source_id = ?", (target.source_id,))
            sql = "DELETE FROM received WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM item WHERE digest = ?1)"
            connection.execute(sql, (target.digest,))
        for table in ("seen", *(("delivery", "released", "waiting") if whole else ())):
            connection.execute(f"DELETE FROM {table} WHERE uri = ?", (file,))
        if not whole:  # otherwise the next scan would take the file for deleted, with its other items
            connection.execute("INSERT OR IGNORE INTO released VALUES (?)", (file,))
        for source, day in {(target.source, target.day) for target in members}:
            landing.mark(connection, source, {day: landing.content(source, day)})


def _shares_bytes(landing: Landing, settings: Settings, file: str) -> bool:
    """Return whether items of a file are read from the bytes of the whole file; True if that cannot be found out."""
    rows = landing.rows("SELECT source, sha256, size, mtime_ns FROM delivery WHERE uri = ?", (file,))
    if not rows or rows[0][0] not in SOURCES_BY_NAME:
        return True
    source, sha256, size, mtime_ns = rows[0]
    try:
        with landing.raw.open(sha256) as path:
            at = datetime.fromtimestamp(mtime_ns / 1e9, settings.zone)
            delivery = Delivery(landing.user, file, path, size, at, at)
            items = SOURCES_BY_NAME[source].locate(delivery, settings.zone, settings.limits)
    except Exception:  # missing, dropped or damaged bytes: what is left of them must not stay
        return True
    return any(item.content is None for item in items)


def _remove_spool(space: Space, file: str) -> None:
    """Remove the recording of an agent's session that was delivered as this file."""
    source, _, name = file.removeprefix("inbox:").partition("/")
    if source != RECORDED or not name or "/" in name:
        return
    spool = space.root / SPOOL / name
    for path in (spool, spool.with_suffix(".delivered")):
        path.unlink(missing_ok=True)


def has_spool(space: Space, file: str) -> bool:
    """Return whether the recording of an agent's session that was delivered as this file is stored."""
    source, _, name = file.removeprefix("inbox:").partition("/")
    return source == RECORDED and bool(name) and "/" not in name and (space.root / SPOOL / name).is_file()


def _remove_empty_folders(root: Path) -> None:
    for folder, _, _ in os.walk(root, topdown=False):
        if Path(folder) != root and Path(folder).parent != root:
            _remove_if_empty(Path(folder))


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def is_in_inbox(space: Space, uri: str) -> bool:
    """Return whether the file of a uri lies in the inbox."""
    path = to_path(space.inbox, uri)
    return path.is_file() and FileState.of(path, space.inbox).uri == uri
