"""Sections of PDF pages from the document's bookmarks. Runs in the sandbox's child."""

from itertools import islice
from typing import Any

MAX_BOOKMARKS = 5000
MAX_DEPTH = 6


def page_sections(document: Any) -> dict[int, str]:
    """Return the section of each page by index: the first bookmark on it, else the last one before it."""
    starts: dict[int, str] = {}
    last: dict[int, str] = {}
    path: list[tuple[int, str]] = []
    for bookmark in _bookmarks(document):
        level, title, page = bookmark
        path = [*[entry for entry in path if entry[0] < level], (level, title)]
        section = " > ".join(name for _, name in path if name)
        if page is not None and section:
            starts.setdefault(page, section)
            last[page] = section
    found: dict[int, str] = {}
    current = ""
    for index in range(len(document)) if starts else ():
        if section := starts.get(index) or current:
            found[index] = section
        current = last.get(index, current)
    return found


def _bookmarks(document: Any) -> list[tuple[int, str, int | None]]:
    import pypdfium2

    found: list[tuple[int, str, int | None]] = []
    try:
        for bookmark in islice(document.get_toc(max_depth=MAX_DEPTH), MAX_BOOKMARKS):
            target = bookmark.get_dest()
            title = " ".join(bookmark.get_title().replace("\0", "").split())[:200]
            found.append((bookmark.level, title, target.get_index() if target else None))
    except (pypdfium2.PdfiumError, ValueError, AttributeError):
        return found  # keep the sections before the damaged bookmark
    return found
