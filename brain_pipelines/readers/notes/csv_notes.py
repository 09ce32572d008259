"""Reader of exports that are tables of what a person wrote or marked: Readwise, Reddit, Goodreads.

They are known by their first row. The passages of a book and the posts of a day are parts; of Goodreads each book.
"""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.parts import Part
from brain_pipelines.readers.text_reader import TextReader
from brain_retrieval.settings import Limits

Row = dict[str, str]


@dataclass(frozen=True)
class Table:
    """A table of an app. `needs` are names of columns; `note` reads a row, None for one that has no words.

    Rows of the same `group` and day are one part; without one each row is.
    """

    needs: frozenset[str]
    note: Callable[[Row, tzinfo], Note | None]
    group: Callable[[Row], str] | None = None


def _readwise(row: Row, zone: tzinfo) -> Note | None:
    words, title, author = row["Highlight"].strip(), row["Book Title"].strip(), row["Book Author"].strip()
    if not words:
        return None
    source = f"— {author}, *{title}*" if author else f"Source: *{title}*"
    quote = "\n".join(f"> {line}" for line in (*words.splitlines(), source))
    return Note(
        text="\n\n".join(filter(None, (quote, row.get("Note", "").strip()))),
        title=title,
        time=parse_time(row["Highlighted at"], zone),
        tags=[tag.strip() for tag in row.get("Tags", "").split(",") if tag.strip()],
    )


def _reddit(row: Row, _zone: tzinfo) -> Note | None:
    words, title = row["body"].strip(), row.get("title", "").strip()
    if not (words or title) or words in ("[deleted]", "[removed]"):
        return None
    time = parse_time(row["date"].replace(" UTC", "+00:00"), UTC)
    return Note(text=words or title, title=title, time=time, tags=[f"r/{row['subreddit']}"], url=row["permalink"])


def _goodreads(row: Row, zone: tzinfo) -> Note | None:
    review = to_markdown(row.get("My Review", "")).strip()
    facts = {
        "Author": row["Author"],
        "Shelf": row["Exclusive Shelf"],
        "My rating": "" if row["My Rating"] in ("", "0") else f"{row['My Rating']} of 5",
        "Read": row["Date Read"].replace("/", "-"),
        "Private notes": row.get("Private Notes", ""),
    }
    written = ["\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact), review]
    read = parse_time(row["Date Read"], zone) or parse_time(row["Date Added"], zone)
    return Note(text="\n\n".join(filter(None, written)), title=row["Title"], key=row["Book Id"], time=read)


TABLES = (
    Table(
        frozenset(("Highlight", "Book Title", "Book Author", "Highlighted at")),
        _readwise,
        lambda row: row["Book Title"],
    ),
    Table(frozenset(("permalink", "date", "subreddit", "body", "ip")), _reddit, lambda _row: ""),
    Table(frozenset(("Book Id", "Exclusive Shelf", "Date Read", "My Rating")), _goodreads),
)


def _table(columns: Sequence[str]) -> Table | None:
    return next((table for table in TABLES if table.needs <= set(columns)), None)


def _rows(text: str) -> tuple[list[str], Iterator[list[str]]]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff").replace("\0", "")))
    return next(reader, []), reader


def _notes(text: str, zone: tzinfo) -> Iterator[tuple[Note, Row, list[str]]]:
    """Yield each note, with its row by name and as it is written."""
    columns, rows = _rows(text)
    table = _table(columns)
    for cells in rows if table else ():
        row = dict(zip(columns, [*cells, *[""] * (len(columns) - len(cells))], strict=False))
        if table and (note := table.note(row, zone)):
            yield note, row, cells


def read_table(text: str) -> Extracted:
    """Return the notes of a decoded table."""
    notes = [note for note, _, _ in _notes(text, UTC)]
    titles = {note.title for note in notes}
    found = to_extracted(notes)
    if len(titles) > 1 or len(notes) < 2:
        return found
    return Extracted(found.format, found.blocks, next(iter(titles)), found.authors)


def parts(path: Path, zone: tzinfo, limits: Limits) -> Iterator[Part]:
    """Yield the parts of a table, each with its first row."""
    text = read_decoded(path, limits).text
    columns, _ = _rows(text)
    table = _table(columns)
    groups: dict[str, tuple[list[list[str]], list[Note]]] = {}
    for number, (note, row, cells) in enumerate(_notes(text, zone), 1):
        day = note.time.astimezone(zone).date().isoformat() if note.time else ""
        named = "/".join(filter(None, (table.group(row), day))) if table and table.group else note.key
        rows, notes = groups.setdefault(named or f"row-{number}", ([], []))
        rows.append(cells)
        notes.append(note)
    for key, (rows, notes) in groups.items():
        written = io.StringIO()
        csv.writer(written).writerows([columns, *rows])
        time = min((note.time for note in notes if note.time), default=None)
        yield Part(key, f"{notes[0].title[:60] or key}.csv", written.getvalue().encode("utf-8", "replace"), time)


def first_time(path: Path, zone: tzinfo) -> datetime | None:
    """Return the time of the earliest note."""
    text = read_decoded(path, Limits()).text
    return min((note.time for note, _, _ in _notes(text, zone) if note.time), default=None)


def _fits(start: bytes, _complete: bool) -> bool:
    first = start[:8192].decode("utf-8", "replace").split("\n", 1)[0]
    return "," in first and _table(_rows(first)[0]) is not None


FORMAT = Format(
    "csv-notes",
    "text/csv",
    "a table of what was read, marked or posted",
    family="notes",
    suffixes=(".csv",),
    shape=_fits,
    read=TextReader(read_table),
    parts=parts,
    date_of=first_time,
    date_from="content",
)
