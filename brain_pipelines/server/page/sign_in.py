"""Signing in with a key of `brain keys create`, and out again."""

import secrets

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from brain_pipelines.server.page.render import html
from brain_pipelines.server.page.session import COOKIE, FORM_COOKIE, LONGEST_SECONDS, PREFIX, cookie, same
from brain_pipelines.server.page.visit import CSRF, In, form_of, local, to
from brain_pipelines.server.page.words import COOKIE as LANGUAGE
from brain_pipelines.server.page.words import NAMES, word
from brain_pipelines.server.rates import Rates
from brain_pipelines.server.state import ServerState

router = APIRouter(prefix=PREFIX)
PATH = f"{PREFIX}/sign-in"
WRONG = "This key is not valid. It may have been revoked, or a part of it is missing."
EXPIRED = "This form had expired. Please try again."
TOO_MANY = "Too many keys that are not valid. Wait a minute."
_failures = Rates(0.5, 20)  # by address


@router.get("/sign-in")
async def form(request: Request, next: str = "") -> Response:  # noqa: A002 - the name in the address
    """Show the form; whoever is signed in goes on."""
    if request.scope["state"].get("session") is not None:
        return RedirectResponse(local(next), 303)
    return _form(request, next)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Open a session for a key."""
    server: ServerState = request.app.state.server
    fields = await form_of(request)
    given = fields.get("key", "").strip()
    nonce = cookie(request.headers, FORM_COOKIE)
    if not nonce or not same(fields.get(CSRF, ""), server.sessions.form_token(nonce)):
        return _form(request, fields.get("next", ""), EXPIRED, 403)
    caller = await server.work.file(lambda: server.keys.caller(given))
    if caller is None:
        wait = _failures.wait(request.client.host if request.client else "")
        return _form(request, fields.get("next", ""), TOO_MANY if wait else WRONG, 429 if wait else 401)
    server.sessions.close(request.headers)
    answer = RedirectResponse(local(fields.get("next", "")), 303)
    _set(answer, request, COOKIE, server.sessions.open(caller), PREFIX, int(LONGEST_SECONDS))
    answer.delete_cookie(FORM_COOKIE, path=PATH)
    return answer


@router.post("/sign-out")
async def sign_out(visit: In) -> Response:
    """End the session."""
    visit.server.sessions.close(visit.request.headers)
    answer = to("/sign-in")
    answer.delete_cookie(COOKIE, path=PREFIX)
    return answer


@router.get("/language")
async def language(_: In, to: str, next: str = "") -> Response:  # noqa: A002 - the names in the address
    """Show the page in another language from now on."""
    answer = RedirectResponse(local(next), 303)
    if to in NAMES:
        answer.set_cookie(LANGUAGE, to, max_age=365 * 86_400, path=PREFIX, httponly=True, samesite="strict")
    return answer


def _form(request: Request, onward: str, error: str = "", status: int = 200) -> Response:
    server: ServerState = request.app.state.server
    nonce = cookie(request.headers, FORM_COOKIE) or secrets.token_urlsafe(24)
    frame = {"user": "", "may": {}, "here": PATH}
    values = {**frame, "csrf": server.sessions.form_token(nonce), "next": local(onward), "error": word(error)}
    answer = HTMLResponse(html("sign_in.html", values), status)
    _set(answer, request, FORM_COOKIE, nonce, PATH, 3600)
    return answer


def _set(answer: Response, request: Request, name: str, value: str, path: str, seconds: int) -> None:
    # behind a proxy that speaks TLS, the origin that the browser states says so
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
    answer.set_cookie(name, value, max_age=seconds, path=path, httponly=True, samesite="strict", secure=secure)
