"""A small web on loopback with names of hosts, and a home whose settings search it."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from brain_pipelines.ingest.message import take_message
from brain_retrieval.home import Home
from tests.pipelines.connectors.http.servers import Request, Site, reply, serve

USER = "alice"
Answer = Callable[[Request], bytes | Iterator[bytes]]


def html(text: str, *, title: str = "A page", date: str = "2025-03-01") -> bytes:
    """Return a page with a date of publication."""
    return reply(
        f'<html lang="en"><head><title>{title}</title>'
        f'<meta property="article:published_time" content="{date}T09:00:00Z"></head>'
        f"<body><nav>Start | Contact</nav><article><h1>{title}</h1><p>{text}</p></article></body></html>"
    )


@dataclass
class Web:
    """Pages by host and path, and what a search finds: the addresses, whatever the query."""

    site: Site
    home: Home
    pages: dict[str, bytes | Answer] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    search_status: int = 200

    def put(self, place: str, page: bytes | Answer, *, found: bool = True) -> str:
        """Serve a page at host/path and let the search find it; return its address."""
        self.pages[place] = page
        host, _, path = place.partition("/")
        url = f"http://{host}:{self.site.port}/{path}"
        if found:
            self.found.append(url)
        return url

    def configure(self, *, trusted: tuple[str, ...] = (), online: str = "", more: str = "") -> None:
        """Write the settings of the home."""
        names = ", ".join(f'"{name}"' for name in trusted)
        (self.home.path / "brain.toml").write_text(
            f'[fetch]\nallow_networks = ["127.0.0.0/8"]\nports = [80, {self.site.port}]\n'
            f"[crawl]\nrequests_per_second = 500.0\nrespect_robots_txt = false\ntrusted_domains = [{names}]\n"
            f"[evidence.online]\n{online}\n"
            f'[evidence.online.search.local]\nurl = "http://127.0.0.1:{self.site.port}"\nallow_private = true\n{more}'
        )

    def fetched(self) -> list[str]:
        """Return the host and path of every request for a page."""
        asked = [(one.headers["host"].partition(":")[0], one.path) for one in self.site.requests]
        return [f"{host}{path}" for host, path in asked if host != "127.0.0.1"]

    def answer(self, request: Request) -> bytes | Iterator[bytes]:
        host, parts = request.headers["host"].partition(":")[0], urlsplit(request.path)
        if host == "127.0.0.1":
            self.queries.append(parse_qs(parts.query)["q"][0])
            rows = [{"url": url, "title": f"Title of {url}", "content": ""} for url in self.found]
            return reply(json.dumps({"results": rows}), self.search_status, {"Content-Type": "application/json"})
        page = self.pages.get(f"{host}{parts.path}", reply("none", 404))
        return page if isinstance(page, bytes) else page(request)


@contextmanager
def small_web(folder: Path) -> Iterator[Web]:
    """Serve an empty web; names that end in ".example" are this machine."""
    real = socket.getaddrinfo

    def named(host, *rest, **options):
        return real("127.0.0.1" if str(host).endswith(".example") else host, *rest, **options)

    with ExitStack() as stack:
        site = stack.enter_context(serve({}))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(socket, "getaddrinfo", named)
        folder.mkdir(parents=True, exist_ok=True)
        web = Web(site, Home(folder))
        site.answers["*"] = web.answer
        web.configure()
        take_message(web.home, USER, "I planted tulips behind the shed today.", report=False)
        yield web
