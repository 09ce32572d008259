"""Signed-in browsers: a random id in a cookie, held in the memory of this process; a restart signs everyone out.

A session is worth what its key is: it has the user and the scopes of the key, and ends when the key is revoked.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from brain_pipelines.server.keys import Caller, Keys

PREFIX = "/page"
COOKIE = "brain_page"  # the session
FORM_COOKIE = "brain_sign_in"  # what the form of the sign-in page belongs to
IDLE_SECONDS, LONGEST_SECONDS = 12 * 3600.0, 14 * 24 * 3600.0
MOST_SESSIONS = 1000
OPEN = (f"{PREFIX}/sign-in", f"{PREFIX}/assets/")  # without a session


def is_page(path: str) -> bool:
    """Return whether a path belongs to the page."""
    return path in ("/", PREFIX) or path.startswith(f"{PREFIX}/")


def is_open(path: str) -> bool:
    """Return whether a path of the page shows no data of a user."""
    return path in ("/", OPEN[0]) or path.startswith(OPEN[1])


@dataclass
class Session:
    """One signed-in browser."""

    caller: Caller
    csrf: str  # that every form of this browser carries
    began: float
    used: float


class Sessions:
    """The sessions of all users. Thread-safe; ids are held as hashes."""

    def __init__(self, keys: Keys, clock: Callable[[], float] = time.monotonic) -> None:
        self._keys, self._clock = keys, clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()
        self._secret = secrets.token_bytes(32)

    def open(self, caller: Caller) -> str:
        """Sign in; return the id for the cookie."""
        token, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            self._sessions[_digest(token)] = Session(caller, secrets.token_urlsafe(32), now, now)
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return token

    def of(self, headers: Mapping[str, str]) -> Session | None:
        """Return the session that a request belongs to; None if it has ended or its key is no longer valid."""
        digest = _digest(cookie(headers, COOKIE))
        with self._lock:
            found = self._sessions.get(digest)
        if found is None:
            return None
        now = self._clock()
        late = now - found.used > IDLE_SECONDS or now - found.began > LONGEST_SECONDS
        if late or not self._is_valid(found.caller):
            self._drop(digest)
            return None
        found.used = now
        with self._lock:
            if digest in self._sessions:
                self._sessions.move_to_end(digest)
        return found

    def close(self, headers: Mapping[str, str]) -> None:
        """Sign out."""
        self._drop(_digest(cookie(headers, COOKIE)))

    def form_token(self, nonce: str) -> str:
        """Return the token of a sign-in form for the browser that has `nonce` in its cookie."""
        return hmac.new(self._secret, nonce.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _is_valid(self, caller: Caller) -> bool:
        stored = (one for one in self._keys.list(caller.user) if one.key_id == caller.key_id)
        return any(frozenset(one.scopes) == caller.scopes for one in stored)

    def _drop(self, digest: str) -> None:
        with self._lock:
            self._sessions.pop(digest, None)


def cookie(headers: Mapping[str, str], name: str) -> str:
    """Return a cookie of a request, "" if it has none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def same(one: str, other: str) -> bool:
    """Return whether two tokens are equal, in a time that does not depend on where they differ; "" equals nothing."""
    return bool(one) and hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
