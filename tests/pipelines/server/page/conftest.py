"""A home of two users behind a real server on loopback, and browsers without a screen that sign in to it."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import fpdf
import httpx
import pytest
import uvicorn

from brain_pipelines.server.app import create_app
from brain_pipelines.server.keys import SCOPES, Keys
from brain_pipelines.server.protocol import protocol_with
from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import snapshot
from tests.pipelines.server.http.conftest import settings_of

SECRET = "Zanzibar"  # a word of alice's that bob has never written
MARKUP = '<script>alert(1)</script><img src=x onerror="alert(2)"><a href="javascript:alert(3)">x</a>'
TEXT = f"Priya Raman leads {SECRET}. {SECRET} depends on Kafka. {MARKUP}"
HOSTILE_NAME = "<img src=x onerror=alert(4)> “notes”.md"
VOID = ("meta", "col", "link", "input", "img", "br", "hr", "circle", "rect", "line", "path")


@dataclass
class Tags(HTMLParser):
    """The elements of a page, as a browser would see them."""

    found: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert not self.open or tag in VOID or self.open.pop() == tag, f"</{tag}> closes another element"


def tags_of(html: str) -> list[tuple[str, dict[str, str]]]:
    """Return the elements of a page with their attributes; every one must be closed."""
    parser = Tags()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.found


@dataclass
class Site:
    """The server, and what the tests need to know of its home."""

    home: Home
    url: str
    app: Any
    bench: Bench

    @contextmanager
    def visitor(self, user: str = "alice", *scopes: str) -> Iterator[httpx.Client]:
        """Yield a client that has signed in with a new key, by default one with every scope."""
        key, _ = Keys(self.home).create(user, scopes or SCOPES)
        with httpx.Client(base_url=self.url, timeout=60) as client:
            assert sign_in(client, key).status_code == 303
            yield client

    def ids(self, client: httpx.Client) -> dict[str, str]:
        """Return the sources in the inbox of a user: shown name -> address."""
        found = re.findall(r'<div class="what"><a href="([^"]+)"[^>]*>([^<]+)', client.get("/page/inbox").text)
        return {unescape(name): href for href, name in found}


def sign_in(client: httpx.Client, key: str, onward: str = "") -> httpx.Response:
    """Fill in the form as a browser does."""
    form = client.get("/page/sign-in", params={"next": onward})
    return client.post("/page/sign-in", data={"csrf": csrf_of(form.text), "key": key, "next": onward})


def csrf_of(html: str) -> str:
    """Return the token of the forms of a page; all carry the same."""
    (token,) = {attrs["value"] for tag, attrs in tags_of(html) if tag == "input" and attrs.get("name") == "csrf"}
    return token


def post(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """Send a form of a page with the token of the session."""
    token = csrf_of(client.get("/page/storylines").text)
    return client.post(path, data={"csrf": token, **fields})


def _mail(number: int, sender: str, text: str, answered: str = "") -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = f"{sender} <{sender.lower()}@a.example>", "alice@a.example", "The quay"
    mail["Date"], mail["Message-ID"] = f"Mon, 0{number} Feb 2026 10:00:00 +0000", f"<m{number}@a.example>"
    if answered:
        mail["References"] = answered
    mail.set_content(text)
    return mail.as_bytes()


def _fill(bench: Bench) -> None:
    """Write what the pages show: hostile notes, a thread of mails, a PDF, an unreadable file; bob's one note."""
    pdf = fpdf.FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=16)
    pdf.cell(text="The harbour wall is nine metres high.")
    drops = [
        ("alice", "note", "plan.md", f"# Plan {MARKUP}\n\n{TEXT}"),
        ("alice", "note", HOSTILE_NAME, f"Bob Lee lives in Lisbon. {MARKUP}"),
        ("alice", "email", "m1.eml", _mail(2, "Omar", f"Shall we meet at the quay? {MARKUP}")),
        ("alice", "email", "m2.eml", _mail(3, "Lea", "Yes, at nine.", "<m2@a.example>")),
        ("alice", "document", "harbour.pdf", bytes(pdf.output())),
        ("alice", "document", "empty.txt", ""),
        ("crew", "note", "palette.md", "Ochre is for warnings."),
        ("bob", "note", "own.md", "Carl Weber leads Phoenix. Phoenix depends on Kafka."),
    ]
    for user, source, name, content in drops:
        bench.land(bench.drop(user, source, name, content, day="2026-02-04"), user, now=datetime.now(UTC))
    for user, source in sorted({(user, source) for user, source, _, _ in drops}):
        bench.run(user, source)
    snapshot(bench, datetime.now(UTC).date().isoformat())


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The server; it runs in a thread until the tests are done."""
    home = Home(tmp_path_factory.mktemp("page") / "home")
    home.path.mkdir()
    (home.path / "brain.toml").write_text('[teams.crew]\nmembers = ["alice", "carla"]\n')
    before = os.environ.get("DAGSTER_HOME")
    os.environ["DAGSTER_HOME"] = str(home.path / "dagster")
    bench = Bench(home)
    _fill(bench)
    settings = settings_of(home, process_uploads=False)
    app = create_app(home, settings)
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_config=None, http=protocol_with(settings.server), ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Site(home, f"http://127.0.0.1:{port}", app, bench)
    finally:
        server.should_exit = True
        thread.join(120)
        os.environ.pop("DAGSTER_HOME", None)
        if before is not None:
            os.environ["DAGSTER_HOME"] = before


@pytest.fixture(scope="session")
def alice(site: Site) -> Iterator[httpx.Client]:
    """A browser in which alice is signed in, with every scope."""
    with site.visitor() as client:
        yield client


@pytest.fixture(scope="session")
def bob(site: Site) -> Iterator[httpx.Client]:
    """A browser in which bob is signed in, with every scope."""
    with site.visitor("bob") as client:
        yield client


def path_of(home: Home, user: str, source: str, name: str) -> Path:
    """Return a file of an inbox."""
    return home.inbox / user / source / name
