"""Reader of feeds, RSS 0.9 to 2.0 and Atom: each item with its title, day, author and text.

feedparser reads them. The text of an item is what stands in it whole, else its summary; both are HTML in most feeds.
Items are the words of whoever publishes the feed, never of its owner. Runs in the sandbox's child.
"""

import html
import io
import re
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.ooxml import check_no_entities
from brain_pipelines.readers.encoding import check_size, decode
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.text_shape import after_prolog
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

TIMES = ("published", "updated", "created")  # of an item, the first that is a time
_PLAIN = "text/plain"
_ENCODING = re.compile(rb"""\s{0,100}<\?xml[^<>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']""")
_MARKUP = re.compile(r"</\w{1,20}>|<(?:br|hr|img)\b[^<>]{0,2000}>|&(?:#\w{1,8}|\w{2,20});")
_CUT = re.compile(r"<[A-Za-z/!][^<>]*+\Z")  # the tag in which a summary of so many characters ends
_FIRST = re.compile(rb"<(?:rss|rdf:RDF|(?:\w{1,20}:)?feed)[\s>]")
_NAMED = re.compile(rb"<channel[\s>]|http://www\.w3\.org/2005/Atom|http://purl\.org/atom/ns#")
_DAY = re.compile(rb"<(?:\w{1,20}:)?(?:lastBuildDate|pubDate|updated|date)>([^<]{6,60})<")
_HEAD = 65_536  # bytes in which a feed says when it was written


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the items of a feed, in its order; of a damaged one those that can be read.

    Raises:
        BadInputError: if it is too large, declares entities, or no item with words can be read.
    """
    check_size(path, limits.max_file_bytes)
    feed, repairs = _parse(path.read_bytes())
    written = [note for note in map(_note, feed.entries) if note.text.strip() or note.title]
    if not written:
        raise BadInputError("; ".join(["no item with words in the feed", *repairs]))
    several = len(written) > 1
    found = to_extracted([_headed(note) for note in written] if several else written)
    title = _title(feed.feed) if several else found.title
    address = _page(feed.feed) or None
    return Extracted(AS_DETECTED, found.blocks, title[:200], list(found.authors), url=address, repairs=repairs)


def _parse(data: bytes) -> tuple[Any, list[str]]:
    """Return what feedparser reads in a feed, and what had to be corrected.

    It is given bytes, so that it opens no address and no file. Its HTML is not sanitized, since only the words that are
    seen in it are kept.
    """
    from xml.sax import SAXParseException

    import feedparser

    data, headers, repairs = _readable(data)
    check_no_entities(data)
    try:
        feed = feedparser.parse(
            io.BytesIO(data), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # the library passes on any error of its parser of damaged XML
        raise BadInputError(f"the feed is damaged ({type(error).__name__})") from None
    error = feed.get("bozo_exception")
    if isinstance(error, SAXParseException):
        repairs.append(f"the feed is damaged ({error.getMessage()[:120]}); what cannot be read was left out")
    return feed, repairs


def _readable(data: bytes) -> tuple[bytes, dict[str, str], list[str]]:
    """Return a feed in the encoding that it states, else in UTF-8, headers that say so, and what was corrected."""
    stated = _ENCODING.match(data)
    try:
        data.decode(stated[1].decode("ascii") if stated else "utf-8")
    except (UnicodeError, LookupError):
        decoded = decode(data)
        return decoded.text.encode(), {"content-type": "application/xml; charset=utf-8"}, list(decoded.repairs)
    return data, {}, []


def _note(item: Any) -> Note:
    people = [" ".join((one.get("name") or one.get("email") or "").split()) for one in item.get("authors", ())]
    address = _page(item)
    text = _text(item)
    return Note(
        text=f"{text}\n\n{address}" if address else text,
        title=_title(item),
        time=_time(item),
        authors=[one for one in dict.fromkeys(people) if one],
        url=address,
        quoted=True,
    )


def _text(item: Any) -> str:
    """Return the longest text of an item: its whole text, or its summary; a podcast may have both in either element."""
    texts = [*item.get("content", ()), item.get("summary_detail") or {"value": item.get("summary", "")}]
    shown = [_markdown(one) for one in texts if one.get("type", _PLAIN).startswith(("text/", "application/xhtml"))]
    return max(shown, key=len, default="")


def _markdown(detail: Any) -> str:
    """Return a text of a feed as Markdown; what is declared as plain text is HTML in many feeds nevertheless."""
    value = detail.get("value") or ""
    plain = detail.get("type", _PLAIN) == _PLAIN and not _MARKUP.search(value)
    if plain:
        return to_markdown(html.escape(value, quote=False), keep_lines=True)
    return to_markdown(_CUT.sub("", value))


def _title(element: Any) -> str:
    """Return the title of an item or of a feed without its markup, on one line."""
    text = _markdown(element.get("title_detail") or {"value": element.get("title", "")})
    return " ".join(text.replace("*", "").replace("`", "").split())


def _time(item: Any) -> datetime | None:
    """Return the time of an item in UTC, read from its text: feedparser takes what it does not know for other days."""
    times = (parse_time(item[name], UTC) for name in TIMES if name in item)
    return next((time for time in times if time), None)


def _page(element: Any) -> str:
    """Return the address of the page of an item or of a feed, "" if it states none."""
    address = (element.get("link") or "").strip()
    return address if address.startswith(("http://", "https://")) else ""


def _headed(note: Note) -> Note:
    """Return an item with its title as the heading of its text, so that a passage of several items names each."""
    return replace(note, title="", text=f"# {note.title}\n\n{note.text}") if note.title else note


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
    read=Isolated(read_file, ("feedparser",)),
    date_of=date_of,
    date_from="content",
)
