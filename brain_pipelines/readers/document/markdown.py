"""Reader of Markdown: one block per heading, with the front matter as metadata.

No text is left out. Markup of Markdown is kept: it is readable, and the chunker uses it; HTML in it is read as what it
shows. Standard library only, because `front_matter` also runs at landing.
"""

import html
import re
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.dates import DATE_KEYS, beginning
from brain_pipelines.readers.document.date_label import dated_key, labelled_date, stated_day, titled_date
from brain_pipelines.readers.document.html_in_markdown import Rewritten, without_html
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.entry_lines import last_entry
from brain_pipelines.readers.text_reader import TextReader

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_KEY = re.compile(r"([A-Za-z][\w -]{0,40}?)\s*:\s*(.*)$")
_MARKS = re.compile(rb"^(?:#{1,6} \S|```|[-*] \[[ xX]\] )|\[[^\]\n]{1,500}\]\([^)\s]{1,2000}\)", re.M)
_LINKED = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\s]{0,1000}\)")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?!\s)([^*_]+)\1")
_NAMES = frozenset(("name", "title", "author"))
_FOLDED = frozenset((">", ">-", ">+", "|", "|-", "|+"))
# "&#8217;", "&eacute;", "&amp;"; "<" and ">" stay written as references, as they are markup.
_REFERENCE = re.compile(
    r"&(?!(?:lt|gt|#0*6[02]|#x0*3[ce]);)(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE
)
MAX_FRONT_MATTER = 16_384  # characters


@dataclass(frozen=True)
class FrontMatter:
    """Keys in lower case with their values, lists as lists; `end` is the offset of the text behind it."""

    values: dict[str, str | list[str]] = field(default_factory=dict)
    end: int = 0

    def one(self, *keys: str) -> str:
        """Return the value of the first of `keys` that has one, as a string."""
        for key in keys:
            if value := self.values.get(key):
                return ", ".join(value) if isinstance(value, list) else value
        return ""

    def many(self, *keys: str) -> list[str]:
        """Return the value of the first of `keys` that has one, as a list."""
        for key in keys:
            if value := self.values.get(key):
                return value if isinstance(value, list) else [v.strip() for v in value.split(",") if v.strip()]
        return []


def front_matter(text: str) -> FrontMatter:
    """Return the `key: value` lines between two `---` at the very start (the part of YAML that notes use)."""
    match = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", text[:MAX_FRONT_MATTER], re.S)
    if not match:
        return FrontMatter()
    values: dict[str, str | list[str]] = {}
    key = written = ""
    for line in match[1].splitlines():
        stripped = line.strip()
        if stripped.startswith("- ") and key:
            before = values.get(key)
            values[key] = [*(before if isinstance(before, list) else []), _entry(stripped[2:])]
        elif found := _KEY.match(line):
            key = found[1].strip().lower()
            written = found[2].strip()
            values[key] = "" if written in _FOLDED else _value(written)
        elif stripped and line[0].isspace() and isinstance(values.get(key), str) and _goes_on(written, stripped):
            # A value goes on in the next, indented lines: folded by ">", inside quotation marks, or plain.
            written = f"{'' if written in _FOLDED else written} {stripped}".strip()
            values[key] = _unquote(written).strip()
    return FrontMatter(values, match.end()) if values else FrontMatter()


def _entry(text: str) -> str:
    """Return an entry of a list; of one with fields ("- name: Jo") the value of the name."""
    named = _KEY.match(text)
    return _unquote(named[2] if named and named[1].lower() in _NAMES else text)


def _goes_on(written: str, line: str) -> bool:
    """Return whether an indented line continues a value; below a key without one it may be a key of its own."""
    return bool(written) or not _KEY.match(line)


def _value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_unquote(part) for part in text[1:-1].split(",") if part.strip()]
    return _unquote(text)


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def read_markdown_file(text: str) -> Extracted:
    """Return the sections of a decoded Markdown file as `read_markdown` does; HTML in it is read as what it shows."""
    matter = front_matter(text)
    plain = without_html(text, matter.end)
    found = read_markdown(plain.text)
    if plain.text == text:
        return found
    return replace(found, blocks=[_of_original(block, plain) for block in found.blocks])


def _of_original(block: Block, plain: Rewritten) -> Block:
    if block.raw_start is None or block.raw_end is None:
        return block
    start, end = plain.original(block.raw_start, block.raw_end)
    return replace(block, raw_start=start, raw_end=end)


def read_markdown(text: str) -> Extracted:
    """Return the sections of a decoded Markdown text; `section` is the heading path, " > " between levels."""
    matter = front_matter(text)
    blocks: list[Block] = []
    if tags := matter.many("tags", "keywords"):
        blocks.append(Block("Tags: " + ", ".join(tags), "data", 0, matter.end))
    headings = _headings(text, matter.end)
    title = _decoded(matter.one("title") or next((name for _, level, name in headings if level == 1), ""))
    blocks.extend(_sections(text, matter.end, headings))
    if matter.values and not text[matter.end :].strip():
        blocks = [Block(_listed(matter), "data", 0, matter.end)]  # a note of properties alone
    authors = matter.many("author", "authors", "by")
    return Extracted("markdown", blocks, title, authors, matter.one("lang", "language") or None)


def _listed(matter: FrontMatter) -> str:
    """Return the values of a front matter as lines `key: value`."""
    lines = ((key, ", ".join(value) if isinstance(value, list) else value) for key, value in matter.values.items())
    return "\n".join(f"{key}: {value}" for key, value in lines if value)


def _sections(text: str, begin: int, headings: list[tuple[int, int, str]]) -> list[Block]:
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    starts = [start for start, _, _ in headings] + [len(text)]
    blocks.append(_block(text, begin, starts[0], None))
    for n, (start, level, name) in enumerate(headings):
        path = [*[entry for entry in path if entry[0] < level], (level, name)]
        blocks.append(_block(text, start, starts[n + 1], " > ".join(name for _, name in path if name) or None))
    return blocks


def _block(text: str, start: int, end: int, section: str | None) -> Block:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip("\r\n"))
    body = piece.strip("\r\n")
    kind = "section" if section else "body"
    return Block(_decoded(body), kind, start + lead, start + lead + len(body), section and _decoded(section))


def _decoded(text: str) -> str:
    """Return a text with the characters that its references stand for, as blogs are exported: "didn&#8217;t"."""
    return _REFERENCE.sub(lambda match: html.unescape(match.group()), text) if "&" in text else text


def _headings(text: str, begin: int) -> list[tuple[int, int, str]]:
    """Return (offset, level, name) of every heading outside code fences."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    position, previous, previous_at = begin, "", begin
    for line in text[begin:].split("\n"):
        bare = line.rstrip("\r")
        if match := _FENCE.match(bare):
            if not fence:
                fence = match[1]
            elif bare.strip().startswith(fence) and not bare.strip().strip(fence[0]):
                fence = ""
        elif not fence:
            if match := _ATX.match(bare):
                found.append((position, len(match[1]), _heading(match[2].rstrip(" \t#"))))
            elif (match := _UNDERLINE.match(bare)) and _may_be_title(previous, match[1]):
                found.append((previous_at, 1 if match[1][0] == "=" else 2, _heading(previous)))
        previous, previous_at = bare, position
        position += len(line) + 1
    return found


def _heading(text: str) -> str:
    """Return a heading without the marks of emphasis around it and with the words of its links alone."""
    name = _LINKED.sub(r"\1", text).strip()
    marked = _EMPHASIS.fullmatch(name)
    return (marked[2] if marked else name).strip()


def _may_be_title(line: str, underline: str) -> bool:
    # "---" is also a rule and a table's edge: only a short single line directly above it is a heading.
    starts_a_heading = bool(line.strip()) and line.lstrip()[:1] not in "#>|-*+`" and "|" not in line
    return starts_a_heading and len(underline) >= 3 and len(line) <= 100


def text_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return the date of a text's front matter, else the day that a label at its beginning or its title states.

    A running note is of the last of the days with which its lines begin.
    """
    text = beginning(path).decode("utf-8", "replace")
    matter = front_matter(text)
    body = text[matter.end :]
    titles = (last_entry(body, zone), titled_date(body, zone))
    return _matter_date(matter, zone) or labelled_date(body, zone) or max(filter(None, titles), default=None)


def _matter_date(matter: FrontMatter, zone: tzinfo) -> datetime | None:
    """Return the date under a usual key, else under the first key with a word for a day, else in the title."""
    others = [key for key in matter.values if key not in DATE_KEYS and dated_key(key)]
    found = (matter.one(key) for key in (*DATE_KEYS, *others))
    days = (parse_time(value, zone) or stated_day(value, zone) for value in found if value)
    return next((day for day in days if day), None) or titled_date(matter.one("title"), zone)


def _is_markdown(start: bytes, _complete: bool) -> bool:
    if _MARKS.search(start.replace(b"\r\n", b"\n")):
        return True
    return start.startswith((b"---", b"\xef\xbb\xbf---")) and front_matter(start.decode("utf-8", "replace")).end > 0


FORMAT = Format(
    "markdown",
    "text/markdown",
    "Markdown",
    family="text",
    suffixes=(".md",),
    as_text=True,
    shape=_is_markdown,
    read=TextReader(read_markdown_file),
    date_of=text_date,
    date_from="content",
)
