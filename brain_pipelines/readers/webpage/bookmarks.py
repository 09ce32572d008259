"""Bookmarks as all browsers export them (NETSCAPE-Bookmark-file-1): a block a folder, a line a page with its address.

<DT><H3>Sailing</H3> <DL><DT><A HREF="https://…" ADD_DATE="1463686918" TAGS="boats">Knots</A> <DD>For Sunday </DL>
"""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

from brain_pipelines.readers.extracted import Block, Extracted
from brain_retrieval.errors import BadInputError

_OPENING = re.compile(r"\s*<!doctype\s+netscape-bookmark-file-1>", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)  # not "place:" or "javascript:", which only a browser can follow
_SECONDS = re.compile(r"\d{9,10}")
DEEPEST = 50  # folders within each other; deeper pages are of the deepest of these


def is_bookmarks(text: str) -> bool:
    """Return whether a text begins as a file of bookmarks."""
    return _OPENING.match(text) is not None


def read_bookmarks(text: str) -> Extracted:
    """Return the pages by folder, in the order of the file: title, address, day of saving, words about it, tags.

    Raises:
        BadInputError: there is no page in it.
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.finish()
    blocks = [Block("\n".join(lines), "section", section=folder or None) for folder, lines in reader.folders if lines]
    if not blocks:
        raise BadInputError("no address in the bookmarks")
    return Extracted("html", blocks, reader.title)


class _Reader(HTMLParser):
    """Collects the addresses of each folder."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.folders: list[tuple[str, list[str]]] = [("", [])]
        self._path: list[str] = []
        self._named = ""  # of the folder that the next list belongs to
        self._words: list[str] = []
        self._page: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "dd":
            self._words.clear()
            return
        if tag in ("dt", "dl", "a", "h1", "h3", "hr"):
            self.finish()
        self._words.clear()
        if tag == "dl" and len(self._path) < DEEPEST:
            self._enter([*self._path, self._named])
        elif tag == "a":
            self._page = {name: value or "" for name, value in attrs}

    def handle_endtag(self, tag: str) -> None:
        words = " ".join("".join(self._words).split())
        if tag == "h1":
            self.title = words
        elif tag == "h3":
            self._named = words
        elif tag == "a" and self._page:
            self._page["title"] = words
        elif tag == "dl":
            self.finish()
            self._enter(self._path[:-1])
        if tag in ("a", "h1", "h3", "title"):
            self._words.clear()

    def handle_data(self, data: str) -> None:
        self._words.append(data)

    def finish(self) -> None:
        """Add the last page, with the words behind it."""
        page, self._page = self._page, {}
        if _ADDRESS.match(page.get("href", "")):
            self.folders[-1][1].append(_line(page, " ".join("".join(self._words).split())))

    def _enter(self, path: list[str]) -> None:
        self._path, self._named = path, ""
        self.folders.append((" / ".join(name for name in path if name), []))


def _line(page: dict[str, str], about: str) -> str:
    seconds = page.get("add_date", "")
    day = f", saved on {datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%d}" if _SECONDS.fullmatch(seconds) else ""
    tags = f" [{', '.join(filter(None, page.get('tags', '').split(',')))}]" if page.get("tags") else ""
    title = page.get("title") or page["href"]
    return f"- {title} ({page['href']}){day}{tags}{': ' + about if about else ''}"
