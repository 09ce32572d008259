"""Rendering of pages that need JavaScript, in a real browser without network access."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_pipelines.connectors.crawl.browser import BrowserMissingError, build_render, render, why_missing
from brain_retrieval.settings import Settings
from tests.pipelines.connectors.crawl.sites import settings, text
from tests.pipelines.connectors.http.servers import Site, reply, serve

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = why_missing() or (None if CHROMIUM else "no Chromium on this machine")
needs_browser = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
WORDS = text("/late")


@pytest.fixture
def site() -> Iterator[Site]:
    script = "fetch('/words').then(r => r.text()).then(t => { document.querySelector('article').textContent = t })"
    shell = f"<html><head><title>Late</title></head><body><article></article><script>{script}</script></body></html>"
    with serve({"/": lambda _: reply(shell), "/words": lambda _: reply(WORDS)}) as running:
        yield running


def options(site: Site, seconds: float = 60.0) -> Settings:
    return settings(site, browser=True, browser_seconds=seconds)


@needs_browser
def test_content_written_by_scripts_is_rendered(site: Site) -> None:
    page = render(site.url("/"), options(site))
    assert page is not None and WORDS in page.body.decode() and page.header("x-rendered") == "yes"
    assert {request.headers["user-agent"].split("/")[0] for request in site.requests} == {"Brain"}


@needs_browser
def test_page_cannot_request_what_fetcher_refuses(site: Site) -> None:
    with serve({"*": lambda _: reply("secret")}) as inner:
        attempts = "".join(
            f"<script>fetch('{url}', {{mode: 'no-cors'}})</script><img src='{url}'><iframe src='{url}'></iframe>"
            for url in (inner.url("/a"), f"http://localhost:{inner.port}/b", "http://169.254.169.254/")
        )
        attempts += f"<script>new WebSocket('ws://127.0.0.1:{inner.port}/ws')</script>"
        site.answers["/"] = lambda _: reply(f"<html><body><article>{WORDS}</article>{attempts}</body></html>")
        page = render(site.url("/"), options(site))
        assert page is not None and inner.requests == []  # its port is not among those allowed


@needs_browser
def test_page_that_never_finishes_is_stopped(site: Site) -> None:
    site.answers["/"] = lambda _: reply("<html><body><script>while (true) {}</script></body></html>")
    began = time.monotonic()
    assert render(site.url("/"), options(site, seconds=1.0)) is None
    assert time.monotonic() - began < 50


def test_missing_browser_is_reported(tmp_path: Path) -> None:
    assert build_render(Settings()) is None
    wanted = Settings(crawl={"browser": True, "browser_path": tmp_path / "none"})
    with pytest.raises(BrowserMissingError):
        build_render(wanted)
