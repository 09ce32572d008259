"""A note as an app of notes, a diary or a blog exports it, and how it becomes the content of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from brain_pipelines.readers.document.markdown import read_markdown
from brain_pipelines.readers.extracted import AS_DETECTED, Block, Extracted
from brain_pipelines.readers.quoted import ARTICLE
from brain_retrieval.errors import BadInputError

TITLE_CHARS = 80


@dataclass(frozen=True)
class Note:
    """One note. `text` is Markdown; `key` is its id within the export, "" if it has none.

    `quoted`: it was written by another, such as a page that the owner has clipped. `authors` speak in it as "I";
    without them its owner does.
    """

    text: str
    title: str = ""
    key: str = ""
    time: datetime | None = None  # aware UTC
    tags: Sequence[str] = ()
    authors: Sequence[str] = ()
    url: str = ""
    quoted: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)


# Why a file holds no note although it is of such a format: a reason for its owner.
NO_NOTE = "no note with words in it"


def to_extracted(notes: Sequence[Note]) -> Extracted:
    """Return the content of a file: of one note with its title, authors and address, of several one after the other.

    Raises:
        BadInputError: if no note has words.
    """
    written = [note for note in notes if note.text.strip() or note.title.strip()]
    if not written:
        raise BadInputError(NO_NOTE)
    if len(written) == 1:
        note = written[0]
        return Extracted(
            AS_DETECTED,
            _blocks(note),
            title_of(note),
            list(note.authors),
            attributes=dict(note.attributes),
            url=note.url or None,
        )
    blocks = [block for note in written for block in _blocks(note, several=True)]
    authors = list(dict.fromkeys(name for note in written for name in note.authors))
    return Extracted(AS_DETECTED, blocks, authors=authors)


def title_of(note: Note) -> str:
    """Return the title of a note, else its first line, cut behind a word."""
    if title := " ".join(note.title.split()):
        return title
    line = next((" ".join(line.split()) for line in note.text.splitlines() if line.strip(" \t#>*-")), "")
    line = line.lstrip("#>*- ")
    return line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"


def _blocks(note: Note, *, several: bool = False) -> list[Block]:
    """Return the tags of a note and its sections; of several notes each stands below its title, with its time."""
    title = " ".join(note.title.split()) if several else ""
    text = note.text.strip("\n") or note.title
    blocks = [Block("Tags: " + ", ".join(note.tags), "data", section=title or None)] if note.tags else []
    for block in read_markdown(_no_matter(text)).blocks:
        if block.text.strip():
            section = " > ".join(filter(None, (title, block.section))) or None
            kind = ARTICLE if note.quoted else "section" if section else block.kind
            blocks.append(Block(block.text, kind, section=section, time=note.time if several else None))
    return blocks


def _no_matter(text: str) -> str:
    """Return a text that does not begin like front matter: an export has stated its fields already."""
    return f"\n{text}" if text.startswith("---") else text
