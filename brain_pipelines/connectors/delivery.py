"""Durable writes into the inbox (hidden temporary name, fsync, rename), and file names that are safe there."""

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from brain_pipelines.landing.inbox import UNFINISHED_SUFFIXES
from brain_retrieval.home import Space
from brain_retrieval.stores.durable import writing

MAX_NAME_BYTES, MAX_PARTS = 180, 30
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\]")


class TooLargeError(Exception):
    """A file exceeds the size limit."""


def write_into_inbox(
    space: Space, source: str, name: str, chunks: Iterable[bytes], *, most: int, mtime: float | None = None
) -> Path:
    """Write a file into the inbox atomically: no scan sees a partial file, and a crash does not lose it.

    Args:
        space: the user's paths.
        source: the source type; first directory of the path.
        name: path below it, as returned by `safe_name`.
        chunks: the content.
        most: size limit, bytes.
        mtime: modification time of the original, seconds since the epoch.

    Raises:
        TooLargeError: if the content exceeds `most` bytes; the partial file is removed.
    """
    target = target_of(space, source, name)
    size = 0
    with writing(target) as file:
        for chunk in chunks:
            size += len(chunk)
            if size > most:
                raise TooLargeError(f"larger than {most} bytes")
            file.write(chunk)
        file.flush()
        if mtime is not None:
            os.utime(file.fileno(), (mtime, mtime))
    return target


def target_of(space: Space, source: str, name: str) -> Path:
    """Return the path of a file in the inbox.

    Raises:
        ValueError: if the path leaves the source's directory, directly or through a link.
    """
    root = space.inbox / source
    target = root / name
    inside = Path(os.path.realpath(root))
    if not Path(os.path.realpath(target.parent)).is_relative_to(inside) or ".." in PurePosixPath(name).parts:
        raise ValueError("a name that leads out of the inbox")
    return target


def safe_name(relative: str) -> str | None:
    """Return a relative path that is safe in an inbox, or None for a hidden or unfinished file.

    Parts that are too long are truncated and made unique by a hash of the whole path.
    """
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if not parts or len(parts) > MAX_PARTS or any(part.startswith(".") for part in parts):
        return None
    if parts[-1].lower().endswith(UNFINISHED_SUFFIXES):
        return None
    return "/".join(_safe_part(part, relative) for part in parts)


def _safe_part(part: str, whole: str) -> str:
    clean = _UNSAFE.sub("_", part)
    data = clean.encode("utf-8", "surrogateescape")
    if len(data) <= MAX_NAME_BYTES:
        return clean
    stem, dot, suffix = clean.rpartition(".")
    ending = f".{suffix}" if dot and len(suffix) <= 10 else ""
    digest = hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:10]
    room = MAX_NAME_BYTES - len(ending.encode()) - 11
    start = (stem if ending else clean).encode("utf-8", "surrogateescape")[:room].decode("utf-8", "ignore")
    return f"{start}-{digest}{ending}"
