"""The crawl frontier of a user: URLs found and still to visit, and metadata of stored pages, in one SQLite file.

A visit is recorded in one transaction with the links it found, after its file is in place. A process that dies at any
point is therefore resumed with exactly the pages that are not recorded.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.connectors.crawl.job import CrawlConfig, CrawlJob, Status
from brain_pipelines.connectors.http.urls import host_of, template
from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import Database

TABLES = """
CREATE TABLE IF NOT EXISTS job(
  id TEXT PRIMARY KEY, seeds TEXT NOT NULL, config TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL,
  completed_at TEXT, error TEXT NOT NULL DEFAULT '', sitemaps INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS visit(
  job TEXT NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL, depth INTEGER NOT NULL, parent TEXT, place INTEGER NOT NULL,
  state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL DEFAULT 0, name TEXT, reason TEXT,
  PRIMARY KEY(job, url)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS visit_next ON visit(job, state, host, depth, place);
CREATE INDEX IF NOT EXISTS visit_name ON visit(job, name);
CREATE TABLE IF NOT EXISTS likeness(
  job TEXT NOT NULL, template TEXT NOT NULL, pages INTEGER NOT NULL, PRIMARY KEY(job, template)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept(
  name TEXT PRIMARY KEY, host TEXT NOT NULL, final_url TEXT NOT NULL, etag TEXT, last_modified TEXT,
  digest TEXT NOT NULL, words TEXT NOT NULL, parent TEXT, links TEXT NOT NULL,
  fetched_at TEXT NOT NULL, gone_at TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS kept_words ON kept(host, words);
CREATE TABLE IF NOT EXISTS blocked(host TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
"""
# A pending page moves up if a shorter path to it is found, or a link where only a sitemap had listed it.
_MOVE_UP = """
UPDATE visit SET depth = ?, parent = ?, place = ? WHERE job = ? AND url = ? AND state = 'pending' AND parent IS NOT NULL
AND (depth > ? OR (depth = ? AND place > ?))"""
BLOCKED_SECONDS = 7 * 24 * 3600.0
FOUND_PER_PAGE = 50  # URLs recorded per page of the page limit
SITEMAP_OFFSET = 1 << 40  # added to the position of sitemap URLs, so they come after links


@dataclass(frozen=True)
class Visit:
    """A URL to fetch. `parent` is the URL of the page that linked to it."""

    url: str
    host: str
    depth: int
    parent: str | None
    attempts: int


@dataclass(frozen=True)
class Kept:
    """Metadata of a page in the inbox, keyed by its canonical URL. `words` is the digest of its visible text."""

    name: str
    final_url: str
    etag: str | None
    last_modified: str | None
    digest: str
    words: str
    parent: str | None  # uri of the first page that linked to it
    links: tuple[str, ...]
    fetched_at: datetime


class Frontier(Database):
    """The crawls of one user."""

    synchronous = "FULL"
    remedy = "it can be removed: crawls then start over, and stored pages are fetched once more"

    def __init__(self, space: Space) -> None:
        super().__init__(space.root / "crawl.sqlite", TABLES)
        self.user = space.user

    def open_job(self, job: CrawlJob, *, again: bool = False) -> CrawlJob:
        """Record a job with its seeds, or return it in its current state. `again` restarts a finished job.

        An interrupted job is always resumed, never restarted.
        """
        known = self.job(job.id)
        if known is not None and not (again and known.status in ("completed", "failed")):
            return known
        now = datetime.now(UTC).isoformat()
        with self.transaction() as connection:
            for table in ("visit", "likeness"):
                connection.execute(f"DELETE FROM {table} WHERE job = ?", (job.id,))
            connection.execute(
                "INSERT OR REPLACE INTO job(id, seeds, config, status, created_at) VALUES (?, ?, ?, 'pending', ?)",
                (job.id, json.dumps(job.seeds), json.dumps(asdict(job.config)), now),
            )
            self._add(connection, job, [(url, 0, None) for url in job.seeds], 0)
        return self.job(job.id) or job

    def job(self, job_id: str) -> CrawlJob | None:
        """Return a job with its progress, or None."""
        return next(iter(self._jobs("WHERE id = ?", (job_id,))), None)

    def jobs(self) -> list[CrawlJob]:
        """Return all jobs, newest first."""
        return self._jobs("ORDER BY created_at DESC, id", ())

    def _jobs(self, where: str, values: tuple[str, ...]) -> list[CrawlJob]:
        columns = "id, seeds, config, status, created_at, completed_at, error"
        return [self._job(*row) for row in self.rows(f"SELECT {columns} FROM job {where}", values)]

    def _job(
        self, job_id: str, seeds: str, config: str, status: Status, created: str, completed: str | None, error: str
    ) -> CrawlJob:
        values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in json.loads(config).items()}
        return CrawlJob(
            job_id,
            self.user,
            tuple(json.loads(seeds)),
            CrawlConfig(**values),
            status,
            self.progress(job_id),
            datetime.fromisoformat(created),
            datetime.fromisoformat(completed) if completed else None,
            error,
        )

    def progress(self, job_id: str) -> dict[str, int]:
        """Return how many URLs were discovered, processed, failed and skipped."""
        found = dict(self.rows("SELECT state, count(*) FROM visit WHERE job = ? GROUP BY state", (job_id,)))
        counts = {"processed": found.get("done", 0), "failed": found.get("failed", 0)}
        return {"discovered": sum(found.values()), **counts, "skipped": found.get("skipped", 0)}

    def set_status(self, job_id: str, status: Status, error: str = "") -> None:
        """Record the status of a job."""
        ended = datetime.now(UTC).isoformat() if status in ("completed", "failed") else None
        with self.transaction() as connection:
            connection.execute(
                "UPDATE job SET status = ?, completed_at = ?, error = ? WHERE id = ?", (status, ended, error, job_id)
            )

    def hosts(self, job_id: str) -> list[tuple[str, float]]:
        """Return (host, time of the next due page in epoch seconds) for hosts with pending pages, least depth first."""
        sql = "SELECT host, min(due) FROM visit WHERE job = ? AND state = 'pending' GROUP BY host"
        return self.rows(f"{sql} ORDER BY min(depth), min(place), host", (job_id,))  # type: ignore[return-value]

    def next(self, job_id: str, host: str) -> Visit | None:
        """Return the next page of a host to visit: least depth first, then in order of discovery."""
        columns = "url, host, depth, parent, attempts"
        sql = f"SELECT {columns} FROM visit WHERE job = ? AND state = 'pending' AND host = ? AND due <= ?"
        rows = self.rows(f"{sql} ORDER BY depth, place LIMIT 1", (job_id, host, time.time()))
        return Visit(*rows[0]) if rows else None

    def processed_urls(self, job_id: str) -> list[str]:
        """Return the URLs of a job that need no further visit, sorted."""
        sql = "SELECT url FROM visit WHERE job = ? AND state != 'pending' ORDER BY url"
        return [url for (url,) in self.rows(sql, (job_id,))]

    def left_out(self, job_id: str) -> list[dict[str, str]]:
        """Return url, state and reason of every failed or skipped page of a job."""
        sql = "SELECT url, state, coalesce(reason, '') FROM visit WHERE job = ? AND state IN ('failed', 'skipped')"
        names = ("url", "state", "reason")
        return [dict(zip(names, row, strict=True)) for row in self.rows(f"{sql} ORDER BY depth, place", (job_id,))]

    def visited(self, job_id: str, name: str, url: str) -> bool:
        """Return whether the job processed this canonical URL under another URL."""
        sql = "SELECT 1 FROM visit WHERE job = ? AND name = ? AND url != ? AND state = 'done' LIMIT 1"
        return bool(self.rows(sql, (job_id, name, url)))

    def name_of(self, job_id: str, url: str) -> str | None:
        """Return the canonical URL under which the page at a URL was processed."""
        rows = self.rows("SELECT name FROM visit WHERE job = ? AND url = ?", (job_id, url))
        return rows[0][0] if rows else None

    def kept(self, name: str) -> Kept | None:
        """Return the metadata of a stored page, or None."""
        columns = "name, final_url, etag, last_modified, digest, words, parent, links, fetched_at"
        rows: list[Any] = self.rows(f"SELECT {columns} FROM kept WHERE name = ?", (name,))
        if not rows:
            return None
        *head, links, fetched_at = rows[0]
        return Kept(*head, links=tuple(json.loads(links)), fetched_at=datetime.fromisoformat(fetched_at))

    def duplicates(self, name: str, words: str) -> list[str]:
        """Return the canonical URLs of other pages of the same host with the same visible text."""
        sql = "SELECT name FROM kept WHERE host = ? AND words = ? AND name != ? AND gone_at IS NULL ORDER BY name"
        return [other for (other,) in self.rows(sql, (host_of(name), words, name))]

    def finish(
        self,
        job: CrawlJob,
        visit: Visit,
        state: str,
        *,
        reason: str = "",
        name: str | None = None,
        links: Sequence[str] = (),
        kept: Kept | None = None,
        gone: bool = False,
    ) -> None:
        """Record the result of a visit with the links found and the page metadata, in one transaction."""
        with self.transaction() as connection:
            connection.execute(
                "UPDATE visit SET state = ?, reason = ?, name = ?, attempts = attempts + 1 WHERE job = ? AND url = ?",
                (state, reason[:300], name, job.id, visit.url),
            )
            if kept is not None:
                _write_kept(connection, kept)
            if gone and name:
                now = datetime.now(UTC).isoformat()
                connection.execute("UPDATE kept SET gone_at = coalesce(gone_at, ?) WHERE name = ?", (now, name))
            if visit.depth < job.config.max_depth:
                found = [(url, visit.depth + 1, visit.url) for url in links]
                self._add(connection, job, found, 0)

    def postpone(self, job: CrawlJob, visit: Visit, seconds: float, reason: str) -> None:
        """Schedule another attempt after some seconds."""
        with self.transaction() as connection:
            connection.execute(
                "UPDATE visit SET attempts = attempts + 1, due = ?, reason = ? WHERE job = ? AND url = ?",
                (time.time() + seconds, reason[:300], job.id, visit.url),
            )

    def add_from_sitemaps(self, job: CrawlJob, found: Iterable[tuple[str, str]]) -> None:
        """Add (url, seed) pairs from sitemaps at depth 1; they are visited after linked pages."""
        with self.transaction() as connection:
            connection.execute("UPDATE job SET sitemaps = 1 WHERE id = ?", (job.id,))
            if job.config.max_depth >= 1:
                self._add(connection, job, [(url, 1, seed) for url, seed in found], SITEMAP_OFFSET)

    def sitemaps_done(self, job_id: str) -> bool:
        return bool(self.rows("SELECT 1 FROM job WHERE id = ? AND sitemaps = 1", (job_id,)))

    def blocked_hosts(self) -> list[str]:
        """Return the hosts blocked within BLOCKED_SECONDS."""
        return [h for (h,) in self.rows("SELECT host FROM blocked WHERE at > ?", (time.time() - BLOCKED_SECONDS,))]

    def block(self, job: CrawlJob, host: str) -> None:
        """Block a host for BLOCKED_SECONDS; its pending pages of the job fail."""
        with self.transaction() as connection:
            connection.execute(
                "INSERT INTO blocked VALUES (?, ?) ON CONFLICT(host) DO UPDATE SET at = excluded.at WHERE at < ?",
                (host, time.time(), time.time() - BLOCKED_SECONDS),  # an active block is not extended
            )
            connection.execute(
                "UPDATE visit SET state = 'failed', reason = 'its host refuses to be crawled' "
                "WHERE job = ? AND host = ? AND state = 'pending'",
                (job.id, host),
            )

    def _add(
        self, connection: sqlite3.Connection, job: CrawlJob, found: Sequence[tuple[str, int, str | None]], place: int
    ) -> None:
        ((count,),) = connection.execute("SELECT count(*) FROM visit WHERE job = ?", (job.id,)).fetchall()
        # bounds the table: a site can link to far more URLs than the job may ever fetch
        room = max(len(job.seeds), FOUND_PER_PAGE * job.config.max_pages) - count
        for number, (url, depth, parent) in enumerate(found):
            if room <= 0:
                return
            row = (job.id, url, host_of(url), depth, parent, place + count + number)
            known = connection.execute("SELECT 1 FROM visit WHERE job = ? AND url = ?", (job.id, url)).fetchone()
            if known is not None:
                connection.execute(_MOVE_UP, (depth, parent, row[-1], job.id, url, depth, depth, row[-1]))
            # seeds (depth 0) are exempt from the limit on similar URLs
            if known is not None or (depth and not _count_template(connection, job, url)):
                continue
            connection.execute(
                "INSERT INTO visit(job, url, host, depth, parent, place, state) VALUES (?, ?, ?, ?, ?, ?, 'pending')",
                row,
            )
            room -= 1


def _count_template(connection: sqlite3.Connection, job: CrawlJob, url: str) -> bool:
    """Count a URL towards its template; return False beyond `max_similar`, which bounds endless calendars."""
    key = (job.id, template(url))
    connection.execute("INSERT OR IGNORE INTO likeness VALUES (?, ?, 0)", key)
    connection.execute("UPDATE likeness SET pages = pages + 1 WHERE job = ? AND template = ?", key)
    ((pages,),) = connection.execute("SELECT pages FROM likeness WHERE job = ? AND template = ?", key).fetchall()
    return pages <= job.config.max_similar


def _write_kept(connection: sqlite3.Connection, kept: Kept) -> None:
    row = {**asdict(kept), "links": json.dumps(kept.links), "fetched_at": kept.fetched_at.isoformat()}
    columns = ", ".join(row)
    connection.execute(
        f"INSERT OR REPLACE INTO kept({columns}, host) VALUES ({','.join('?' * (len(row) + 1))})",
        (*row.values(), host_of(kept.name)),
    )


def refreshed(kept: Kept, fetched_at: datetime) -> Kept:
    """Return the metadata of a page that was seen unchanged at a later time."""
    return replace(kept, fetched_at=fetched_at)
