"""The outermost layer of the server: what every request must pass before anything reads it.

host → origin → key → rate → size and speed of the body. It holds for every path, also for applications that are
mounted below, so a route that forgets its own check is still closed to whoever has no key.
"""

import asyncio
import secrets
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from brain_pipelines.server.hosts import allowed_names, is_allowed_host, is_own_origin
from brain_pipelines.server.keys import Caller
from brain_pipelines.server.log import log_failure, log_request
from brain_pipelines.server.page.session import PREFIX, is_open, is_page
from brain_pipelines.server.problems import ProblemError, problem, problem_response, too_large
from brain_pipelines.server.rates import Rates
from brain_pipelines.server.state import ServerState
from brain_retrieval.settings.server import ServerSettings

OPEN_PATHS = ("/health", "/openapi.json")  # no data of a user is there
UPLOADS = ("/api/sources", f"{PREFIX}/upload")  # their size is limited where they are read
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
FAILURES_A_MINUTE, FAILURES_AT_ONCE = 30, 20  # keys of one address that are not valid
HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


class Guard:
    """Refuses requests, limits bodies, adds headers and writes the log. `scope["state"]["caller"]` is the caller."""

    def __init__(self, app: ASGIApp, server: ServerState) -> None:
        self.server = server
        self._app, self._keys, self._settings = app, server.keys, server.settings.server
        settings = self._settings
        self._names = allowed_names(settings)
        self._rates = Rates(settings.requests_per_second, settings.burst)
        self._failures = Rates(FAILURES_A_MINUTE / 60, FAILURES_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        state = scope.setdefault("state", {})
        state["request_id"] = secrets.token_hex(8)
        body = _Body(receive, _headers(scope), _limit_of(scope, self._settings), self._settings)
        out = _Out(send, state["request_id"], body)
        try:
            self._check(scope)
            body.check_declared()
            await self._app(scope, body, out)
        except ProblemError as refused:
            await self._refuse(scope, out, refused)
        except Exception as error:  # answered by `problems.py`, and raised again for the log
            if not out.status:
                log_failure(scope, error)
                await self._refuse(scope, out, ProblemError(500, "an unexpected error"))
        finally:
            ms = (time.perf_counter() - began) * 1000
            log_request(scope, status=out.status, milliseconds=ms, received=body.received)

    def _check(self, scope: Scope) -> None:
        headers = _headers(scope)
        if not is_allowed_host(headers.get("host", ""), self._names):
            raise ProblemError(421, "this name is not one of the server's; see server.allowed_hosts")
        if scope["method"] not in SAFE_METHODS and not is_own_origin(headers, scope["scheme"]):
            raise ProblemError(403, "a request that changes something must not come from another site")
        if scope["path"] in OPEN_PATHS:
            return
        caller = self._signed_in(headers, scope) if is_page(scope["path"]) else self._caller(headers, scope)
        if caller is None:
            return
        if (wait := self._rates.wait(caller.key_id)) > 0:
            raise ProblemError(429, "too many requests with this key", headers=_after(wait))
        scope["state"]["caller"] = caller

    def _signed_in(self, headers: Mapping[str, str], scope: Scope) -> Caller | None:
        """Return who looks at the page, by the cookie alone; None where no data of a user is shown."""
        session = self.server.sessions.of(headers)
        scope["state"]["session"] = session
        if session is not None:
            return session.caller
        if is_open(scope["path"]):
            return None
        asked = scope.get("query_string", b"").decode("latin-1")
        back = quote(scope["path"] + (f"?{asked}" if asked else "")) if scope["method"] == "GET" else ""
        raise ProblemError(
            303, "sign in first", headers={"Location": f"{PREFIX}/sign-in" + (f"?next={back}" * bool(back))}
        )

    def _caller(self, headers: Mapping[str, str], scope: Scope) -> Caller:
        kind, _, token = headers.get("authorization", "").partition(" ")
        caller = self._keys.caller(token.strip()) if kind.lower() == "bearer" else None
        if caller is not None:
            return caller
        address = (scope.get("client") or ("",))[0]
        if token and (wait := self._failures.wait(address)) > 0:
            raise ProblemError(429, "too many keys that are not valid", headers=_after(wait))
        detail = "send `Authorization: Bearer KEY` with a key from `brain keys create`"
        raise ProblemError(401, detail, headers={"WWW-Authenticate": 'Bearer realm="brain"'})

    async def _refuse(self, scope: Scope, out: "_Out", refused: ProblemError) -> None:
        if out.status:
            return
        response = problem_response(problem(refused.status_code, str(refused.detail)), refused.headers)
        await response(scope, out.body, out)


class _Body:
    """`receive` with a limit of size, and of the time that a body may take."""

    def __init__(
        self, receive: Receive, headers: Mapping[str, str], most: int | None, settings: ServerSettings
    ) -> None:
        self._receive, self._most, self._settings = receive, most, settings
        self._declared = headers.get("content-length", "0")
        self._began = 0.0
        self.received = 0
        self.complete = self._declared == "0" and "transfer-encoding" not in headers

    def check_declared(self) -> None:
        """Refuse a body whose declared length is too large."""
        if not self._declared.isdecimal():
            raise ProblemError(400, "Content-Length is not a number")
        if self._most is not None and int(self._declared) > self._most:
            raise too_large(self._most)

    async def __call__(self) -> Message:
        if self.complete:
            return await self._receive()  # waits until the client leaves
        self._began = self._began or time.monotonic()
        allowed = self._settings.body_seconds + self.received / self._settings.min_rate
        try:
            async with asyncio.timeout(max(0.0, self._began + allowed - time.monotonic())):
                message = await self._receive()
        except TimeoutError:
            raise ProblemError(408, "the body did not arrive in time") from None
        if message["type"] == "http.request":
            self.received += len(message.get("body", b""))
            self.complete = not message.get("more_body", False)
            if self._most is not None and self.received > self._most:
                raise too_large(self._most)
        return message


class _Out:
    """`send` with the headers of every response; a connection with an unread body is closed."""

    def __init__(self, send: Send, request_id: str, body: _Body) -> None:
        self._send, self._request_id, self.body = send, request_id, body
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            known = {name.lower() for name, _ in given}
            own = {**HEADERS, "x-request-id": self._request_id}
            own |= {} if self.body.complete else {"connection": "close"}
            given += [(n.encode(), v.encode()) for n, v in own.items() if n.encode() not in known]
            message = {**message, "headers": given}
        await self._send(message)


def _limit_of(scope: Scope, settings: ServerSettings) -> int | None:
    return None if scope["path"] in UPLOADS and scope["method"] == "POST" else settings.max_body_bytes


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _after(seconds: float) -> dict[str, Any]:
    return {"Retry-After": str(max(1, round(seconds + 0.5)))}
