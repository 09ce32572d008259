"""The manifest of an archive of one user: every file with its size, time and sha256, checked before it is believed.

An archive is a tar file, compressed with zstd or gzip: `manifest.json` first, then `data/<sha256>` once for each
content. Paths are only in the manifest: `inbox/<path>` and `user/<path>`, below the user's two directories.
"""

import hashlib
import json
import re
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from brain_retrieval.errors import BadInputError
from brain_retrieval.home import USER_PATTERN

FORMAT = 1
NAME = "manifest.json"
DATA = "data/"
INBOX, USER = "inbox", "user"
# What cannot be computed again, below the user's directory.
TRUTH = ("raw", "access.sqlite", "requests.sqlite", "agents", "connectors", "crawl.sqlite", "costs.sqlite", "receipts")
TRUTH += ("claims.sqlite",)
TRUTH += ("golden.yaml", "golden.yml", "golden.toml", "golden.jsonl", "golden-history.jsonl")
DERIVED = ("catalog.sqlite", "lake", "index", "knowledge", "graph.sqlite")
MAX_MANIFEST_BYTES = 1 << 28
MAX_PATH_BYTES = 4096
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Entry:
    """One file of an archive. `mtime_ns` is nanoseconds since the epoch."""

    path: str
    bytes: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an archive holds of a user. `settings` are the user's own sections of `brain.toml`."""

    user: str
    made_at: str  # UTC, ISO 8601
    time_zone: str
    first_day: str
    files: tuple[Entry, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def contents(self) -> dict[str, list[Entry]]:
        """The files by the sha256 of their content."""
        found: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.files:
            found[entry.sha256].append(entry)
        return found

    def to_bytes(self) -> bytes:
        return sealed({"format": FORMAT, **asdict(self)})


def sealed(values: dict[str, Any]) -> bytes:
    """Return a manifest as it is stored, with the hash of its values: compression would not show a flipped bit."""
    return json.dumps({**values, "seal": _seal(values)}, sort_keys=True).encode()


def unsealed(content: bytes) -> dict[str, Any]:
    """Return the values of what `sealed` made.

    Raises:
        BadInputError: it is damaged.
        ValueError, TypeError, KeyError: it is something else.
    """
    values: dict[str, Any] = json.loads(content)
    if values.pop("seal") != _seal(values):
        raise BadInputError("its seal is not that of its content")
    return values


def _seal(values: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def read_manifest(content: bytes) -> Manifest:
    """Return a manifest, checked throughout.

    Raises:
        BadInputError: it is no manifest, of a later format, or a path leads elsewhere.
    """
    try:
        stored: dict[str, Any] = json.loads(content)
        if stored["format"] != FORMAT:
            raise BadInputError("the archive was made by a later version of Brain")
        if stored.pop("seal") != _seal(stored):
            raise BadInputError("the archive is damaged: its manifest is not the one that was exported")
        del stored["format"]
        files = tuple(Entry(**one) for one in stored.pop("files"))
        found = Manifest(files=files, **stored)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError("not an archive of Brain: its manifest cannot be read") from None
    if not isinstance(found.user, str) or not USER_PATTERN.fullmatch(found.user):
        raise BadInputError("the archive names no valid user")
    if not all(isinstance(one, str) for one in (found.made_at, found.time_zone, found.first_day)):
        raise BadInputError("not an archive of Brain: its manifest cannot be read")
    _check_files(found)
    return found


def _check_files(manifest: Manifest) -> None:
    paths: set[str] = set()
    folders: set[str] = set()
    sizes: dict[str, int] = {}
    for one in manifest.files:
        numbers = isinstance(one.bytes, int) and isinstance(one.mtime_ns, int) and one.bytes >= 0 and one.mtime_ns >= 0
        if not numbers or not isinstance(one.sha256, str) or not _HASH.fullmatch(one.sha256):
            raise BadInputError("the manifest of the archive is damaged")
        if sizes.setdefault(one.sha256, one.bytes) != one.bytes:
            raise BadInputError("the manifest of the archive contradicts itself")
        if not isinstance(one.path, str) or not _is_safe(one.path):
            raise BadInputError(f"the archive holds a path that is not allowed: {one.path!r:.100}")
        if one.path in paths:
            raise BadInputError(f"the archive holds a path twice: {one.path!r:.100}")
        paths.add(one.path)
        folders.update("/".join(one.path.split("/")[:end]) for end in range(1, one.path.count("/") + 1))
    if paths & folders:
        raise BadInputError("the archive holds a file and a directory of one name")
    if f"{USER}/raw/landing.sqlite" not in paths:
        raise BadInputError("the archive holds no landing record")


def _is_safe(path: str) -> bool:
    """Return whether a path stays below the user's directories and is one that an export writes."""
    parts = path.split("/")
    if "\0" in path or len(path.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES or len(parts) < 2:
        return False
    if any(part in ("", ".", "..") for part in parts) or parts[0] not in (INBOX, USER):
        return False
    return parts[0] == INBOX or parts[1] in (*TRUTH, *DERIVED)


def is_derived(path: str) -> bool:
    """Return whether a file of an archive can be computed again."""
    parts = path.split("/")
    return parts[0] == USER and parts[1] in DERIVED


def place_of(path: str, root: Path, inbox: Path) -> Path:
    """Return where a file of an archive belongs."""
    kind, _, rest = path.partition("/")
    return (inbox if kind == INBOX else root) / rest


def precedes(made_at: str, forgotten_at: str) -> bool:
    """Return whether something was made before a user was forgotten, or in the same second: receipts have seconds."""
    made = datetime.fromisoformat(made_at).replace(microsecond=0)
    return made <= datetime.fromisoformat(forgotten_at)
