"""What a note quotes, and who wrote it: block quotes with a source, passages of books, clippings of web pages.

| form | quoted |
|---|---|
| `> …` with "— Name", "Source: …" or "(a link)" as its last line or below it | the block |
| `> …` with "Ann Lee wrote:" above it, or as an item below an item that is a link | the block |
| `> [!quote]`, `> [!cite]`; `#+BEGIN_QUOTE` with a source | the block |
| "…" — Name | the line |
| a passage with "(Location 123)" or a link to Zotero behind it, or "Your Highlight on page …" below it | the passage |
| "My Clippings.txt" of a Kindle; what Readwise gathers | the passages, not the notes |
| `tags: clippings` and `source: https://…` in the front matter | the note |
| under "Quotes": what is between marks or behind ">"; under "Book snippets": all without "I" | the line |

Other block quotes and callouts are the writer's own: a summary of a week, a warning, a task.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from brain_pipelines.stages.prose import note_lines
from brain_pipelines.stages.prose.note_lines import CITING, Line, callout_of, lines_of
from brain_pipelines.stages.prose.outline import Outline, outline_of

Found = tuple[int, int, str | None]  # start, end, writer

_MATTER = re.compile(r"\ufeff?---[ \t]*\n(?P<fields>(?:(?!---)[^\n]{0,2000}\n){0,200})---[ \t]*(?:\n|$)")
_CLIPPED = re.compile(r"(?im)^tags:(?:.*\n(?:[ \t]*-.*\n){0,30}?)?.*\bclippings?\b")
_ADDRESS = re.compile(r"(?im)^(?:source|url):\s{0,4}[\"'<]?https?://")
_BEGIN, _END = re.compile(r"#\+begin_quote\b", re.IGNORECASE), re.compile(r"#\+end_quote\b", re.IGNORECASE)
_RULE = re.compile(r"={8,}")
_AUTHOR = re.compile(r"\((?P<name>[^()]{3,80})\)\s*$")
_MARKED = tuple('"“„«')
LONGEST_TITLE = 100  # characters of an item under which quotations are gathered


def note_quotes(text: str, authors: Sequence[str] = ()) -> list[Found]:
    """Return the quotations of a note and their writers, None for one who is not sure; they may overlap.

    Args:
        text: in Markdown or in plain lines.
        authors: those that the note names; what they sign is theirs.
    """
    matter = _MATTER.match(text)
    if matter and _CLIPPED.search(matter["fields"]) and _ADDRESS.search(matter["fields"]):
        return [(matter.end(), len(text), authors[0] if len(authors) == 1 else None)]
    lines = [line for line in lines_of(text) if matter is None or line.start >= matter.end()]
    found = [*_blocks(lines), *_between(lines), *_signed(lines), *_passages(lines), *_clippings(lines)]
    found += _gathered(lines, text)
    return [one for one in found if one[2] is None or one[2] not in authors]


def _blocks(lines: Sequence[Line]) -> Iterator[Found]:
    """Yield the block quotes with a source, and callouts that quote."""
    for _, run in groupby(range(len(lines)), key=_numbers(lines).__getitem__):
        places = list(run)
        first, last = places[0], places[-1]
        if not lines[first].marked:
            continue
        words = [lines[place].words for place in places if lines[place].words]
        kind = callout_of(words[0]) if words else None
        if kind is not None and kind not in CITING:
            continue
        writer = _writer(lines, first, last, words)
        if writer is not None or kind is not None:
            yield lines[first].start, lines[last].end, note_lines.person(writer or "")


def _numbers(lines: Sequence[Line]) -> list[int]:
    """Return a number for each line, the same for those of one block quote; an item of a list begins another one."""
    number = 0
    numbers: list[int] = []
    for place, line in enumerate(lines):
        before = lines[place - 1] if place else None
        if before is None or line.marked != before.marked or line.bullet and line.marked:
            number += 1
        numbers.append(number)
    return numbers


def _writer(lines: Sequence[Line], first: int, last: int, words: Sequence[str]) -> str | None:
    """Return who wrote a block quote, "" if it has a source that is not surely a person, None if it has none."""
    if words and (name := note_lines.signed(words[-1], inside=True) or note_lines.signed_quotation(words[-1])):
        return name["name"] if len(words) > 1 or name.string != words[-1] else ""
    if len(words) > 1 and note_lines.names_source(words[-1]):
        return ""
    below = _next(lines, last, 1)
    below = None if below is not None and below.bullet else below
    if below is not None and (name := note_lines.signed(below.words, inside=False)):
        return name["name"]
    if below is not None and below.start - lines[last].end <= 1 and note_lines.names_source(below.words):
        return ""
    above = _next(lines, first, -1)
    if above is not None and note_lines.is_link(above.words) and lines[first].bullet and above.bullet:
        return "" if above.indent < lines[first].indent else None
    return note_lines.introduced_by(above.words) if above is not None else None


def _next(lines: Sequence[Line], place: int, step: int) -> Line | None:
    """Return the next line with words, behind at most one empty line."""
    for distance in (1, 2):
        at = place + step * distance
        if not 0 <= at < len(lines):
            return None
        if lines[at].words:
            return None if lines[at].marked else lines[at]
    return None


def _between(lines: Sequence[Line]) -> Iterator[Found]:
    """Yield what stands between the marks of Org for a quotation, if it has a source."""
    begin = None
    for place, line in enumerate(lines):
        if _BEGIN.match(line.words):
            begin = place
        elif begin is not None and _END.match(line.words):
            words = [one.words for one in lines[begin + 1 : place] if one.words]
            writer = _writer(lines, begin, place, words)
            if writer is not None:
                yield lines[begin].end, line.start, note_lines.person(writer)
            begin = None


def _signed(lines: Sequence[Line]) -> Iterator[Found]:
    """Yield lines between quotation marks with the name of their writer behind them, or alone in the next line."""
    for place, line in enumerate(lines):
        if line.marked or not line.words.startswith(_MARKED):
            continue
        name = note_lines.signed_quotation(line.words)
        below = lines[place + 1] if place + 1 < len(lines) else None
        if name is None and below is not None and line.words.rstrip("*_ ").endswith(('"', "”", "“", "»")):
            name = note_lines.signed(below.words, inside=False)
        if name is not None:
            yield line.start, line.end, note_lines.person(name["name"])


def _passages(lines: Sequence[Line]) -> Iterator[Found]:
    """Yield passages with their place in a book behind them, or with a line of a reading device below them."""
    for place, line in enumerate(lines):
        if note_lines.has_location(line.words):
            yield line.start, line.end, None
        if not note_lines.is_highlight(line.words):
            continue
        if line.words.rstrip(":").endswith("]]"):  # "Highlights first synced by [[Readwise]]": they stand below
            yield from _below(lines, place)
        elif line.bullet and (above := _parent(lines, place)) is not None:
            yield above.start, above.end, None


def _parent(lines: Sequence[Line], place: int) -> Line | None:
    """Return the item of a list under which an item stands."""
    for line in reversed(lines[max(0, place - 20) : place]):
        if line.bullet and line.indent < lines[place].indent:
            return line
    return None


def _below(lines: Sequence[Line], place: int) -> Iterator[Found]:
    """Yield the items below an item, without the reader's notes."""
    own: int | None = None
    for line in lines[place + 1 :]:
        if line.words and line.indent <= lines[place].indent:
            return
        if own is not None and line.words and line.indent <= own:
            own = None
        if note_lines.is_own_note(line.words):
            own = line.indent
        if own is None and line.words:
            yield line.start, line.end, None


def _clippings(lines: Sequence[Line]) -> Iterator[Found]:
    """Yield the passages of "My Clippings.txt": title and author, the line of the device, the passage, a rule."""
    rules = [place for place, line in enumerate(lines) if _RULE.fullmatch(line.words)]
    for begin, end in zip([-1, *rules], rules, strict=False):
        entry = [line for line in lines[begin + 1 : end] if line.words]
        if len(entry) > 2 and note_lines.is_highlight(entry[1].words):
            author = _AUTHOR.search(entry[0].words)
            yield entry[2].start, entry[-1].end, note_lines.person(author["name"]) if author else None


def _gathered(lines: Sequence[Line], text: str) -> Iterator[Found]:
    """Yield the lines under a title for quotations: a heading, or an item of a list."""
    if not note_lines.gathers(text):
        return
    outline: Outline = outline_of(text)
    above: list[tuple[int, str]] = []  # the items that a line stands under: indent, and what they gather
    for line in lines:
        if not line.words:
            continue
        while above and above[-1][0] >= line.indent:
            above.pop()
        titles = (note_lines.gathers(title) for title in outline.above(line.start))
        kind = max((*titles, *(kind for _, kind in above)), default="", key=len)
        if line.bullet:
            above.append((line.indent, note_lines.gathers(line.words) if len(line.words) <= LONGEST_TITLE else ""))
        quoted = line.marked or line.words.startswith(_MARKED)
        if kind and quoted or kind == "book" and not note_lines.speaks_of_oneself(line.words):
            yield line.start, line.end, None
