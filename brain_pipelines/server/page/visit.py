"""A request of the page: who looks, what may be read or changed, and the HTML that answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from brain_pipelines.server.keys import SCOPES
from brain_pipelines.server.line import Asker
from brain_pipelines.server.page.render import html
from brain_pipelines.server.page.session import PREFIX, Session, same
from brain_pipelines.server.pool import Opened
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.state import ServerState
from brain_retrieval.home import Space

Answer = TypeVar("Answer")
MOST_FIELDS = 50  # of a form
CSRF, TOKEN = "csrf", "x-form-token"
WHAT = {"read": "look into the memory", "write": "add to the memory", "forget": "forget", "admin": "manage keys"}


@dataclass(frozen=True)
class Visit:
    """A request with a session. The user is that of the session's key; nothing else can name one."""

    server: ServerState
    session: Session
    request: Request
    form: Mapping[str, str]  # of a POST, checked

    @property
    def user(self) -> str:
        return self.session.caller.user

    @property
    def space(self) -> Space:
        return self.server.home.space(self.user)

    def may(self, scope: str) -> bool:
        """Return whether the key of this session has a scope."""
        return self.session.caller.may(scope)

    @property
    def asker(self) -> Asker:
        """Who waits in line."""
        return Asker(self.user, self.session.caller.key_id)

    async def read(self, call: Callable[[Opened], Answer]) -> Answer:
        """Return what a call returns that reads the user's stores."""

        def run() -> Answer:
            with self.server.pool.use(self.user) as opened:
                return call(opened)

        return await self.server.work.read(self.asker, run)

    async def write(self, call: Callable[..., Answer], *arguments: Any) -> Answer:
        """Return what `ServerState.write` returns, which changes the user's stores."""
        return await self.server.write(self.user, call, *arguments)

    async def here(self, call: Callable[[], Answer]) -> Answer:
        """Return what a call returns that changes what only this process has; those of one user follow one another."""
        return await self.server.work.write(self.user, call)

    async def show(self, template: str, call: Callable[[Opened], Mapping[str, Any]], status: int = 200) -> Response:
        """Return a page with what a call reads; it is rendered in the thread that reads."""
        text = await self.read(lambda opened: self.html(template, call(opened)))
        return HTMLResponse(text, status)

    def html(self, template: str, values: Mapping[str, Any]) -> str:
        """Return a page that the signed-in user sees."""
        return html(template, {**self._frame(), **values}, self.server.settings.zone)

    def _frame(self) -> dict[str, Any]:
        return {
            "user": self.user,
            "may": {scope: self.may(scope) for scope in SCOPES},
            "csrf": self.session.csrf,
            "here": self.request.url.path,
            "back": back_to(self.request),
        }


def back_to(request: Request) -> str:
    """Return where a link that changes how the page looks leads back to: this page, or of a form that was sent none."""
    asked = request.url.query
    return request.url.path + (f"?{asked}" if asked else "") if request.method == "GET" else f"{PREFIX}/"


async def visit_of(request: Request) -> Visit:
    """Return the visit of a request; of a POST with its form.

    Raises:
        ProblemError: 401 without a session, 403 for a form that does not carry the session's token.
    """
    session = _session(request)
    form = await form_of(request) if request.method == "POST" else {}
    if request.method not in ("GET", "HEAD") and not same(form.get(CSRF, ""), session.csrf):
        raise ProblemError(403, "this form is from an earlier visit; go back, reload the page and send it again")
    return Visit(request.app.state.server, session, request, form)


In = Annotated[Visit, Depends(visit_of)]


async def visit_by_header(request: Request) -> Visit:
    """Return the visit of a request whose body is no form; its token is in the header `X-Form-Token`.

    Another site cannot set this header without being asked first, and is never allowed to.

    Raises:
        ProblemError: 401 without a session, 403 without its token.
    """
    session = _session(request)
    if not same(request.headers.get(TOKEN, ""), session.csrf):
        raise ProblemError(403, "this form is from an earlier visit; go back, reload the page and send it again")
    return Visit(request.app.state.server, session, request, {})


def _session(request: Request) -> Session:
    session = request.scope.get("state", {}).get("session")
    if not isinstance(session, Session):
        raise ProblemError(401, "sign in first")
    return session


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form; the last of a name that is there twice.

    Raises:
        ProblemError: 415 for a body that is no form, 400 for one that cannot be read.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise ProblemError(415, "this is not a form of the page")
    try:
        fields = parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise ProblemError(400, "the form cannot be read") from None
    return dict(fields)


def router_for(scope: str) -> APIRouter:
    """Return a router below `/page` whose routes all need a scope."""

    def has_scope(visit: In) -> None:
        if not visit.may(scope):
            raise ProblemError(403, f"the key you signed in with may not {WHAT[scope]}: it has no scope {scope!r}")

    return APIRouter(prefix=PREFIX, dependencies=[Depends(has_scope)])


def to(path: str) -> Response:
    """Return the redirection after a form was handled."""
    return RedirectResponse(PREFIX + path, 303)


def local(path: str) -> str:
    """Return a path of the page as it was asked for; the first page for anything else.

    >>> local("/page/inbox?offset=50"), local("//evil.example/"), local("/page\\n")
    ('/page/inbox?offset=50', '/page/', '/page/')
    """
    fine = path.startswith(f"{PREFIX}/") and path.isprintable() and "\\" not in path and "/.." not in path
    return quote(path, safe="/?&=%+~:.,-_") if fine else f"{PREFIX}/"
