"""Main text of web pages without boilerplate."""

from pathlib import Path

import pytest

from brain_pipelines.readers.registry import readers_of
from brain_retrieval.settings import Limits

READ = readers_of()["html"]

SENTENCE = "The component library was late by two weeks, and so the launch moved to the middle of March. "
PAGE = f"""<!DOCTYPE html><html lang="en-GB"><head><title>Late | The Site</title><meta name="author" content="Ann Lee">
<script>var secret = 'tracking';</script></head><body>
<div class="cookie-banner">We and our 847 partners use cookies.</div>
<nav><a href="/">Home</a><a href="/jobs">Jobs</a></nav>
<article><h1>Late</h1><p>{SENTENCE * 3}</p><h2>Why</h2><p>{SENTENCE * 3}</p>
<table><tr><th>Item</th><th>Cost</th></tr><tr><td>Table</td><td>18,900</td></tr></table></article>
<footer>Imprint and terms</footer></body></html>"""


def read(tmp_path: Path, page: str | bytes):
    path = tmp_path / "blob"
    path.write_bytes(page if isinstance(page, bytes) else page.encode())
    return READ(path, Limits(), tmp_path)


def test_boilerplate_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, PAGE)
    text = "\n".join(block.text for block in found.blocks)
    assert "library was late" in text and "18,900" in text
    assert not any(word in text for word in ("cookies", "Jobs", "Imprint", "tracking"))
    assert (found.title, found.authors, found.language) == ("Late", ["Ann Lee"], "en")


def test_control_characters_do_no_harm(tmp_path: Path) -> None:
    found = read(tmp_path, f"<html><body><p>{SENTENCE}\x08\x01</p><p>{SENTENCE}</p></body></html>")
    assert "library was late" in found.blocks[0].text


def test_headings_are_sections(tmp_path: Path) -> None:
    assert [block.section for block in read(tmp_path, PAGE).blocks if block.text] == ["Late", "Late > Why"]


def test_a_page_without_an_article_is_read_whole(tmp_path: Path) -> None:
    found = read(tmp_path, "<html><body><div>Only</div><div>a few words.</div><script>no()</script></body></html>")
    assert "Only" in found.blocks[0].text and "no()" not in found.blocks[0].text


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252"])
def test_the_declared_encoding_is_used(tmp_path: Path, encoding: str) -> None:
    page = f'<html><head><meta charset="{encoding}"></head><body><p>Zürich, Café — naïve.</p></body></html>'
    page = page.replace("—", "-") if encoding == "iso-8859-1" else page
    assert "Zürich, Café" in read(tmp_path, page.encode(encoding)).blocks[0].text


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    entity = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    page = f"{entity}<html><body><p>A paragraph &x; here.</p></body></html>"
    assert "root:" not in read(tmp_path, page).blocks[0].text


def test_very_short_page_is_read_whole(tmp_path: Path) -> None:
    page = "<html><body><h1>Plan</h1><p>Before.</p><table><tr><td>A</td></tr></table><h2>After</h2><p>We meet at nine."
    text = "\n".join(block.text for block in read(tmp_path, page + "</p></body></html>").blocks)
    assert "Before." in text and "We meet at nine." in text


ROWS = (
    "Doors at 7 in the old depot.",
    "Bring a lamp; Ruth has two to lend.",
    "Read the minutes",
    "The tram stops at 11.",
)


@pytest.mark.parametrize(
    ("head", "table"),
    [("", '<table role="presentation">'), ("<!--[if mso]><xml></xml><![endif]-->" * 3, '<table class="column">')],
)
def test_a_newsletter_that_was_saved_as_a_page_is_read_whole(tmp_path: Path, head: str, table: str) -> None:
    columns = "".join(f'{table}<tr><td><a href="https://a.example">{row}</a></td></tr></table>' for row in ROWS * 8)
    page = f"<html><head>{head}</head><body>{columns}</body></html>"
    text = "\n".join(block.text for block in read(tmp_path, page).blocks)
    assert [text.count(row) for row in ROWS] == [8] * 4
