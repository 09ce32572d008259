"""Reader of a Kindle's "My Clippings.txt": the passages that a reader has marked, and the notes beside them.

    The Tale (Ann Moe)
    - Your Highlight on page 12 | Location 170-172 | Added on Sunday, March 11, 2018 9:15:00 PM

    It is good to have an end to journey toward.
    ==========

The entries of a book on a day are a part. The second line is in the language of the device, with the day behind its
last "|". What was marked is a quotation of the book's author, a note is the reader's own: the device says which. A mark
of a page has no words.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.lexicons import LEXICONS
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.notes.said_time import said_time
from brain_pipelines.readers.parts import Part
from brain_pipelines.readers.text_reader import TextReader
from brain_retrieval.settings import Limits

_RULE = re.compile(r"^={8,}[ \t\r]*(?:\n|\Z)", re.M)
_LEADING = re.compile(r"\A(?:={8,}\s*)+")
_PLACE = re.compile(r"-\s[^\n]{3,200}\|[^\n]{3,200}")
_AUTHOR = re.compile(r"^(?P<title>.{1,500}?)\s*\((?P<author>[^()]{2,200})\)\s*$")
_WORDS = LEXICONS.every_language("clippings")
# "- Your Note on page 13", "- Ihre Notiz bei Position 190": one of the first words
_OWN = re.compile(rf"-\s*(?:\w{{1,12}}\s){{0,2}}(?:{_WORDS.pattern('own_note')})\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Entry:
    title: str
    author: str
    own: bool
    time: datetime | None
    words: str
    raw: str


def _entries(text: str, zone: tzinfo) -> Iterator[_Entry]:
    for raw in _RULE.split(text):
        lines = [line.strip("\ufeff \t\r") for line in raw.strip("\ufeff\r\n ").split("\n")]
        if len(lines) < 2 or not _PLACE.match(lines[1]):
            continue
        words = "\n".join(lines[2:]).strip()
        named = _AUTHOR.match(lines[0])
        title, author = (named["title"], _in_order(named["author"])) if named else (lines[0], "")
        yield _Entry(
            title, author, _OWN.match(lines[1]) is not None, said_time(lines[1].rpartition("|")[2], zone), words, raw
        )


def _in_order(author: str) -> str:
    """Return a name as it is said: "Le Guin, Ursula K." is turned round."""
    last, comma, first = author.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and "," not in first and ";" not in author else author


def _notes(text: str, zone: tzinfo) -> list[Note]:
    """Return a note a book and day."""
    written: dict[tuple[str, str], list[_Entry]] = {}
    for entry in _entries(text, zone):
        if entry.words:
            day = entry.time.astimezone(zone).date().isoformat() if entry.time else ""
            written.setdefault((entry.title, day), []).append(entry)
    return [
        Note(
            text="\n\n".join(_shown(entry) for entry in entries),
            title=title,
            key=f"{title}/{day}" if day else title,
            time=min((entry.time for entry in entries if entry.time), default=None),
        )
        for (title, day), entries in written.items()
    ]


def _shown(entry: _Entry) -> str:
    if entry.own:
        return entry.words
    quote = "\n".join(f"> {line}" for line in entry.words.splitlines())
    return f"{quote}\n> — {entry.author}, *{entry.title}*" if entry.author else f"{quote}\n> Source: *{entry.title}*"


def read_clippings(text: str) -> Extracted:
    """Return the passages and notes of a decoded file."""
    return to_extracted(_notes(text, UTC))


def parts(path: Path, zone: tzinfo, limits: Limits) -> Iterator[Part]:
    """Yield the entries of each book and day."""
    text = read_decoded(path, limits).text
    raw: dict[str, list[str]] = {}
    for entry in _entries(text, zone):
        for note in _notes(f"{entry.raw}\n==========\n", zone):
            raw.setdefault(note.key, []).append(entry.raw.strip("\ufeff\r\n "))
    for note in _notes(text, zone):
        content = "".join(f"{one}\n==========\n" for one in raw[note.key])
        yield Part(note.key, f"{note.title[:60]}.txt", content.encode("utf-8", "replace"), note.time)


def _fits(start: bytes, _complete: bool) -> bool:
    text = _LEADING.sub("", start[:8192].decode("utf-8", "replace").lstrip("\ufeff"))
    rule = _RULE.search(text)
    lines = text[: rule.start()].lstrip("\ufeff").split("\n") if rule else []
    return len(lines) >= 2 and _PLACE.match(lines[1].strip()) is not None


def first_time(path: Path, zone: tzinfo) -> datetime | None:
    """Return the time of the first entry that states one."""
    entries = _entries(read_decoded(path, Limits()).text, zone)
    return next((entry.time for entry in entries if entry.time), None)


FORMAT = Format(
    "clippings",
    "text/plain",
    "the clippings of a Kindle",
    family="notes",
    suffixes=(".txt",),
    promised=True,
    shape=_fits,
    read=TextReader(read_clippings),
    parts=parts,
    date_of=first_time,
    date_from="content",
)
