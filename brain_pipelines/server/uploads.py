"""Uploads: a body streamed into a hidden folder of the inbox, then landed; answered when it is on disk and recorded.

<home>/inbox/<user>/.uploads/<random>/<name>    while it arrives; the folder is locked by the process that writes it

A process that is killed leaves such a folder behind. It is never read, and the next start removes it.
"""

import fcntl
import hashlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from starlette.requests import ClientDisconnect

from brain_pipelines.connectors.delivery import safe_name, target_of
from brain_pipelines.server.idempotency import first_attempt
from brain_pipelines.server.problems import ProblemError, too_large
from brain_pipelines.server.work import Work
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import make_folder, move_into_place
from brain_retrieval.stores.locking import writer_lock

if TYPE_CHECKING:
    from brain_pipelines.readers.source_policy import SourcePolicy
    from brain_pipelines.server.writer import Place

FOLDER = ".uploads"
LOCK_SECONDS = 30.0  # to wait for another writer of this user, before the upload is refused
PIECE_BYTES = 1 << 20  # written at once


@dataclass(frozen=True)
class Upload:
    """What the sender says of a file."""

    name: str  # as `checked_name` returns it
    source: str | None = None  # None: by its format
    event_time: datetime | None = None
    policy: "SourcePolicy | None" = None
    replace: bool = False  # a file of the same name with other content
    key: str | None = None  # Idempotency-Key


@dataclass(frozen=True)
class Arrived:
    """A file that is complete and on disk, in the folder of its draft."""

    path: Path
    size: int
    sha256: str


@dataclass(frozen=True)
class Landed:
    """What became of it."""

    uri: str
    source: str
    items: tuple[str, ...]  # source ids
    size: int
    sha256: str
    days: tuple[str, ...]  # that are to run
    unchanged: bool
    repeated: bool
    refused: str = ""  # why no item could be taken from it


def checked_name(name: str) -> str:
    """Return a name that is safe in an inbox.

    Raises:
        ProblemError: 400 for a name that is empty, hidden, leads out of the inbox, or looks unfinished.
    """
    wrong = "\\" in name or name.startswith("/") or ".." in name.split("/") or not name.isprintable()
    safe = None if wrong else safe_name(name)
    if safe is None:
        raise ProblemError(400, "a name is a relative path without hidden, empty or unfinished (.part, .tmp) parts")
    return safe


class Draft:
    """The file of an upload while it arrives. Leaving the block removes what has not been moved away."""

    def __init__(self, space: Space, name: str) -> None:
        self._folder = space.inbox / FOLDER / secrets.token_hex(8)
        self.path = self._folder / Path(name).name
        self.size = 0
        self._digest = hashlib.sha256()
        self._file: BinaryIO | None = None
        self._handle = -1

    def open(self) -> None:
        """Create the folder and the file in it."""
        make_folder(self._folder)
        self._handle = os.open(self._folder, os.O_RDONLY)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        self._file = self.path.open("xb")

    def close(self) -> None:
        """Remove the folder with what is left in it."""
        if self._file is not None:
            self._file.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, piece: bytes) -> None:
        """Append a piece."""
        if self._file is None:
            raise ValueError("the draft is not open")
        self.size += len(piece)
        self._digest.update(piece)
        self._file.write(piece)

    def finish(self, mtime: float | None = None) -> Arrived:
        """Wait until everything is on disk."""
        if self._file is None:
            raise ValueError("the draft is not open")
        self._file.flush()
        if mtime is not None:
            os.utime(self._file.fileno(), (mtime, mtime))
        os.fsync(self._file.fileno())
        return Arrived(self.path, self.size, self._digest.hexdigest())


async def receive(draft: Draft, body: AsyncIterator[bytes], most: int, work: Work) -> None:
    """Write a body to a draft.

    Raises:
        ProblemError: 413 if it is larger than `most` bytes, 400 if the sender left.
    """
    held, size = bytearray(), 0
    try:
        async for piece in body:
            held += piece
            size += len(piece)
            if size > most:
                raise too_large(most)
            if len(held) >= PIECE_BYTES:
                full, held = bytes(held), bytearray()
                await work.file(lambda: draft.write(full))  # noqa: B023 - awaited at once
    except ClientDisconnect:
        raise ProblemError(400, "the sender left before the end of the body") from None
    await work.file(lambda: draft.write(bytes(held)))


def land(place: "Place", draft: Arrived, upload: Upload) -> Landed:
    """Move a complete draft into the inbox and land it.

    Raises:
        ProblemError: 400 for a source type that does not exist, 409 if another file has this name, 422 if the
            idempotency key was given for another file.
        WriterBusyError: if another process writes for this user; nothing is stored then.
    """
    from brain_pipelines.engine.healing import ensure_catalog
    from brain_pipelines.landing.inbox import FileState
    from brain_pipelines.landing.landing import NO_POLICY, open_landing

    space, settings, sha256 = place.space, place.settings, draft.sha256
    event_time = aware(upload.event_time, settings)
    source = _source_of(draft, upload)
    target = target_of(space, source, upload.name)
    said = f"{source}\n{upload.name}\n{sha256}\n{upload.event_time}\n{upload.policy}"
    with writer_lock(space.create(), timeout=LOCK_SECONDS):
        ensure_catalog(space, settings)
        _, repeated = first_attempt(space, upload.key, said.encode("utf-8", "surrogateescape"))
        same = _holds(target, sha256)
        if target.exists() and not same and not upload.replace:
            raise ProblemError(409, "another file has this name; send it with replace=true to make it a new version")
        make_folder(target.parent)
        if not same:
            move_into_place(draft.path, target)
        file = FileState.of(target, space.inbox)
        with open_landing(space, settings) as landing:
            days = landing.land(file, event_time=event_time, policy=upload.policy or NO_POLICY)
            items = tuple(item.source_id for item in landing.items_of(file.uri))
            refused = dict(landing.refused()).get(file.uri, "")
    return Landed(file.uri, source, items, draft.size, sha256, tuple(sorted(days)), not days, repeated, refused)


def sweep(home: Home) -> int:
    """Remove the drafts of processes that were killed; return how many."""
    removed = 0
    for folder in home.inbox.glob(f"*/{FOLDER}/*") if home.inbox.is_dir() else ():
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another server receives it now
            continue
        else:
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
        finally:
            os.close(handle)
    return removed


def most_bytes(settings: Settings) -> int:
    """Return the size that a file of any type may have."""
    limits = settings.limits
    return max(limits.max_file_bytes, limits.max_pdf_bytes, limits.max_media_bytes)


def _source_of(draft: Arrived, upload: Upload) -> str:
    from brain_pipelines.sources.choice import choose_source
    from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME

    if upload.source is None:
        return choose_source(draft.path)
    if upload.source not in SOURCES_BY_NAME:
        raise ProblemError(400, f"no such source type; known: {', '.join(sorted(one.name for one in SOURCES))}")
    return SOURCES_BY_NAME[upload.source].name


def _holds(path: Path, sha256: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def aware(moment: datetime | None, settings: Settings) -> datetime | None:
    """Return a time with its zone; without one, in that of the settings."""
    return moment.replace(tzinfo=settings.zone) if moment is not None and moment.tzinfo is None else moment
