"""File transfers in a user's directory: atomic copies into the inbox, and from there into content-addressed blobs."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from brain_pipelines.landing.inbox import FileState
from brain_retrieval.home import Space

COPY_BYTES = 1 << 20


class FileChangedError(Exception):
    """The file was modified while it was being copied; the next inbox scan takes it."""


def store_blob(space: Space, path: Path, file: FileState) -> str:
    """Copy a file into the blobs while hashing it, and return its sha256.

    Raises:
        FileChangedError: if size or modification time differ from the listing.
    """
    digest = hashlib.sha256()
    handle, temporary = tempfile.mkstemp(dir=space.blobs, prefix=".landing-")
    try:
        # O_NOFOLLOW: the file may have been replaced by a link since it was listed
        source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(handle, "wb") as target, os.fdopen(source, "rb") as origin:
            while block := origin.read(COPY_BYTES):
                digest.update(block)
                target.write(block)
            stat = os.fstat(origin.fileno())
        if (stat.st_size, stat.st_mtime_ns) != (file.size, file.mtime_ns):
            raise FileChangedError(file.uri)
        blob = space.blob(digest.hexdigest())
        blob.parent.mkdir(parents=True, exist_ok=True)
        Path(temporary).replace(blob)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return digest.hexdigest()


def store_bytes(space: Space, content: bytes) -> str:
    """Store `content` as a blob and return its sha256."""
    sha256 = hashlib.sha256(content).hexdigest()
    blob = space.blob(sha256)
    if blob.is_file() and blob.stat().st_size == len(content):
        return sha256
    blob.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=space.blobs, prefix=".landing-")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(content)
        Path(temporary).replace(blob)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return sha256


def drop_into_inbox(space: Space, source: str, path: Path, *, name: str | None = None) -> Path:
    """Copy a file into the inbox under a hidden name and rename it, so that no scan sees a partial file."""
    target = space.inbox / source / (name or path.name)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    os.close(handle)
    try:
        shutil.copyfile(path, temporary)
        shutil.copystat(path, temporary)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target
