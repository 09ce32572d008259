"""File transfers in a user's directory: atomic copies into the inbox, and from there into content-addressed blobs.

Whatever returns from here is on disk: a file is acknowledged only after its bytes and its name are synced.
"""

import hashlib
import os
import shutil
from pathlib import Path

from brain_pipelines.landing.inbox import FileState
from brain_retrieval.home import Space
from brain_retrieval.stores.durable import make_folder, move_into_place, write_bytes, writing

COPY_BYTES = 1 << 20


class FileChangedError(Exception):
    """The file was modified while it was being copied; the next inbox scan takes it."""


def store_blob(space: Space, path: Path, file: FileState) -> str:
    """Copy a file into the blobs while hashing it, and return its sha256.

    An existing blob of this name is replaced: it may have been damaged since it was written.

    Raises:
        FileChangedError: if size or modification time differ from the listing.
    """
    digest = hashlib.sha256()
    arriving = space.blobs / f".landing-{os.urandom(8).hex()}"
    try:
        # O_NOFOLLOW: the file may have been replaced by a link since it was listed
        source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(source, "rb") as origin, arriving.open("xb") as target:
            os.fchmod(target.fileno(), 0o600)
            while block := origin.read(COPY_BYTES):
                digest.update(block)
                target.write(block)
            stat = os.fstat(origin.fileno())
            target.flush()
            os.fsync(target.fileno())
        if (stat.st_size, stat.st_mtime_ns) != (file.size, file.mtime_ns):
            raise FileChangedError(file.uri)
        blob = space.blob(digest.hexdigest())
        make_folder(blob.parent)
        move_into_place(arriving, blob)
    except BaseException:
        arriving.unlink(missing_ok=True)
        raise
    return digest.hexdigest()


def store_bytes(space: Space, content: bytes) -> str:
    """Store `content` as a blob and return its sha256."""
    sha256 = hashlib.sha256(content).hexdigest()
    blob = space.blob(sha256)
    if not is_intact(blob):
        write_bytes(blob, content)
    return sha256


def is_intact(blob: Path) -> bool:
    """Return whether a plain blob exists and its bytes have the hash in its name.

    Raises:
        OSError: if it exists and cannot be read.
    """
    try:
        return sha256_of(blob) == blob.name
    except FileNotFoundError:
        return False


def sha256_of(path: Path) -> str:
    """Return the hex sha256 of a file; about 0.7 s a gigabyte."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def drop_into_inbox(space: Space, source: str, path: Path, *, name: str | None = None) -> Path:
    """Copy a file into the inbox under a hidden name and rename it, so that no scan sees a partial file."""
    target = space.inbox / source / (name or path.name)
    with path.open("rb") as origin, writing(target) as copy:
        shutil.copyfileobj(origin, copy, COPY_BYTES)
        copy.flush()
        shutil.copystat(path, copy.name)
    return target
