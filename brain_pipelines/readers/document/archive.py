"""Safety check of zip containers: declared and actual sizes, ratio, number of members, no XML entity declarations.

Nothing is extracted to disk.
"""

import zipfile
import zlib
from pathlib import Path

from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_MEMBERS = 10_000
RATIO_FROM_BYTES = 10 << 20  # small XML legitimately compresses a hundredfold
_BLOCK = 1 << 18
MEGABYTE = 1 << 20


def is_zip(path: Path) -> bool:
    """Return whether a file begins like a zip, even if it is truncated."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def check_archive(path: Path, limits: Limits) -> None:
    """Decompress every member once, in chunks, to verify its actual size and content.

    Raises:
        BadInputError: if it is a zip bomb, damaged or encrypted, or has XML that declares entities.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            check_declared(members, path.stat().st_size, limits)
            total = 0
            for member in members:
                total = _check_member(archive, member, total, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError(f"damaged or truncated archive: {str(error)[:120]}") from None


def check_declared(members: list[zipfile.ZipInfo], packed: int, limits: Limits) -> None:
    """Check what the directory of an archive of `packed` bytes says of its members.

    Raises:
        BadInputError: if they are too many or too large, or encrypted.
    """
    if len(members) > MAX_MEMBERS:
        raise BadInputError(f"archive of {len(members)} members, the limit is {MAX_MEMBERS}")
    if any(member.flag_bits & 1 for member in members):
        raise BadInputError("encrypted archive: a password is needed")
    _check_total(sum(member.file_size for member in members), packed, limits)


def _check_total(total: int, packed: int, limits: Limits) -> None:
    if total > limits.max_archive_bytes:
        most = limits.max_archive_bytes / MEGABYTE
        raise BadInputError(f"zip bomb: {total / MEGABYTE:.0f} MB when unpacked, the limit is {most:.0f} MB")
    if total > RATIO_FROM_BYTES and total > packed * limits.max_archive_ratio:
        raise BadInputError(
            f"zip bomb: unpacks to {total / packed:.0f} times its size, the limit is {limits.max_archive_ratio:.0f}"
        )


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, total: int, limits: Limits) -> int:
    is_xml = member.filename.lower().endswith((".xml", ".rels"))
    before = b""
    with archive.open(member) as stream:
        while block := stream.read(_BLOCK):
            total += len(block)
            _check_total(total, archive.fp.seek(0, 2) if archive.fp else total, limits)
            # without NULs, UTF-16 is found too; a declaration may span two chunks
            seen = (before + block).replace(b"\0", b"")
            if is_xml and b"<!ENTITY" in seen:  # a document type alone is harmless: no parser here loads its DTD
                raise BadInputError("XML with a declaration of entities (entity bomb) in the document")
            before = block[-32:]
    return total
