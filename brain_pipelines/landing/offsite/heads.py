"""The backups of a user at a destination.

<user>/blobs/<2 digits>/<sha256>     contents of files, each once; a manifest of all files is one of them
<user>/backups/<number>.json         one backup: its time, its manifest, who made it; stored last, only if it is free
<user>/leases/…                      who is writing or cleaning up now

A file that is in no backup does not count: it is the rest of one that was interrupted.
"""

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from brain_pipelines.landing.archive.manifest import MAX_MANIFEST_BYTES, Manifest, read_manifest, sealed, unsealed
from brain_pipelines.landing.offsite.objects import NoObjectError, Objects
from brain_retrieval.errors import BadInputError, BrainError, InvalidQueryError

FORMAT = 1
THREADS = 16
DIGITS = 10


class NoBackupError(BrainError, LookupError):
    """There is no backup of this user, or none of that number or time."""

    exit_code = 3


@dataclass(frozen=True)
class Head:
    """One backup. `writer` is a random id of the home's copy of the user that made it."""

    number: int
    user: str
    made_at: str  # UTC, ISO 8601
    writer: str
    manifest: str  # sha256 of the stored manifest
    derived: bool
    files: int
    bytes: int
    added_files: int  # that had to be stored
    added_bytes: int
    final: bool = False  # the user moves to another home with it

    @property
    def key(self) -> str:
        return f"{self.user}/backups/{self.number:0{DIGITS}}.json"

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name not in ("writer", "manifest")}


def stored_head(head: Head) -> bytes:
    """Return the content that a backup's entry is stored with."""
    return sealed({"format": FORMAT, **asdict(head)})


def blob_key(user: str, sha256: str) -> str:
    """Return the key of a content."""
    return f"{user}/blobs/{sha256[:2]}/{sha256}"


def heads_of(objects: Objects, user: str) -> list[Head]:
    """Return the backups of a user, oldest first.

    Raises:
        BadInputError: one is damaged or of a later format.
        DestinationError: the destination fails.
    """
    keys = [one.key for one in objects.under(f"{user}/backups")]
    with ThreadPoolExecutor(THREADS) as threads:
        contents = list(threads.map(lambda key: _get(objects, key), keys))
    return [_read_head(key, content, user) for key, content in zip(keys, contents, strict=True) if content is not None]


def _get(objects: Objects, key: str) -> bytes | None:
    try:
        return objects.get(key)
    except NoObjectError:  # removed since it was listed
        return None


def _read_head(key: str, content: bytes, user: str) -> Head:
    try:
        values = unsealed(content)
        if values.pop("format") != FORMAT:
            raise BadInputError(f"{key} was made by a later version of Brain")
        found = Head(**values)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, BadInputError) and "later version" in str(error):
            raise
        raise BadInputError(f"{key} is damaged; remove it, or restore from another backup with --at") from None
    if found.key != key or found.user != user:
        raise BadInputError(f"{key} is damaged: it is the backup of something else")
    return found


def choose(heads: Sequence[Head], user: str, at: str | None) -> Head:
    """Return the newest backup, or that of a number, or the newest that was made at a time or before.

    Args:
        heads: oldest first.
        at: a number, or an ISO 8601 day or time (UTC if it names no zone).

    Raises:
        NoBackupError: there is none.
        InvalidQueryError: `at` is neither a number nor a time.
    """
    if at is not None and at.isdigit():
        heads = [one for one in heads if one.number == int(at)]
    elif at is not None:
        last = _end_of(at)
        heads = [one for one in heads if datetime.fromisoformat(one.made_at) <= last]
    if not heads:
        raise NoBackupError(f"there is no backup of {user!r}" + (f" of {at}" if at else ""))
    return heads[-1]


def _end_of(at: str) -> datetime:
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        raise InvalidQueryError(f"{at!r:.80} is neither the number of a backup nor an ISO 8601 time") from None
    if len(at) <= len("2026-01-31"):  # a day counts as a whole
        found += timedelta(days=1)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def stored_manifest(manifest: Manifest) -> tuple[str, bytes]:
    """Return the sha256 and the content that a manifest is stored with: the same for equal manifests."""
    content = gzip.compress(manifest.to_bytes(), compresslevel=6, mtime=0)
    return hashlib.sha256(content).hexdigest(), content


def manifest_of(objects: Objects, head: Head) -> Manifest:
    """Return the files of a backup, checked by hash.

    Raises:
        BadInputError: the manifest is missing or damaged.
    """
    named = f"the manifest of backup {head.number} of {head.user!r} is"
    try:
        content = objects.get(blob_key(head.user, head.manifest))
    except NoObjectError:
        raise BadInputError(f"{named} missing") from None
    if hashlib.sha256(content).hexdigest() != head.manifest:
        raise BadInputError(f"{named} damaged")
    try:
        plain = zlib.decompressobj(wbits=31).decompress(content, MAX_MANIFEST_BYTES)
    except zlib.error:
        raise BadInputError(f"{named} damaged") from None
    found = read_manifest(plain)
    if found.user != head.user:
        raise BadInputError(f"{named} that of another user")
    return found


def contents_of(objects: Objects, heads: Sequence[Head]) -> dict[str, int]:
    """Return all contents that backups need, their manifests too: sha256 -> bytes (0 for a manifest)."""
    with ThreadPoolExecutor(4) as threads:
        manifests = list(threads.map(lambda one: manifest_of(objects, one), heads))
    found = {head.manifest: 0 for head in heads}
    for manifest in manifests:
        found |= {one.sha256: one.bytes for one in manifest.files}
    return found
