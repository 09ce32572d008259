"""Keys of a user: `brain.<user>.<key id>.<secret>`, stored as hashes in the user's own directory.

<home>/users/<user>/keys.json    goes when the user is deleted

A secret has 256 random bits, so one round of SHA-256 is enough to store it: it cannot be guessed from its hash.
"""

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from brain_pipelines.landing.own_users import create_space
from brain_retrieval.errors import BrainError, InvalidQueryError
from brain_retrieval.home import USER_PATTERN, Home, Space
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.durable import write_bytes
from brain_retrieval.stores.locking import writer_lock

SCOPES = ("read", "write", "forget", "admin")
MOST_KEYS = 100  # of one user
LABEL_CHARS = 80
_SHAPE = re.compile(r"brain\.([a-z0-9-]{1,40})\.([0-9a-f]{16})\.([A-Za-z0-9_-]{43})")
_NOTHING = hashlib.sha256(b"no such key").hexdigest()


class UnknownKeyError(BrainError, LookupError):
    """No key of this user has this id."""

    exit_code = 2


@dataclass(frozen=True)
class Caller:
    """Who sends a request, as its key says."""

    user: str
    key_id: str
    scopes: frozenset[str]

    def may(self, scope: str) -> bool:
        """Return whether the key has a scope; "admin" includes the others."""
        return scope in self.scopes or "admin" in self.scopes


@dataclass(frozen=True)
class StoredKey:
    """What is stored of a key: everything but its secret."""

    key_id: str
    digest: str
    scopes: tuple[str, ...]
    label: str
    created_at: str

    def to_json(self) -> dict[str, object]:
        """Return what may be shown."""
        return {"id": self.key_id, "scopes": list(self.scopes), "label": self.label, "created_at": self.created_at}


class Keys:
    """The keys of all users of a home. They are read again when their file has changed."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def create(self, user: str, scopes: tuple[str, ...], label: str = "") -> tuple[str, StoredKey]:
        """Make a key; return it, to be shown once, and what is stored of it.

        Raises:
            InvalidUserError: if the user id is malformed.
            InvalidQueryError: for an unknown scope, none, a label that is too long, or more keys than allowed.
        """
        if not scopes or set(scopes) - set(SCOPES):
            raise InvalidQueryError(f"a key has one or more of the scopes {', '.join(SCOPES)}")
        if len(label) > LABEL_CHARS:
            raise InvalidQueryError(f"a label has at most {LABEL_CHARS} characters")
        space = create_space(self.home.space(user), load_settings(self.home.path))
        key_id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        chosen = tuple(scope for scope in SCOPES if scope in scopes)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        stored = StoredKey(key_id, _digest(secret), chosen, label, made)
        with writer_lock(space):
            known = self.list(user)
            if len(known) >= MOST_KEYS:
                raise InvalidQueryError(f"a user has at most {MOST_KEYS} keys; revoke one first")
            _write(space, [*known, stored])
        return f"brain.{user}.{key_id}.{secret}", stored

    def list(self, user: str) -> list[StoredKey]:
        """Return the keys of a user, oldest first."""
        return list(_read(_path(self.home.space(user))))

    def revoke(self, user: str, key_id: str) -> None:
        """Remove a key; requests that name it are refused from now on.

        Raises:
            UnknownKeyError: if the user has no such key.
        """
        space = self.home.existing_space(user)
        with writer_lock(space):
            known = self.list(user)
            kept = [one for one in known if one.key_id != key_id]
            if len(kept) == len(known):
                raise UnknownKeyError(f"{user!r} has no key {key_id!r:.40}")
            _write(space, kept)

    def caller(self, token: str) -> Caller | None:
        """Return who a key belongs to; None if it is not valid. A file that cannot be read makes no key valid."""
        found = _SHAPE.fullmatch(token)
        user, key_id, secret = found.groups() if found else ("", "", "")
        stored = None
        # A link would make one user's keys those of another.
        if USER_PATTERN.fullmatch(user) and not self.home.space(user).root.is_symlink():
            stored = next((one for one in self.list(user) if one.key_id == key_id), None)
        same = hmac.compare_digest(_digest(secret), stored.digest if stored else _NOTHING)
        return Caller(user, key_id, frozenset(stored.scopes)) if stored and same else None


def user_of(authorization: str) -> str:
    """Return the user named by the key of an Authorization header, "" if it is none; the key is not checked."""
    kind, _, token = authorization.partition(" ")
    found = _SHAPE.fullmatch(token.strip()) if kind.lower() == "bearer" else None
    return found[1] if found else ""


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _path(space: Space) -> Path:
    return space.root / "keys.json"


def _write(space: Space, keys: list[StoredKey]) -> None:
    write_bytes(_path(space), json.dumps([asdict(one) for one in keys], indent=1).encode())


def _read(path: Path) -> tuple[StoredKey, ...]:
    try:
        stat = path.stat()
    except OSError:
        return ()
    return _parsed(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=1024)
def _parsed(path: Path, _inode: int, _mtime_ns: int, _size: int) -> tuple[StoredKey, ...]:
    """Return the keys of a file in the state that the other arguments name."""
    try:
        rows = json.loads(path.read_bytes())
        return tuple(StoredKey(**{**row, "scopes": tuple(row["scopes"])}) for row in rows)
    except (OSError, ValueError, TypeError, KeyError):
        return ()
