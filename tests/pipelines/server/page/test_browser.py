"""The page in Chromium: axe finds nothing, nothing is wider than a phone, no rule of the policy is broken, keys work.

`make browser` brings what it needs; without it these tests are skipped.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from brain_pipelines.server.keys import SCOPES, Keys
from tests.paths import ROOT
from tests.pipelines.server.page.conftest import SECRET, Site

AXE = Path(os.environ.get("BRAIN_AXE", ROOT / ".venv/browser/node_modules/axe-core/axe.min.js"))
CHROMIUM = os.environ.get("BRAIN_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PHONE, DESK = {"width": 360, "height": 780}, {"width": 1200, "height": 900}
WIDER = "() => [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 "
WIDER += "&& !e.closest('.scroll, .hidden, dialog, svg')).map(e => e.outerHTML.slice(0, 80))"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="`make browser` installs Playwright")
    if CHROMIUM is None or not AXE.is_file():
        pytest.skip("there is no Chromium, or no axe-core: see `make browser`")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def opened(browser: Any, site: Site, size: dict[str, int], scheme: str) -> tuple[Any, list[str]]:
    """Return a page in which alice has signed in by the form, and the messages of its console."""
    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{message.text} {message.location}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{site.url}/page/names")
    page.fill("#key", Keys(site.home).create("alice", SCOPES)[0])
    page.click("main button")
    page.wait_for_url("**/page/names")
    return page, said


def test_every_page_is_accessible_and_fits(chromium: Any, site: Site, alice: httpx.Client) -> None:
    own, named = site.ids(alice), re.findall(r'href="(/page/about/[^"]+)', alice.get("/page/names").text)
    assert named
    paths = [
        "/page/",
        f"/page/?q={SECRET}",
        f"/page/?q={SECRET}&as_of=2026-03-01",
        "/page/names",
        named[0],
    ]
    paths += ["/page/check", f"/page/check?claim=Priya+Raman+leads+{SECRET}.", "/page/why?id=Priya+Raman"]
    paths += ["/page/storylines", "/page/inbox", "/page/teams", "/page/costs", "/page/forget", "/page/keys"]
    paths += [f"{own['plan.md']}?start=0&end=40", own["m2.eml"], f"{own['harbour.pdf']}?start=0&end=30"]
    for size, scheme in ((DESK, "light"), (PHONE, "dark")):
        page, said = opened(chromium, site, size, scheme)
        for path in paths:
            page.goto(site.url + path)
            for summary in page.query_selector_all("summary"):
                summary.click()
            page.evaluate(AXE.read_text())
            found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
            wrong = [(one["id"], [node["target"] for node in one["nodes"]]) for one in found["violations"]]
            assert (path, scheme, wrong) == (path, scheme, [])
            assert page.evaluate(WIDER) == [], path
        assert said == []


def test_a_file_is_dropped_on_the_page(chromium: Any, site: Site) -> None:
    page, said = opened(chromium, site, DESK, "light")
    page.goto(f"{site.url}/page/inbox")
    page.set_input_files("#files", [{"name": "drop.md", "mimeType": "text/plain", "buffer": b"Tansy by the gate."}])
    page.wait_for_selector(".uploads progress:not([value])")  # sent; this server processes no uploads
    assert "being read" in page.inner_text(".uploads") and (site.home.inbox / "alice/note/drop.md").is_file()
    assert said == []


def test_keys_and_sliders(chromium: Any, site: Site) -> None:
    page, said = opened(chromium, site, DESK, "light")
    page.goto(f"{site.url}/page/?q={SECRET}")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.is_visible("dialog#keys")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("jk?")
    assert page.input_value("#q") == "jk?" and not page.is_visible("dialog#keys")
    page.keyboard.press("Escape")
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("[...document.querySelectorAll('[data-item]')].findIndex(e => e.matches('.at'))") == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/page/source/**")
    page.goto(f"{site.url}/page/?q={SECRET}&as_of=2026-02-01")
    slider = page.locator("input.slider[data-for=as_of]")
    before = int(slider.input_value())
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.input_value("#as_of") == "2026-02-02" and int(slider.input_value()) == before + 1
    page.keyboard.press("End")
    assert page.input_value("#as_of") == ""
    page.keyboard.press("g")
    page.keyboard.press("i")
    assert said == []
