"""Export of a user as one archive, streamed: nothing but copies of the databases is stored on the way."""

import hashlib
import io
import os
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from brain_pipelines.landing.archive.manifest import DATA, DERIVED, INBOX, NAME, TRUTH, USER, Entry, Manifest
from brain_pipelines.landing.backup import copy_database
from brain_pipelines.landing.inbox import list_files, to_path
from brain_retrieval.errors import BrainError, InvalidQueryError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import make_folder, writing
from brain_retrieval.stores.locking import writer_lock

CODECS = {".tar.zst": "zstd", ".tar.gz": "gzip", ".tgz": "gzip"}
BLOCK_BYTES = 1 << 20
NO_DATABASE = (".sqlite-wal", ".sqlite-shm", ".lock", ".part")
SECTIONS = ("users", "owners", "teams")


class ChangedDuringExportError(BrainError):
    """A file changed or went while the archive was being written."""


def export_user(space: Space, settings: Settings, target: Path, *, derived: bool = False) -> Manifest:
    """Write an archive of a user; it appears under its name when it is complete.

    Args:
        target: its name ends in .tar.zst or .tar.gz.
        derived: with lake, index and snapshots, which the importing home would otherwise compute again.

    Raises:
        InvalidQueryError: the name has another ending, or the file exists.
        ChangedDuringExportError: a file changed meanwhile; the same command again may succeed.
        sqlite3.DatabaseError: a database is damaged.
    """
    codec = next((codec for end, codec in CODECS.items() if target.name.endswith(end)), None)
    if codec is None:
        raise InvalidQueryError(f"the name of an archive ends in .tar.zst or .tar.gz, not {target.name!r:.80}")
    if target.exists():
        raise InvalidQueryError(f"{target} exists already")
    make_folder(space.scratch)
    with ExitStack() as stack:
        if derived:  # its parts must be of one moment
            stack.enter_context(writer_lock(space))
        copies = Path(stack.enter_context(TemporaryDirectory(dir=space.scratch)))
        places = dict(places_of(space, copies, TRUTH + DERIVED if derived else TRUTH))
        entries = [entry_of(path, place) for path, place in sorted(places.items())]
        manifest = Manifest(
            user=space.user,
            made_at=datetime.now(UTC).isoformat(),
            time_zone=settings.time_zone,
            first_day=settings.first_day.isoformat(),
            files=tuple(entries),
            settings=settings_of(space),
        )
        with writing(target.absolute()) as file, compressed(file, codec) as stream:
            _write(stream, manifest, places)
    return manifest


def settings_of(space: Space) -> dict[str, Any]:
    """Return the sections of `brain.toml` that are about a user: section -> its values."""
    try:
        stored = tomllib.loads((space.home / "brain.toml").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return {name: stored[name][space.user] for name in SECTIONS if space.user in stored.get(name, {})}


@contextmanager
def compressed(file: BinaryIO, codec: str) -> Iterator[Any]:
    """Yield a stream that compresses what is written to it into a file that stays open."""
    import pyarrow as pa

    sink = pa.PythonFile(_Unclosed(file), mode="w")
    with pa.CompressedOutputStream(sink, codec) as stream:
        yield stream


class _Unclosed(io.RawIOBase):
    """A file that a library must not close, because it is synced afterwards."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._file.write(content)


def places_of(space: Space, copies: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """Yield the path in the archive and the place on disk of every file; databases are copied first."""
    for name in names:  # databases first: what the landing record names is in the blobs by then
        for path in _files(space.root / name):
            relative = path.relative_to(space.root).as_posix()
            if path.suffix == ".sqlite":
                place = copies / relative.replace("/", "-")
                copy_database(path, place, durable=False)
                yield f"{USER}/{relative}", place
            elif not path.name.endswith(NO_DATABASE) and not path.name.startswith("."):
                yield f"{USER}/{relative}", path
    for file in list_files(space.inbox):
        place = to_path(space.inbox, file.uri)
        yield f"{INBOX}/{place.relative_to(space.inbox).as_posix()}", place


def _files(place: Path) -> Iterator[Path]:
    if place.is_symlink():
        return
    if place.is_file():
        yield place
    for folder, _, names in os.walk(place):
        for name in sorted(names, key=lambda one: (not one.endswith(".sqlite"), one)):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path


def entry_of(path: str, place: Path) -> Entry:
    """Return the entry of a file, which is read for its hash.

    Raises:
        ChangedDuringExportError: it is gone.
    """
    try:
        with place.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            stat = os.fstat(file.fileno())
    except FileNotFoundError:
        raise changed(path) from None
    return Entry(path, stat.st_size, stat.st_mtime_ns, digest)


def _write(stream: Any, manifest: Manifest, places: dict[str, Path]) -> None:
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        content = manifest.to_bytes()
        archive.addfile(_info(NAME, len(content)), io.BytesIO(content))
        for sha256, (first, *_) in sorted(manifest.contents.items()):
            try:
                with places[first.path].open("rb") as file:
                    source = _Hashed(file)
                    archive.addfile(_info(DATA + sha256, first.bytes), source)
            except (FileNotFoundError, tarfile.TarError, OSError) as error:
                if isinstance(error, FileNotFoundError) or "unexpected end" in str(error):
                    raise changed(first.path) from None
                raise
            if source.digest.hexdigest() != sha256:
                raise changed(first.path)


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


class _Hashed(io.RawIOBase):
    """A file that is hashed while it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.digest = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.digest.update(block)
        return block


def changed(path: str) -> ChangedDuringExportError:
    """Return the error for a file that changed while it was read."""
    return ChangedDuringExportError(f"{path!r:.200} changed while it was read; run the same command again")
