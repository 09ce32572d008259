"""Reader of a page or a day of Logseq: an outline in Markdown, with properties (`id:: …`) and logs of the program.

title:: Ann Lee
tags:: friends, work

- Roofer from Bath
  id:: 65c8a1b2-1111-2222-3333-444455556666
"""

import re

from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.text_reader import TextReader

_PROPERTY = re.compile(r"[ \t]*(?:[-*] )?(?P<key>[A-Za-z][\w.-]{0,40})::(?:[ \t]+(?P<value>.*))?")
# What the program itself writes: where a block is, whether it is folded, when a card was asked.
_OF_PROGRAM = re.compile(
    r"(?:id|collapsed|heading|background-color|logseq\..*|card-.*|hl-.*|ls-.*|file|file-path|created-at|updated-at|query-.*)"
)
_DRAWER = re.compile(r"[ \t]*:LOGBOOK:.*?:END:[ \t]*(?:\n|\Z)", re.DOTALL)
_REFERENCE = re.compile(r"\(\([0-9a-f]{8}-[0-9a-f-]{27}\)\)")
_TASK = re.compile(r"^(?P<lead>[ \t]*[-*] )(?:(?P<done>DONE)|TODO|LATER|NOW|DOING|WAITING)[ \t]+(?=\S)", re.MULTILINE)
_MARK = re.compile(rb"^[ \t]*(?:[-*] )?(?:id|collapsed|title|tags|alias|type):: ?\S", re.MULTILINE)
_LINK = re.compile(r"\[\[|\]\]|#")


def read_page(text: str) -> Extracted:
    """Return the outline of a decoded page; its title and tags are those of the properties above it."""
    text = _REFERENCE.sub("", _DRAWER.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n")))
    lines: list[str] = []
    title, tags, above = "", list[str](), True  # above the outline
    for line in text.split("\n"):
        found = _PROPERTY.fullmatch(line)
        if found is None:
            above = above and not line.strip()
            lines.append(line)
        elif above and found["key"].lower() in ("title", "tags"):
            value = _LINK.sub("", found["value"] or "").strip()
            title, tags = (value, tags) if found["key"].lower() == "title" else (title, _many(value))
        elif not _OF_PROGRAM.fullmatch(found["key"].lower()) and found["value"]:
            lines.append(line.replace("::", ":", 1))
    outline = _TASK.sub(lambda match: f"{match['lead']}[{'x' if match['done'] else ' '}] ", "\n".join(lines))
    outline = "\n".join(line for line in outline.split("\n") if line.strip() not in ("-", "*"))
    return to_extracted([Note(text=outline, title=title, tags=tags)])


def _many(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


FORMAT = Format(
    "logseq",
    "text/markdown",
    "a page of Logseq",
    family="notes",
    suffixes=(".md",),
    promised=True,
    shape=lambda start, _complete: _MARK.search(start.replace(b"\r\n", b"\n")) is not None,
    read=TextReader(read_page),
)
