"""Reader of an outline (OPML) of Workflowy, Dynalist, OmniOutliner and others: items as lists, their notes below them.

The words stand in attributes, which a reader of any XML leaves out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.ooxml import parse_xml
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, to_extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.settings import Limits

MAX_DEPTH = 50


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the items of an outline.

    Raises:
        BadInputError: if it is damaged, declares entities, or has no item with words.
    """
    check_size(path, limits.max_file_bytes)
    root = parse_xml(path.read_bytes())
    body = root.find("body")
    lines = list(_lines(body, 0)) if body is not None else []
    return to_extracted([Note(text="\n".join(lines), title=(root.findtext("head/title") or "").strip())])


def _lines(element: Any, depth: int) -> Iterator[str]:
    for item in element.iterchildren("outline"):
        words = _plain(item.get("text") or item.get("title") or "")
        address = item.get("htmlUrl") or item.get("xmlUrl") or item.get("url") or ""
        indent = "  " * min(depth, MAX_DEPTH)
        if words:
            box = {"true": "[x] ", "false": "[ ] "}.get(item.get("_complete") or item.get("complete") or "", "")
            shown = f"[{words}]({address})" if address.startswith(("http://", "https://")) else words
            yield f"{indent}- {box}{shown}"
        if note := _plain(item.get("_note") or ""):
            yield "\n".join(f"{indent}  {line}" for line in note.split("\n"))
        if depth < MAX_DEPTH:
            yield from _lines(item, depth + 1)


def _plain(text: str) -> str:
    return to_markdown(text.replace("\n", "<br>")).strip() if "<" in text else text.strip()


FORMAT = Format(
    "opml",
    "text/x-opml",
    "an outline (OPML)",
    family="notes",
    suffixes=(".opml",),
    promised=True,
    shape=lambda start, _complete: start[:1] == b"<" and b"<opml" in start[:2000],
    read=Isolated(read_file, ("lxml.etree",)),
)
