"""Roam Research: a graph of pages, each a tree of blocks, as nested lists. A page named after a day is of that day."""

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, text_of
from brain_pipelines.readers.notes.apps.app import App, Found, marked_first
from brain_pipelines.readers.notes.note import Note

_TODO = re.compile(r"\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}")
_MARKUP = re.compile(r"\^\^|(?<!_)__(?!_)|\{\{[^{}\n]{0,200}\}\}|\(\([\w-]{6,40}\)\)")
_DAY = re.compile(r"[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th), \d{4}")
_TAG = re.compile(r"#\[\[([^\[\]\n]{1,200})\]\]")
MAX_DEPTH = 50


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    for page in value if isinstance(value, list) else ():
        if not isinstance(page, dict):
            continue
        title = text_of(page, "title")
        yield (
            Note(
                text="\n".join(_lines(page, 0)),
                title=title,
                key=text_of(page, "uid") or title,
                time=_day(title, zone) or _made(page, zone),
            ),
            page,
        )


def _lines(block: dict[str, Any], depth: int) -> Iterator[str]:
    for child in listed(block, "children"):
        words = _MARKUP.sub("", _TODO.sub(_box, text_of(child, "string")))
        words = _TAG.sub(r"#\1", words).replace("::", ":")
        indent = "  " * min(depth, MAX_DEPTH)
        if words.strip():
            level = child.get("heading")
            first, *more = words.strip().split("\n")
            mark = "#" * level + " " if depth == 0 and level in (1, 2, 3) else f"{indent}- "
            yield "\n".join([mark + first, *(f"{indent}  {line}" for line in more)])
        if depth < MAX_DEPTH:
            yield from _lines(child, depth + 1)


def _box(match: re.Match[str]) -> str:
    return "[x]" if match[1] == "DONE" else "[ ]"


def _day(title: str, zone: tzinfo) -> datetime | None:
    return parse_time(title, zone) if _DAY.fullmatch(title) else None


def _made(block: dict[str, Any], zone: tzinfo, depth: int = 0) -> datetime | None:
    """Return when the first of the blocks of a page was made."""
    times = [parse_time(block.get("create-time"), zone)]
    if depth < MAX_DEPTH:
        times += [_made(child, zone, depth + 1) for child in listed(block, "children")]
    return min((time for time in times if time), default=None)


APP = App(
    "Roam",
    b"[",
    (b'"children"', b'"string"'),  # the title may stand behind a page of any length
    _notes,
    lambda _value: lambda pages: [marked_first(page, "title", "uid", "edit-time") for page in pages],
    either=(b'"create-time"', b'"edit-time"'),
)
