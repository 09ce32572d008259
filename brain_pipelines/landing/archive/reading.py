"""An archive as a stream of checked contents: sizes and hashes as the manifest says, nothing that it does not name.

The tar headers are read here: an extended header of the format could claim any size and would be held in memory.
"""

import hashlib
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from brain_pipelines.landing.archive.manifest import DATA, MAX_MANIFEST_BYTES, NAME, Manifest, read_manifest
from brain_retrieval.errors import BadInputError

MAGIC = {b"\x28\xb5\x2f\xfd": "zstd", b"\x1f\x8b": "gzip"}
BLOCK_BYTES = 1 << 20
BOMB_BYTES, BOMB_RATIO = 1 << 30, 200


class Archive:
    """An open archive; `manifest` is read first, then the contents in order."""

    def __init__(self, stream: Any, size: int) -> None:
        self._stream = stream
        name, length = self._header()
        if name != NAME or length > MAX_MANIFEST_BYTES:
            raise BadInputError("not an archive of Brain: it does not begin with a manifest")
        self.manifest: Manifest = read_manifest(b"".join(self._content(length)))
        total = sum(one.bytes for one in self.manifest.files)
        if total > BOMB_BYTES and total > BOMB_RATIO * size:
            raise BadInputError(f"{size} bytes claim to hold {total}: refused as a decompression bomb")

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield each content of the manifest once: its sha256 and its blocks, which must be read to the end.

        Raises:
            BadInputError: a content is missing, is not the one of its name, or is none of the manifest.
        """
        wanted = {sha256: entries[0].bytes for sha256, entries in self.manifest.contents.items()}
        while wanted:
            name, size = self._header()
            sha256 = name.removeprefix(DATA)
            if not name.startswith(DATA) or wanted.pop(sha256, -1) != size:
                raise BadInputError(f"the archive holds what its manifest does not name: {name!r:.100}")
            yield sha256, self._checked(sha256, size)
        self._end()

    def _checked(self, sha256: str, size: int) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for block in self._content(size):
            digest.update(block)
            yield block
        if digest.hexdigest() != sha256:
            raise BadInputError(f"the archive is damaged: the content {sha256[:12]}… is not the one that was exported")

    def _header(self) -> tuple[str, int]:
        """Return name and size of the next member."""
        block = self._read(tarfile.BLOCKSIZE)
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except (tarfile.TarError, ValueError):
            raise BadInputError("the archive is damaged or cut short") from None
        if info.type != tarfile.REGTYPE or info.size < 0:
            raise BadInputError(f"the archive holds something that is not a plain file: {info.name!r:.100}")
        return info.name, info.size

    def _content(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            block = self._read(min(left, BLOCK_BYTES))
            left -= len(block)
            yield block
        _check_empty(self._read(-size % tarfile.BLOCKSIZE))

    def _end(self) -> None:
        """Read what follows the last content: empty blocks, a record at most."""
        left = 2 * tarfile.RECORDSIZE
        while left > 0 and (block := self._block(left)):
            _check_empty(block)
            left -= len(block)

    def _read(self, size: int) -> bytes:
        parts, left = [], size
        while left:
            block = self._block(left)
            if not block:
                raise BadInputError("the archive is damaged or cut short")
            parts.append(block)
            left -= len(block)
        return b"".join(parts)

    def _block(self, most: int) -> bytes:
        try:
            return self._stream.read(most)
        except (OSError, ValueError) as error:
            raise BadInputError(f"the archive is damaged: {error}") from None


def _check_empty(padding: bytes) -> None:
    """Refuse what stands between the members of an archive: the hashes of the contents do not cover it."""
    if any(padding):
        raise BadInputError("the archive is damaged: it holds bytes that belong to no file")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive and read its manifest.

    Raises:
        BadInputError: it is none, is damaged, or claims to hold far more than it can.
        OSError: if the file cannot be read.
    """
    import pyarrow as pa

    with path.open("rb") as file:
        start = file.read(4)
        codec = next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)
        if codec is None:
            raise BadInputError(f"{path} is not an archive of Brain: neither zstd nor gzip")
        file.seek(0)
        with pa.CompressedInputStream(pa.PythonFile(file, mode="r"), codec) as stream:
            yield Archive(stream, path.stat().st_size)
