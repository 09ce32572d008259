"""Installed weights: paths of an entry's files and verification of their hashes. No network access.

<models_dir>/<entry>/<file>             the bytes
<models_dir>/<entry>/.<file>.verified   sha256, size, mtime and inode of the file when it was last hashed
"""

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights.manifest import ModelEntry, ModelFile

BLOCK = 1 << 20


def file_path(entry: ModelEntry, file: ModelFile, models_dir: Path) -> Path:
    """Return the path of an entry's file."""
    return models_dir / entry.name / file.path


def sha256_of(path: Path) -> str:
    """Return the hex digest of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def locate(entry: ModelEntry, models_dir: Path, *, rehash: bool = False) -> dict[str, Path]:
    """Return the verified files of an entry by name.

    A file is hashed once and then only if its size, mtime or inode has changed, so a start costs one `stat` per
    file; `rehash` hashes every file.

    Raises:
        ModelMissingError: a file is absent or its bytes are not those of the manifest.
    """
    return {file.path: _checked(entry, file, models_dir, rehash) for file in entry.files}


def is_installed(entry: ModelEntry, models_dir: Path) -> bool:
    """Return whether every file of the entry is here with the right hash."""
    try:
        locate(entry, models_dir)
    except ModelMissingError:
        return False
    return True


def _checked(entry: ModelEntry, file: ModelFile, models_dir: Path, rehash: bool) -> Path:
    path = file_path(entry, file, models_dir)
    command = f"run: brain models pull {entry.name}"
    if not path.is_file():
        raise ModelMissingError(f"{entry.name}: {path} is missing; {command}")
    stamp = _stamp(path, file)
    if not rehash and _read_stamp(path) == stamp:
        return path
    if path.stat().st_size != file.size or sha256_of(path) != file.sha256:
        raise ModelMissingError(f"{entry.name}: {path} does not have the hash of the manifest; {command}")
    write_stamp(path, file)
    return path


def _stamp(path: Path, file: ModelFile) -> dict[str, str | int]:
    status = path.stat()
    return {"sha256": file.sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns, "inode": status.st_ino}


def _stamp_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.verified")


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(_stamp_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def write_stamp(path: Path, file: ModelFile) -> None:
    """Record that `path` has been hashed. In a read-only directory nothing is recorded, and it is hashed again."""
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".stamp-")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(_stamp(path, file), stream)
        Path(name).replace(_stamp_path(path))
