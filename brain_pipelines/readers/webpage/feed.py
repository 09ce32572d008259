"""Reader of feeds, RSS 0.9 to 2.0 and Atom: each item with its title, day, author and text.

The text of an item is what stands in it whole, else its summary; both are HTML in most feeds. Items are the words of
whoever publishes the feed, never of its owner. Runs in the sandbox's child.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.ooxml import parse_xml
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.text_shape import after_prolog
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

ITEMS = ("item", "entry")
WHOLE, SUMMARY = ("encoded", "content"), ("description", "summary")  # of an item, the first that it has
TIMES = ("pubDate", "published", "date", "updated", "issued", "modified")
_FIRST = re.compile(rb"<(?:rss|rdf:RDF|(?:\w{1,20}:)?feed)[\s>]")
_NAMED = re.compile(rb"<channel[\s>]|http://www\.w3\.org/2005/Atom|http://purl\.org/atom/ns#")
_DAY = re.compile(rb"<(?:\w{1,20}:)?(?:lastBuildDate|pubDate|updated|date)>([^<]{6,60})<")
_HEAD = 65_536  # bytes in which a feed says when it was written
_MEDIA = "{http://search.yahoo.com/mrss"
_CONTENT = "http://purl.org/rss/1.0/modules/content/"


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the items of a feed, in its order.

    Raises:
        BadInputError: if it is damaged, declares entities, or has no item with words.
    """
    check_size(path, limits.max_file_bytes)
    root = parse_xml(path.read_bytes())
    channel = next((one for one in root.iter() if _name(one) in ("channel", "feed")), root)
    notes = [_note(one) for one in root.iter() if _name(one) in ITEMS]
    written = [note for note in notes if note.text.strip() or note.title]
    if not written:
        raise BadInputError("no item with words in the feed")
    several = len(written) > 1
    found = to_extracted([_headed(note) for note in written] if several else written)
    title = _flat_markup(_child(channel, "title")) if several else found.title
    address = _address(channel) or None
    return Extracted(AS_DETECTED, found.blocks, title[:200], list(found.authors), url=address)


def _note(item: Any) -> Note:
    whole = next((text for name in (*WHOLE, *SUMMARY) if (text := _markup(_child(item, name)))), "")
    people = [_flat(_child(one, "name")) or _flat(one) for one in item if _name(one) in ("author", "creator")]
    times = (parse_time(_flat(_child(item, name)), UTC) for name in TIMES)
    address = _address(item)
    text = to_markdown(whole)
    return Note(
        text=f"{text}\n\n{address}" if address else text,
        title=_flat_markup(_child(item, "title")),
        time=next((time for time in times if time), None),
        authors=[one for one in dict.fromkeys(people) if one],
        url=address,
        quoted=True,
    )


def _headed(note: Note) -> Note:
    """Return an item with its title as the heading of its text, so that a passage of several items names each."""
    return replace(note, title="", text=f"# {note.title}\n\n{note.text}") if note.title else note


def _markup(element: Any) -> str:
    """Return the HTML of an element, which stands in it escaped, or as elements of its own (XHTML)."""
    if element is None:
        return ""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    if any(isinstance(child.tag, str) for child in element):
        inner = "".join(etree.tostring(child, encoding="unicode") for child in element)
        return f"{element.text or ''}{inner}".strip()
    return (element.text or "").strip()


def _flat_markup(element: Any) -> str:
    """Return a title without its markup, on one line."""
    text = _markup(element)
    plain = to_markdown(text) if "<" in text or "&" in text else text
    return " ".join(plain.replace("*", "").replace("`", "").split())


def _address(element: Any) -> str:
    """Return the page of an item or a feed: RSS has it as text, Atom as an attribute."""
    links = [one for one in element if _name(one) == "link"]
    pages = [one for one in links if one.get("rel", "alternate") == "alternate"]
    found = [(one.get("href") or one.text or "").strip() for one in pages]
    return next((one for one in found if one.startswith(("http://", "https://"))), "")


def _child(element: Any, name: str) -> Any:
    """Return the first child of that name; "encoded" only as the whole text of an item."""
    named = (one for one in element if _name(one) == name)
    return next((one for one in named if name != "encoded" or one.tag == f"{{{_CONTENT}}}encoded"), None)


def _flat(element: Any) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _name(element: Any) -> str:
    """Return the name of an element without its vocabulary, "" of a description of pictures and sound."""
    if not isinstance(element.tag, str) or element.tag.startswith(_MEDIA):
        return ""
    return element.tag.rpartition("}")[2]


def date_of(path: Path, zone: tzinfo) -> datetime | None:
    """Return when a feed was written: the latest day that stands in its beginning."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    times = (parse_time(found.decode("utf-8", "replace").strip(), zone) for found in _DAY.findall(head))
    return max((time for time in times if time), default=None)


def _fits(start: bytes, _complete: bool) -> bool:
    first = after_prolog(start)
    return _FIRST.match(start, first) is not None and _NAMED.search(start, first) is not None


FORMAT = Format(
    "feed",
    "application/rss+xml",
    "a feed",
    family="data",
    suffixes=(".rss", ".atom"),
    shape=_fits,
    read=Isolated(read_file, ("lxml.etree",)),
    date_of=date_of,
    date_from="content",
)
