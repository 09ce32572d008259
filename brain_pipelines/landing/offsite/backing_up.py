"""A backup of a user: what the newest one does not have is stored, then the manifest, then the entry of the backup."""

import hashlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from brain_pipelines.landing.archive.manifest import USER, Entry, Manifest
from brain_pipelines.landing.archive.writing import changed, entry_of, settings_of
from brain_pipelines.landing.blobs import sha256_of
from brain_pipelines.landing.offsite.frozen import WRITTEN_ONCE, Frozen, frozen
from brain_pipelines.landing.offsite.heads import (
    THREADS,
    Head,
    blob_key,
    heads_of,
    manifest_of,
    stored_head,
    stored_manifest,
)
from brain_pipelines.landing.offsite.leases import Lease, release_own, writing_lease
from brain_pipelines.landing.offsite.objects import PART_BYTES, Objects
from brain_pipelines.landing.offsite.state import State, backing_up, read_state, store_state
from brain_retrieval.errors import BadInputError, BrainError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings

Report = Callable[[int, int], None]  # files done, of how many
FORGETTING = "forgetting.json"
BLOBS = f"{USER}/raw/blobs/"


class OtherWriterError(BrainError):
    """The newest backup of the user at the destination was made by another home."""

    exit_code = 2


class UnfinishedForgettingError(BrainError):
    """A forgetting was interrupted: a backup now would hold what is being forgotten."""


class UnfinishedRestoreError(BrainError):
    """A restore was interrupted before the inbox was in its place: a backup now would lack it."""


@dataclass(frozen=True)
class Made:
    """One run of a backup. `head` is the newest backup: an earlier one if nothing has changed."""

    head: Head
    changed: bool
    files: int  # stored
    bytes: int
    seconds: float
    locked_seconds: float  # for how long writers were held up
    damaged: tuple[str, ...] = ()  # landed bytes that are not those that were landed, as they lie

    def to_json(self) -> dict[str, Any]:
        own = {"changed": self.changed, "stored_files": self.files, "stored_bytes": self.bytes}
        times = {"seconds": round(self.seconds, 3), "locked_seconds": round(self.locked_seconds, 3)}
        return {**own, **times, "damaged": list(self.damaged), "backup": self.head.to_json()}


@dataclass
class _Upload:
    """Stores contents that the destination lacks, each once, by several threads."""

    objects: Objects
    lease: Lease
    user: str
    known: set[str]
    earlier: dict[str, Entry]
    stored_files: int = 0
    stored_bytes: int = 0
    damaged: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def unchanging(self, path: str, place: Path) -> Entry:
        """Store a file that no longer changes unless it is known; return its entry."""
        before = self.earlier.get(path)
        if before is not None and path.startswith(WRITTEN_ONCE) and before.sha256 in self.known:
            stat = place.stat()
            if (stat.st_size, stat.st_mtime_ns) == (before.bytes, before.mtime_ns):
                return before
        if place.stat().st_size <= PART_BYTES:
            return self._small(path, place)
        entry = entry_of(path, place)
        self._note_damage(entry)
        self.send(entry, place)
        return entry

    def inbox(self, path: str, place: Path, scratch: Path) -> Entry:
        """Store a file that may change meanwhile: as it is read once."""
        if place.stat().st_size <= PART_BYTES:
            return self._small(path, place)
        entry = entry_of(path, place)
        if entry.sha256 not in self.known:
            copy = scratch / hashlib.sha256(path.encode(errors="surrogateescape")).hexdigest()
            shutil.copyfile(place, copy)
            if sha256_of(copy) != entry.sha256:
                raise changed(path)
            self.send(entry, copy)
            copy.unlink()
        return entry

    def _small(self, path: str, place: Path) -> Entry:
        stat = place.stat()
        content = place.read_bytes()
        entry = Entry(path, len(content), stat.st_mtime_ns, hashlib.sha256(content).hexdigest())
        self._note_damage(entry)
        self.send(entry, content)
        return entry

    def send(self, entry: Entry, content: bytes | Path) -> None:
        """Store a content unless it is known or another thread does."""
        with self._lock:
            if entry.sha256 in self.known:
                return
            self.known.add(entry.sha256)
            self.lease.renew()
        self.objects.put(blob_key(self.user, entry.sha256), content)
        with self._lock:
            self.stored_files += 1
            self.stored_bytes += entry.bytes

    def _note_damage(self, entry: Entry) -> None:
        name = entry.path.rpartition("/")[2]
        if entry.path.startswith(BLOBS) and len(name) == len(entry.sha256) and name != entry.sha256:
            self.damaged.append(entry.path)


def back_up_user(
    space: Space,
    settings: Settings,
    objects: Objects,
    *,
    final: bool = False,
    full: bool = False,
    take_over: bool = False,
    report: Report = lambda _done, _total: None,
) -> Made:
    """Make a backup of a user at a destination, unless nothing has changed since the newest one.

    Args:
        final: the user, marked as moved, leaves this home with it; made even if nothing has changed.
        full: store every content again, to replace damaged ones.
        take_over: go on after a backup that another home made.

    Raises:
        OtherWriterError: the newest backup was made by another home.
        UnfinishedForgettingError, UnfinishedRestoreError: a forgetting or a restore was interrupted.
        DestinationError: the destination fails.
        WriterBusyError: another process has been writing for an hour.
        ChangedDuringExportError: a large file of the inbox was changed meanwhile.
        sqlite3.DatabaseError: a database is damaged; earlier backups stay.
    """
    with backing_up(space):
        _check_whole(space)
        return _back_up(space, settings, objects, report, _Asked(final, full, take_over))


def back_up_after_forgetting(space: Space, settings: Settings, objects: Objects) -> Made:
    """Make a backup as part of a forgetting that has removed everything from the stores; see `back_up_user`."""
    with backing_up(space):
        return _back_up(space, settings, objects, lambda _done, _total: None, _Asked())


class _Asked(NamedTuple):
    final: bool = False
    full: bool = False
    take_over: bool = False


def _back_up(space: Space, settings: Settings, objects: Objects, report: Report, asked: _Asked) -> Made:
    began = time.perf_counter()
    state = read_state(space, objects.name)
    release_own(objects, space.user, state.writer)
    with writing_lease(objects, space.user, state.writer) as lease:
        newest = next(reversed(heads_of(objects, space.user)), None)
        _check_writer(space.user, newest, state, take_over=asked.take_over)
        store_state(space, state)  # the writer's id, before a backup can name it
        earlier = _earlier(objects, newest)
        upload = _Upload(objects, lease, space.user, set(), {one.path: one for one in earlier})
        upload.known = set() if asked.full else {one.sha256 for one in earlier}
        derived = settings.backup.derived or asked.final
        with frozen(space, derived=derived, moved=asked.final) as files:
            entries = tuple(_entries(space, files, upload, report))
        manifest = _manifest(space, settings, entries)
        must = asked.final or asked.full or state.replace or newest is None or newest.derived != derived
        if newest is None or must or _differ(entries, earlier):
            head = _conclude(upload, manifest, newest, state.writer, derived=derived, final=asked.final)
        else:
            head = newest
    store_state(space, replace(state, number=head.number, at=manifest.made_at))
    seconds, damaged = time.perf_counter() - began, tuple(sorted(upload.damaged))
    return Made(head, head is not newest, upload.stored_files, upload.stored_bytes, seconds, files.seconds, damaged)


def _manifest(space: Space, settings: Settings, entries: tuple[Entry, ...]) -> Manifest:
    return Manifest(
        user=space.user,
        made_at=datetime.now(UTC).isoformat(),
        time_zone=settings.time_zone,
        first_day=settings.first_day.isoformat(),
        files=entries,
        settings=settings_of(space),
    )


def _check_whole(space: Space) -> None:
    if space.arriving.is_dir():
        raise UnfinishedRestoreError("a restore or import was interrupted; the same command again finishes it")
    if (space.root / FORGETTING).is_file():
        said = f"a forgetting was interrupted; `brain forget resume --user {space.user}` finishes it"
        raise UnfinishedForgettingError(said)


def _check_writer(user: str, newest: Head | None, state: State, *, take_over: bool) -> None:
    if newest is None or take_over or newest.writer == state.writer or newest.number <= state.number:
        return
    said = f"backup {newest.number} of {user!r} ({newest.made_at[:16]}) was made by another home"
    raise OtherWriterError(f"{said}; --take-over goes on after it, or set another destination")


def _earlier(objects: Objects, newest: Head | None) -> tuple[Entry, ...]:
    """Return the files of the newest backup; none if its manifest is damaged, so that all are stored again."""
    if newest is None:
        return ()
    try:
        return manifest_of(objects, newest).files
    except BadInputError:
        return ()


def _entries(space: Space, files: Frozen, upload: _Upload, report: Report) -> Iterator[Entry]:
    """Store what is missing and yield the entry of every file, by path."""
    found: list[Entry] = []
    total = len(files.files) + len(files.inbox)
    with ThreadPoolExecutor(THREADS) as threads:
        for entry in threads.map(lambda one: upload.unchanging(*one), files.files.items()):
            found.append(entry)
            report(len(found), total)
        unread: list[tuple[str, Path]] = []
        for path, place in files.inbox.items():
            known = files.known(path, space)
            if known is not None and known.sha256 in upload.known:
                found.append(known)
            else:
                unread.append((path, place))
        scratch = files.folder
        for entry in threads.map(lambda one: _of_inbox(upload, one, scratch), unread):
            found += [entry] if entry is not None else []
            report(len(found), total)
    yield from sorted(found, key=lambda one: one.path)


def _of_inbox(upload: _Upload, one: tuple[str, Path], scratch: Path) -> Entry | None:
    try:
        return upload.inbox(*one, scratch)
    except FileNotFoundError:  # removed since it was listed
        return None


def _differ(entries: tuple[Entry, ...], earlier: tuple[Entry, ...]) -> bool:
    """Return whether paths or contents differ; the copy of a database has a time of its own."""
    return {(one.path, one.sha256) for one in entries} != {(one.path, one.sha256) for one in earlier}


def _conclude(
    upload: _Upload, manifest: Manifest, newest: Head | None, writer: str, *, derived: bool, final: bool
) -> Head:
    """Store the manifest, then the entry of the backup under the next number that is free."""
    sha256, content = stored_manifest(manifest)
    upload.objects.put(blob_key(manifest.user, sha256), content)
    number = newest.number if newest else 0
    while True:
        number += 1
        head = Head(
            number=number,
            user=manifest.user,
            made_at=manifest.made_at,
            writer=writer,
            manifest=sha256,
            derived=derived,
            files=len(manifest.files),
            bytes=sum(one.bytes for one in manifest.files),
            added_files=upload.stored_files,
            added_bytes=upload.stored_bytes,
            final=final,
        )
        upload.lease.renew()
        if upload.objects.create(head.key, stored_head(head)):  # another home may have taken the number
            return head
