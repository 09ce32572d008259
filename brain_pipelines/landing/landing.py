"""Landing: copies an inbox file into the user's blobs and records its items, their days and the time of receipt.

The days that change are marked dirty; everything downstream is derived from this record. Files are not parsed here: the
source only scans them, with bounded reads, for their items and event times.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from datetime import UTC, date, datetime, tzinfo

from brain_pipelines.landing.blobs import sha256_of, store_blob, store_bytes
from brain_pipelines.landing.first_day import first_day_of, follow_first_day
from brain_pipelines.landing.inbox import FileState, source_of, to_path
from brain_pipelines.landing.landing_store import NO_POLICY
from brain_pipelines.landing.raw_files import BytesDroppedError, LostBytesError, RawFiles, open_raw_files
from brain_pipelines.landing.removals import Removals, Removed
from brain_pipelines.landing.torn import torn
from brain_pipelines.landing.trust_gate import Moved, follow_trust, settle_file
from brain_pipelines.readers.contract import Delivery, Item
from brain_pipelines.readers.event_time import file_name
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import DamagedLandingError
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id, stable_hash
from brain_retrieval.settings import DeletionSettings, Limits, Settings, keep_first_day, load_settings
from brain_retrieval.stores.durable import writing
from brain_retrieval.stores.trust_book import TrustBook


class Landing(Removals):
    """Lands and removes inbox files."""

    def __init__(
        self,
        space: Space,
        *,
        first_day: date,
        zone: tzinfo,
        limits: Limits,
        raw: RawFiles | None = None,
        redact: bool = False,
        deletion: DeletionSettings | None = None,
        trust: Callable[[], TrustBook] | None = None,
    ) -> None:
        super().__init__(space, first_day, raw or RawFiles(space), deletion or DeletionSettings())
        self._zone, self._limits, self._redact, self._trust = zone, limits, redact, trust

    def remember_seen(self, files: Sequence[FileState]) -> None:
        """Replace the listing that `seen` returns at the next scan; an unchanged listing is not written."""
        if {f.uri: f for f in files} != self.seen():
            with self.transaction() as connection:
                connection.execute("DELETE FROM seen")
                connection.executemany("INSERT INTO seen VALUES (?, ?, ?, ?)", [astuple(f) for f in files])

    def land(
        self,
        file: FileState,
        *,
        event_time: datetime | None = None,
        policy: SourcePolicy = NO_POLICY,
        scanned: bool = False,
        now: datetime | None = None,
    ) -> set[str]:
        """Land one inbox file: copy its bytes, record its items, mark the changed days as dirty.

        A file that is empty or cut short is refused if a whole version of it was read before (`torn.py`).

        Args:
            file: the file as listed.
            scanned: found by a scan of the inbox; a person has not named this file.
            event_time: event time given by the sender, if any; kept for later versions of the same uri.
            policy: retention and sensitivity given by the sender, for all items of the file; likewise kept.
            now: time of receipt, for tests.

        Returns:
            The ISO days (clamped to the first day) that became dirty.

        Raises:
            FileChangedError: if the file was modified while being copied.
        """
        source = SOURCES_BY_NAME.get(source_of(file.uri))
        if source is None:
            self.refuse(file, _no_such_source(file))
            return set()
        sha256 = store_blob(self.space, to_path(self.space.inbox, file.uri), file)
        if reason := self._torn(file.uri, sha256, scanned=scanned):
            self.refuse(file, reason)
            self.raw.after_landing({sha256}, held={sha256} if self.holders(sha256) else (), changed=False)
            return set()
        given = event_time or self.given_time(file.uri)
        policy = self.given_policy(file.uri).replaced_by(policy)
        delivery = Delivery(
            user=self.space.user,
            uri=file.uri,
            path=self.space.blob(sha256),
            size=file.size,
            mtime=datetime.fromtimestamp(file.mtime_ns / 1e9, UTC),
            received_at=now or datetime.now(UTC),
            event_time=given,
        )
        items = [_marked(item, policy) for item in self.locate(source, delivery)]
        if reason := self.refusal_of_forgotten(file.uri, source.name, sha256, items):
            self.refuse(file, reason)
            if not self.holders(sha256):
                self.space.blob(sha256).unlink(missing_ok=True)
            return set()
        return self._store(file, source.name, delivery, sha256, items, policy)

    def _store(
        self, file: FileState, source: str, delivery: Delivery, sha256: str, items: list[Item], policy: SourcePolicy
    ) -> set[str]:
        """Record the items of a file in place of those of its previous version; return the days that became dirty."""
        with self.transaction() as connection:
            before = self._days_of(file.uri)
            # includes the previous version's blobs, which the policy may now drop
            hashes = {sha256, *(item.sha256 for item in self.items_of(file.uri))}
            rows = [self._row(connection, source, delivery, sha256, item) for item in items]
            connection.execute("DELETE FROM item WHERE file = ?", (file.uri,))
            connection.executemany(f"INSERT OR REPLACE INTO item VALUES ({','.join('?' * 15)})", rows)
            others = settle_file(self, self._trust(), file.uri) if self._trust else set()
            at = delivery.event_time.isoformat() if delivery.event_time else None
            self._write_delivery(connection, file, (source, sha256), at, None, policy)
            for table in ("seen", "released", "waiting"):
                connection.execute(f"DELETE FROM {table} WHERE uri = ?", (file.uri,))
            connection.execute("DELETE FROM removed WHERE uri = ? AND sha256 = ?", (file.uri, sha256))
            changed = self._mark_changed(connection, source, before, self._days_of(file.uri))
            for kind, day in others:
                self.mark(connection, kind, {day: self.content(kind, day)})
                changed.add(day)
        hashes |= {item.sha256 for item in self.items_of(file.uri)}
        held = {one for one in hashes if self.holders(one)}
        self.raw.after_landing(hashes, held=held, changed=bool(changed))
        self.release(file)
        return changed

    def follow_trust(self, *, force: bool = False) -> list[Moved]:
        """Find the states of all items again if decisions or settings have changed since; return what moved."""
        return follow_trust(self, self._trust(), force=force) if self._trust else []

    def locate(self, source: Source, delivery: Delivery) -> list[Item]:
        """Return the items of a file, unchanged by a policy."""
        return list(source.locate(delivery, self._zone, self._limits))

    def day_of(self, event_at: datetime, received_at: datetime) -> str:
        """Return the ISO day of an item: of its event in the user's zone, never after its receipt."""
        return min(event_at.astimezone(self._zone).date(), received_at.astimezone(UTC).date()).isoformat()

    def release(self, file: FileState) -> None:
        """Delete a landed file from the inbox if the policy keeps no second copy and it has not changed since."""
        path = to_path(self.space.inbox, file.uri)
        if self.raw.keeps_inbox or not self.is_landed(file) or not path.is_file():
            return
        if FileState.of(path, self.space.inbox) != file:
            return
        # Recorded first: after a crash the file is still there, and the next scan deletes it.
        with self.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO released VALUES (?)", (file.uri,))
        path.unlink()

    def refuse(self, file: FileState, reason: str) -> None:
        """Record why a file is not landed. It is retried when it changes; items of an earlier version stay."""
        with self.transaction() as connection:
            policy, given = self.given_policy(file.uri), self.given_time(file.uri)
            stored = (source_of(file.uri), self.read_before(file.uri))
            at = given.isoformat() if given else None
            self._write_delivery(connection, file, stored, at, reason, policy)

    def restore(self, removed: Removed) -> set[str]:
        """Write a deleted file back into the inbox and land it, with its receipt times; return the dirty days.

        Raises:
            BytesDroppedError: the bytes were dropped by policy.
            LostBytesError: the bytes are missing or damaged.
            FileExistsError: another file has its name now.
        """
        path = to_path(self.space.inbox, removed.uri)
        with self.raw.open(removed.sha256) as kept:
            if path.exists() and sha256_of(path) != removed.sha256:
                raise FileExistsError(f"the inbox has another file of this name now: {path}")
            with kept.open("rb") as origin, writing(path) as target:
                shutil.copyfileobj(origin, target)
                target.flush()
                os.utime(target.name, ns=(removed.mtime_ns, removed.mtime_ns))
        at = datetime.fromisoformat(removed.event_time) if removed.event_time else None
        policy = SourcePolicy.of(json.loads(removed.policy))
        return self.land(FileState.of(path, self.space.inbox), event_time=at, policy=policy)

    def _torn(self, uri: str, sha256: str, *, scanned: bool) -> str:
        """Return why the bytes of a file must not replace those read before, "" if they may."""
        before = self.read_before(uri)
        if before in ("", sha256) or not self.items_of(uri):
            return ""
        try:
            with self.raw.open(before) as earlier:
                return torn(self.space.blob(sha256), earlier, scanned=scanned)
        except (BytesDroppedError, LostBytesError):
            return torn(self.space.blob(sha256), None, scanned=scanned)

    @staticmethod
    def _write_delivery(
        connection: sqlite3.Connection,
        file: FileState,
        stored: tuple[str, str],
        given: str | None,
        reason: str | None,
        policy: SourcePolicy,
    ) -> None:
        """Write the row of a file; `stored` is its source type and the hash of its bytes."""
        row = (file.uri, *stored, file.size, file.mtime_ns, file.ctime_ns, given, reason)
        row = (*row, json.dumps(policy.to_meta(), sort_keys=True))
        connection.execute("INSERT OR REPLACE INTO delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _row(
        self, connection: sqlite3.Connection, source: str, delivery: Delivery, sha256: str, item: Item
    ) -> tuple[str | int | None, ...]:
        """Return the row of an item; `received_at` is that of its first arrival under any name."""
        uri = f"{delivery.uri}#{item.fragment}" if item.fragment else delivery.uri
        source_id = content_id("source", self.user, source, uri)
        blob, size = sha256, delivery.size
        if item.content is not None:
            blob, size = store_bytes(self.space, item.content), len(item.content)
        digest = stable_hash([source, item.fragment, item.digest or blob])
        connection.execute("INSERT OR IGNORE INTO received VALUES (?, ?)", (digest, delivery.received_at.isoformat()))
        ((received_at,),) = self.rows("SELECT received_at FROM received WHERE digest = ?", (digest,))
        if item.digest and item.content is None:  # an unchanged part of a growing file keeps its blob and its day
            sql = "SELECT sha256, bytes FROM item WHERE source_id = ? AND digest = ?"
            blob, size = next(iter(self.rows(sql, (source_id, digest))), (blob, size))
        return (
            source_id,
            source,
            delivery.uri,
            item.fragment,
            blob,
            size,
            item.event_at.astimezone(UTC).isoformat(),
            item.event_from,
            received_at,
            self.day_of(item.event_at, delivery.received_at),
            digest,
            item.name or file_name(delivery.uri),
            self.whole_id(item.parent) if item.parent else None,
            json.dumps(self._meta(item), sort_keys=True, ensure_ascii=False),
            "",
        )

    def _meta(self, item: Item) -> dict[str, str]:
        if not self._redact:
            return dict(item.meta)
        from brain_pipelines.landing.redaction.redactor import Redactor  # many patterns, for what lands alone

        return Redactor().value(dict(item.meta))


def _marked(item: Item, policy: SourcePolicy) -> Item:
    """Return an item whose metadata also has the policy given by the sender."""
    stated = SourcePolicy.of(item.meta).with_(policy).to_meta()
    return replace(item, meta={**item.meta, **stated}) if stated else item


def _no_such_source(file: FileState) -> str:
    name, known = source_of(file.uri), ", ".join(sorted(source.name for source in SOURCES))
    return f"no source type is named {name!r}; known: {known}" if name else f"not in a source folder ({known})"


def open_landing(space: Space, settings: Settings) -> Landing:
    """Return the landing store of a user with the time zone, first day, limits and privacy of the settings.

    Under another first day than before, the days whose items differ are marked to run.

    Raises:
        InvalidSettingsError: the key of the raw files is missing or wrong.
        StoreError: the record is locked, or the machine does not let it be opened. A damaged one is returned, so that
            it can be restored.
    """
    landing = Landing(
        space,
        first_day=settings.first_day,
        zone=settings.zone,
        limits=settings.limits,
        raw=open_raw_files(space, settings),
        redact=settings.privacy.redact,
        deletion=settings.deletion,
        trust=lambda: TrustBook.open(space, settings),
    )
    try:
        moved = first_day_of(landing) != landing.first_day
    except DamagedLandingError:
        return landing  # `brain doctor` has to open a damaged record to restore it
    if moved:  # the caller may have read the settings before it was
        landing.first_day = load_settings(space.home).first_day.isoformat()
        if follow_first_day(landing):
            keep_first_day(space.home, date.fromisoformat(landing.first_day))
    landing.follow_trust()
    return landing
