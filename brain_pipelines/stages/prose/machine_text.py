"""Parts of a text that a program wrote or reads: settings, key-value dumps, logs, code, markup and lists of links.

A line alone is closed only where its form leaves no doubt. People write `key: value` too ("Rent: 840 euros"), so such
lines are closed where several stand together and their keys are those of a program or of a description of a file.
"""

import re
from collections.abc import Iterator, Sequence

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.prose.kinds import Kind, Part
from brain_pipelines.stages.prose.machine_lines import (
    Form,
    Line,
    Span,
    is_field_name,
    is_linked,
    is_lower_key,
    is_machine_key,
    line_of,
)

_UNWRITTEN = (Form.BLANK, Form.COMMENT)
_LINE = re.compile(r"[^\n\r\v\f\u2028\u2029]+")
_PICTURE = re.compile(
    r"!\[[^\]\n]{0,500}\]\([^)\s]{1,500}(?:\s[^)\n]{0,200})?\)"
)  # its text describes what is not there
_MARKUP = re.compile(  # what pages in Markdown hold: templates, comments, tags alone on their line
    r"\{\{[<%][^{}\n]{0,600}\}\}|\{%[^{}\n]{0,300}%\}|<!--[^<]{0,2000}-->"
    r"|^[ \t]{0,20}(?:</?[a-zA-Z][^<>\n]{0,1000}>[ \t]{0,20}){1,4}$",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"\s*\S.*[^\d.,:/\s€$£%-]\s+(?P<page>\d{1,4})\s*")  # a title and its page
_DATA_KEYS = LEXICONS.every_language("prose").words("metadata_keys")
LEAST_COLUMNS, LEAST_LOWER, LEAST_PAGES, LEAST_STRONG = 4, 4, 4, 3
MOST_COMMENTS = 0.5  # share of data from which on comment lines belong to it


def machine_parts(text: str) -> list[Part]:
    """Return the parts of `text` that are data of a program, in order; most are whole lines."""
    lines = list(_lines(text))
    closed: list[Kind | None] = [_kind_of(line) if line.form is Form.DATA else None for line in lines]
    for start, end in _runs(lines):
        if _is_dump(lines[start:end]):
            closed[start:end] = [_kind_of(line) for line in lines[start:end]]
    _close_pages(lines, closed)
    _close_columns(lines, closed)
    _close_between(lines, closed)
    parts = [Part(*line.span, kind) for line, kind in zip(lines, closed, strict=True) if kind]
    return sorted([*parts, *_pictures(text), *_markup(text)], key=lambda part: (part.start, part.end))


def _kind_of(line: Line) -> Kind:
    """Return the kind of a line that is data: of a field the value may hold names."""
    return Kind.DATA if line.key else Kind.LINKS if is_linked(line.text) else Kind.CODE


def _pictures(text: str) -> list[Part]:
    return [Part(*match.span(), Kind.CAPTION) for match in _PICTURE.finditer(text)] if "![" in text else []


def _markup(text: str) -> list[Part]:
    marked = "{{" in text or "{%" in text or "</" in text or "<!--" in text or "/>" in text
    return [Part(*match.span(), Kind.CODE) for match in _MARKUP.finditer(text)] if marked else []


def _lines(text: str) -> Iterator[Line]:
    end = 0
    for match in _LINE.finditer(text):
        if text.count("\n", end, match.start()) > 1 or not match.group().strip():
            yield Line((end, end), "", Form.BLANK)
        end = match.end()
        if match.group().strip():
            yield line_of(match.group(), match.span())


def _runs(lines: Sequence[Line]) -> Iterator[Span]:
    """Yield the runs of at least two fields, with the indented lines that continue them."""
    start, fields = 0, 0
    for number, line in enumerate([*lines, Line((0, 0), "", Form.BLANK)]):
        indented = fields and line.text[:1] in (" ", "\t") and line.form is not Form.BLANK
        if line.key:
            start, fields = (start if fields else number), fields + 1
        elif not indented and line.form is not Form.DATA:
            if fields > 1:
                yield start, number
            fields = 0


def _is_dump(lines: Sequence[Line]) -> bool:
    """Return whether the keys of a run are a program's, or describe a file."""
    keys = [line.key for line in lines if line.key]
    known = sum(key.casefold() in _DATA_KEYS for key in keys)
    lower = {key for key in keys if is_lower_key(key)}
    strong = sum(is_machine_key(key) or is_field_name(key) for key in keys)
    if strong >= LEAST_STRONG or known > 1:
        return True
    if strong and strong + known > 1:
        return 2 * (strong + known + len(lower)) >= len(keys)
    return bool(len(lower) >= LEAST_LOWER or known) and all(key in lower for key in keys)


def _close_pages(lines: Sequence[Line], closed: list[Kind | None]) -> None:
    """Close the lines of a table of contents: titles that end with page numbers in order."""
    run: list[tuple[int, int]] = []
    for number, line in enumerate([*lines, Line((0, 0), ".", Form.PLAIN)]):
        page = _NUMBERED.fullmatch(line.text) if line.text else None
        follows = page and (not run or int(page["page"]) >= run[-1][1])
        if page and not follows or line.text and not page:
            if len(run) >= LEAST_PAGES:
                for place, _ in run:
                    closed[place] = Kind.CONTENTS
            run = []
        if page:
            run.append((number, int(page["page"])))


def _close_columns(lines: Sequence[Line], closed: list[Kind | None]) -> None:
    """Close the lines of a table without rules: the same first word and number of words, three times and more."""
    shapes = [_shape(line.text) for line in lines]
    for number in range(2, len(lines)):
        if shapes[number] and shapes[number] == shapes[number - 1] == shapes[number - 2]:
            closed[number - 2 : number + 1] = [Kind.TABLE] * 3


def _shape(line: str) -> tuple[str, int] | None:
    words = line.split()
    if len(words) < LEAST_COLUMNS or sum(word[:1].isdigit() for word in words) < 2 or line.rstrip()[-1] in ".!?":
        return None
    return words[0], len(words)


def _close_between(lines: Sequence[Line], closed: list[Kind | None]) -> None:
    """Close a line with data above and below, and the comments of a text that is mostly data."""
    for number in range(1, len(lines) - 1):
        if closed[number - 1] and closed[number + 1] and lines[number].form is not Form.BLANK:
            closed[number] = closed[number] or Kind.CODE
    written = [bool(shut) for line, shut in zip(lines, closed, strict=True) if line.form not in _UNWRITTEN]
    if written and sum(written) > MOST_COMMENTS * len(written):
        for number, line in enumerate(lines):
            closed[number] = closed[number] or (Kind.CODE if line.form is Form.COMMENT else None)
