"""Reader of notes that an app saved as web pages, one a page: Google Keep, Notion, Apple's Journal.

They are written by their owner, and have their day, title and labels at fixed places; as pages of others they would
be of the day they were copied.
"""

import re
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.dates import beginning
from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.notes.said_time import said_time
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.webpage.html import parse_tree
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

_TAGS = re.compile(r"<[^<>]{0,500}>")
_KEEP = re.compile(rb"""<div class="note"><div class="heading">""")
_JOURNAL = re.compile(rb"""<div class=["']pageContainer["']>|<div class=["']pageHeader["']>""")
_NOTION = re.compile(rb"""<article id="[0-9a-f-]{32,36}" class="page (?:sans|serif|mono)\b""")
_CHECKED = "\u2611"
_SIGN = re.compile(rf"^(?:- )?(?P<box>[\u2610{_CHECKED}])\s*", re.MULTILINE)
_PAGES = (_KEEP, _JOURNAL, _NOTION)
# Where each states its day: behind the icons of Keep, above the pictures of the journal, among the properties.
_DAYS = (
    re.compile(r"""<div class="heading">.{0,4000}?</div>(?P<day>[^<>]{6,120})</div>""", re.DOTALL),
    re.compile(r"""<div class=["']pageHeader["']>(?P<day>[^<>]{6,120})</div>"""),
    re.compile(r"""property-row-created_time">.{0,4000}?<time>(?P<day>[^<>]{6,60})</time>""", re.DOTALL),
    re.compile(r"""property-row-date">.{0,4000}?<time>(?P<day>[^<>]{6,60})</time>""", re.DOTALL),
)


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the note of a page with its title and labels.

    Raises:
        BadInputError: if it is in the bin of its app, or has no words.
    """
    decoded = read_decoded(path, limits, declared="utf-8")
    tree = parse_tree(decoded.text)
    if _first(tree, "article", "page") is not None:
        return to_extracted([_of_notion(tree)])
    if tree.xpath('//div[contains(@class, "note")]//span[contains(@class, "trashed")]'):
        raise BadInputError("a note in Keep's bin; restore it there if it shall be read")
    return to_extracted([_of_notes(tree)])


def _of_notes(tree: Any) -> Note:
    labels = [_words(one) for one in tree.xpath('//span[contains(@class, "label-name")]')]
    labels = labels or [_words(one) for one in tree.xpath('//span[contains(@class, "chip label")]')]
    bodies = tree.xpath('//div[@class="content" or @class="bodyText"]')
    text = "\n\n".join(to_markdown(_inner(body)) for body in bodies)
    title = _first(tree, "div", "title")
    return Note(text=_boxed(text), title=_words(title), tags=[label for label in labels if label])


def _boxed(text: str) -> str:
    """Return a text whose items have boxes, with those of a list for the signs of Keep."""
    return _SIGN.sub(lambda match: "- [x] " if match["box"] == _CHECKED else "- [ ] ", text)


def _of_notion(tree: Any) -> Note:
    body = _first(tree, "div", "page-body")
    tags, facts = list[str](), list[str]()
    for row in tree.xpath('//table[contains(@class, "properties")]//tr'):
        name, values = _words(row.find("th")), row.xpath('.//span[contains(@class, "selected-value")]')
        if "multi_select" in (row.get("class") or ""):
            tags += [_words(value) for value in values]
        elif (value := _words(row.find("td"))) and "created" not in (row.get("class") or ""):
            facts.append(f"{name}: {value.removeprefix('@')}")
    for box in tree.xpath('//div[contains(@class, "checkbox")]'):
        box.text = "[x] " if "checkbox-on" in box.get("class") else "[ ] "
        box.tag = "span"
    text = to_markdown(_inner(body)) if body is not None else ""
    title = tree.xpath('//h1[contains(@class, "page-title")]')
    return Note(
        text="\n\n".join(part for part in ("\n".join(facts), text) if part),
        title=_words(title[0]) if title else "",
        tags=tags,
    )


def _first(tree: Any, tag: str, name: str) -> Any:
    return next((one for one in tree.iter(tag) if name in (one.get("class") or "").split()), None)


def _inner(element: Any) -> str:
    from lxml import html  # pyright: ignore[reportAttributeAccessIssue]

    return str(html.tostring(element, encoding="unicode", with_tail=False))


def _words(element: Any) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def page_time(path: Path, zone: tzinfo) -> datetime | None:
    """Return the time that a page states for its note."""
    text = beginning(path).decode("utf-8", "replace")
    found = (match["day"] for pattern in _DAYS if (match := pattern.search(text)))
    return next((time for day in found if (time := said_time(_TAGS.sub(" ", day), zone))), None)


def _fits(start: bytes, _complete: bool) -> bool:
    return start[:1] == b"<" and any(page.search(start) for page in _PAGES)


FORMAT = Format(
    "note-page",
    "text/html",
    "a note that an app saved as a web page",
    family="notes",
    suffixes=(".html", ".htm"),
    promised=True,
    shape=_fits,
    read=Isolated(read_file, ("lxml.html", "trafilatura", "charset_normalizer")),
    date_of=page_time,
    date_from="content",
)
