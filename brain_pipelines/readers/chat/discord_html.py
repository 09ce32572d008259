"""Chats that DiscordChatExporter wrote as a web page: the same messages as in its export as JSON.

A group of messages has its author and its time once; older versions quote attributes, newer ones do not:

    <div class="chatlog__message-group"> … <span class="chatlog__author-name" title="ann#1234">ann</span>
    <span class="chatlog__timestamp">27-May-18 04:03 AM</span> <div class="chatlog__content">Good morning</div>
"""

import re
from datetime import datetime
from html.parser import HTMLParser
from typing import Any

from brain_retrieval.errors import BadInputError

MARK = "chatlog__message-group"
LOOKED_AT = 1 << 16  # characters
_PAGE = re.compile(r"\s*(?:<!--[^>]{0,200}-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE)
_TIMES = (
    "%d-%b-%y %I:%M %p",
    "%d-%b-%Y %I:%M %p",
    "%m/%d/%Y %I:%M %p",
    "%A, %B %d, %Y %I:%M %p",
    "%A, %d %B %Y %H:%M",
    "%d/%m/%Y %H:%M",
    "%d.%m.%Y %H:%M",
    "%Y-%m-%d %H:%M",
)
_DEEPEST = 100  # open elements; what lies deeper has the kind of what it lies in
_EMPTY = frozenset({"img", "br", "hr", "input", "meta", "link", "source", "wbr", "path", "use"})


def is_discord_page(text: str) -> bool:
    """Return whether a text begins as a page of DiscordChatExporter."""
    return _PAGE.match(text) is not None and MARK in text[:LOOKED_AT]


def discord_value(page: str) -> dict[str, Any]:
    """Return the messages of a page as {"title": …, "messages": [{"author", "content", "timestamp"}]}.

    A time that is in none of the forms of the exporter is None; messages without words are left out.

    Raises:
        BadInputError: the page has no message with words.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    if not reader.messages:
        raise BadInputError("no message with words on the page of a Discord channel")
    return {"title": reader.taken("title"), "messages": reader.messages}


def time_of(text: str) -> str | None:
    """Return a time as the exporter writes it in ISO 8601, without an offset, since the page states none."""
    bare = " ".join(text.replace("\u202f", " ").split())
    for form in _TIMES:
        try:
            return datetime.strptime(bare, form).isoformat()  # noqa: DTZ007 - the zone of the user is set later
        except ValueError:
            continue
    return None


class _Reader(HTMLParser):
    """Collects the words of the elements that matter, by the first class that begins with "chatlog__"."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.messages: list[dict[str, Any]] = []
        self._open: list[tuple[str, str]] = []  # element, and what its words are
        self._words: dict[str, list[str]] = {kind: [] for kind in ("title", "author", "time", "content")}

    def taken(self, kind: str) -> str:
        """Return the words of a kind in one line."""
        return " ".join("".join(self._words[kind]).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        classes = found.get("class", "").split()
        if MARK in classes:
            self._begin("author")
            self._begin("time")
        if tag in _EMPTY:
            self.handle_data("\n" if tag == "br" else found.get("alt", "") if self._kind() == "content" else "")
            return
        kind = self._kind() or ("title" if tag == "title" else "")
        if "chatlog__author-name" in classes or "chatlog__author" in classes:
            kind = self._begin("author")
        elif "chatlog__timestamp" in classes:
            kind = self._begin("time")
        elif "chatlog__content" in classes and kind != "content":
            kind = self._begin("content")
        if len(self._open) < _DEEPEST:
            self._open.append((tag, kind))

    def handle_endtag(self, tag: str) -> None:
        if not any(tag == name for name, _ in self._open):
            return
        while self._open:
            name, kind = self._open.pop()
            if kind == "content" and self._kind() != "content":
                self._add()
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if kind := self._kind():
            self._words[kind].append(data)

    def _kind(self) -> str:
        return self._open[-1][1] if self._open else ""

    def _begin(self, kind: str) -> str:
        self._words[kind].clear()
        return kind

    def _add(self) -> None:
        lines = "".join(self._words["content"]).split("\n")
        words = "\n".join(" ".join(line.split()) for line in lines).strip()
        author = self.taken("author")
        if words and author:
            self.messages.append({"author": author, "content": words, "timestamp": time_of(self.taken("time"))})
        self._begin("content")
