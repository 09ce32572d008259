"""Reader of a blog's export by WordPress (WXR): posts and pages with their day, author, categories and tags.

Who writes is stated where a blog has several authors; the only one is its owner. Drafts are read, too; what is in the
bin, pictures, menus and revisions are left out, and so are comments of others.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.ooxml import parse_xml
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.notes.xml_slices import Element, bytes_of, elements
from brain_pipelines.readers.parts import Part
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Limits

_SPACES = (
    'xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:wfw="http://wellformedweb.org/CommentAPI/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:wp="http://wordpress.org/export/1.2/"'
)
_FRONT = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" {_SPACES}>\n'
    "<channel><wp:wxr_version>1.2</wp:wxr_version>"
)
_TEXTS = ("title", "wp:post_id", "wp:post_type", "wp:status", "wp:post_date", "wp:post_date_gmt", "pubDate")
_TEXTS += ("wp:author_login", "wp:author_display_name")
_WRITTEN = ("post", "page")
_BLOCK = "<!-- wp:"


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the posts of an export, or of a part of one.

    Raises:
        BadInputError: if it is damaged, declares entities, or has no post with words.
    """
    check_size(path, limits.max_file_bytes)
    root = parse_xml(path.read_bytes())
    authors = {_text(one, "author_login"): _text(one, "author_display_name") for one in _all(root, "author")}
    return to_extracted([note for item in _all(root, "item") if (note := _note(item, authors))])


def _note(item: Any, authors: dict[str, str]) -> Note | None:
    if _text(item, "post_type") not in _WRITTEN or _text(item, "status") == "trash":
        return None
    content = next((one.text or "" for one in _all(item, "encoded") if "/content/" in one.tag), "")
    login = _text(item, "creator")
    author = authors.get(login, "") if len(authors) > 1 else ""
    tags = [" ".join((one.text or "").split()) for one in _all(item, "category")]
    return Note(
        text=to_markdown(_paragraphs(content)),
        title=_text(item, "title"),
        key=_text(item, "post_id"),
        time=_time(_text(item, "post_date_gmt"), _text(item, "post_date"), _text(item, "pubDate"), UTC),
        tags=[tag for tag in dict.fromkeys(tags) if tag and tag.lower() != "uncategorized"],
        authors=[author] if author else [],
        url=_text(item, "link"),
    )


def _paragraphs(content: str) -> str:
    """Return a post with its paragraphs as elements: older posts part them by empty lines alone."""
    if _BLOCK in content or "<p" in content:
        return content
    parts = (part.strip().replace("\n", "<br>") for part in content.replace("\r\n", "\n").split("\n\n"))
    return "".join(f"<p>{part}</p>" for part in parts if part)


def _all(element: Any, name: str) -> list[Any]:
    return [one for one in element.iter() if isinstance(one.tag, str) and one.tag.rpartition("}")[2] == name]


def _text(element: Any, name: str) -> str:
    return next((" ".join((one.text or "").split()) for one in _all(element, name)), "")


def _time(universal: str, local: str, published: str, zone: tzinfo) -> datetime | None:
    """Return when a post was written; a draft has zeros instead of a time in UTC."""
    return parse_time(universal, UTC) or parse_time(local, zone) or parse_time(published, UTC)


def parts(path: Path, zone: tzinfo, limits: Limits) -> Iterator[Part]:
    """Yield the posts and pages of an export.

    Raises:
        BadInputError: if it is not well-formed, or declares entities.
    """
    check_size(path, limits.max_archive_bytes)
    authors: dict[str, str] = {}
    for element in elements(path, ("item", "wp:author"), _TEXTS):
        if element.name == "wp:author":
            authors[element.one("wp:author_login")] = element.one("wp:author_display_name")
        elif element.one("wp:post_type") in _WRITTEN and element.one("wp:status") != "trash":
            yield _part(path, element, authors, zone)


def _part(path: Path, element: Element, authors: dict[str, str], zone: tzinfo) -> Part:
    named = authors if len(authors) > 1 else {}
    people = "".join(
        f"<wp:author><wp:author_login>{escape(login)}</wp:author_login>"
        f"<wp:author_display_name>{escape(name)}</wp:author_display_name></wp:author>"
        for login, name in named.items()
    )
    content = f"{_FRONT}{people}".encode() + bytes_of(path, element) + b"</channel></rss>\n"
    time = _time(element.one("wp:post_date_gmt"), element.one("wp:post_date"), element.one("pubDate"), zone)
    key = element.one("wp:post_id") or stable_hash(content.decode("utf-8", "replace"))
    return Part(key, f"{element.one('title')[:60] or 'post'}.xml", content, time)


def _fits(start: bytes, _complete: bool) -> bool:
    return start[:1] == b"<" and b"<rss" in start[:4000] and b"<wp:wxr_version>" in start


FORMAT = Format(
    "wxr",
    "application/rss+xml",
    "a blog exported by WordPress",
    family="notes",
    suffixes=(".xml",),
    shape=_fits,
    read=Isolated(read_file, ("lxml.etree",)),
    parts=parts,
    date_from="content",
)
