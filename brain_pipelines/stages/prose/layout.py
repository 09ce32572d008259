"""Parts of a text by its layout: headings, code blocks, tables, tables of contents, rows of links, captions.

Markdown is read as such in every text: notes and chats are written in it whatever their format is called.
"""

import re
from collections.abc import Iterator, Sequence

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.prose.kinds import Kind, Part
from brain_pipelines.stages.prose.statements import is_caption

_WORDS = LEXICONS.every_language("prose")
_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r" {0,3}(?:```+|~~~+)")
_ATX = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*$")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_LEADERS = re.compile(r"\.{6}|(?:\. ){4}|…{3}|_{6}")  # between a title and its page
_CONTENTS = re.compile(rf"[\s#*_]{{0,10}}(?:{_WORDS.pattern('contents')})[\s:*_#]{{0,10}}", re.IGNORECASE)
_BETWEEN = re.compile(r"\s[|·•»›>/]{1,2}\s")
_ENDED = re.compile(r"[.!?…]['\"”’)\]]*$")
LEAST_LINKS = 3  # entries in a row of links
LONGEST_LINK, LONGEST_ENTRY = 30, 90  # characters of an entry in a row of links, in a table of contents


def layout_parts(text: str) -> Iterator[Part]:
    """Yield the parts of `text` that its layout shows not to be prose, in order."""
    lines = [(match.start(), match.group().rstrip("\n")) for match in _LINE.finditer(text) if match.group()]
    kinds: list[Kind | None] = [_kind_of(line) for _, line in lines]
    _close_code(lines, kinds)
    _close_contents(lines, kinds)
    for number, (start, line) in enumerate(lines):
        kind = kinds[number]
        if kind is None and _is_underlined(lines, number):
            kind = Kind.HEADING
        if kind and line.strip():
            yield Part(start, start + len(line), kind)


def _kind_of(line: str) -> Kind | None:
    if _ATX.match(line):
        return Kind.HEADING
    if _ROW.match(line):
        return Kind.TABLE
    if _LEADERS.search(line):
        return Kind.CONTENTS
    if is_caption(line.lstrip(" \t*_>")):
        return Kind.CAPTION
    return Kind.LINKS if _is_row_of_links(line) else None


def _is_row_of_links(line: str) -> bool:
    """Return whether a line is like "Home | About | Contact"."""
    if len(line) > 400 or not _BETWEEN.search(line) or _ENDED.search(line.rstrip()):
        return False
    entries = [entry.strip() for entry in _BETWEEN.split(line)]
    short = all(entry and len(entry) <= LONGEST_LINK and not any(c.isdigit() for c in entry) for entry in entries)
    return short and len(entries) >= LEAST_LINKS


def _is_underlined(lines: Sequence[tuple[int, str]], number: int) -> bool:
    line = lines[number][1]
    below = lines[number + 1][1] if number + 1 < len(lines) else ""
    above = lines[number - 1][1] if number else ""
    return bool(line.strip()) and len(line) <= 100 and not above.strip() and bool(_UNDERLINE.match(below))


def _close_code(lines: Sequence[tuple[int, str]], kinds: list[Kind | None]) -> None:
    """Close blocks of code between fences, also one that no fence ends."""
    within = False
    for number, (_, line) in enumerate(lines):
        if _FENCE.match(line):
            within = not within
            kinds[number] = Kind.CODE
        elif within:
            kinds[number] = Kind.CODE


def _close_contents(lines: Sequence[tuple[int, str]], kinds: list[Kind | None]) -> None:
    """Close the short lines below a heading "Contents", up to the next heading or sentence."""
    within = False
    for number, (_, line) in enumerate(lines):
        bare = line.strip()
        if bare and _CONTENTS.fullmatch(bare[:80]):
            within, kinds[number] = True, Kind.CONTENTS
        elif within and bare:
            within = kinds[number] is not Kind.HEADING and len(bare) <= LONGEST_ENTRY and not _ENDED.search(bare)
            if within:
                kinds[number] = Kind.CONTENTS
