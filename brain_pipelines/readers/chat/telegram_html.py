"""Chats that Telegram wrote as a web page, as it does unless asked for JSON: the same messages as in its JSON.

What one person writes in a row has the name once; a forwarded message has the name of its first writer inside:

    <div class="message default clearfix"> … <div class="pull_right date details" title="23.08.2023 13:11:23 UTC+02:00">
    <div class="from_name">Ann Lee</div> <div class="text">Good morning</div>
"""

import re
from datetime import datetime
from html.parser import HTMLParser
from typing import Any

from brain_retrieval.errors import BadInputError

LOOKED_AT = 1 << 16  # characters
_PAGE = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_MARKS = ('class="page_body chat_page"', 'class="history"', 'class="message ')
_TIME = re.compile(r"(\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}:\d{2})(?: UTC([+-]\d{2}:\d{2}))?")
_DEEPEST = 100  # open elements; what lies deeper has the kind of what it lies in
_EMPTY = frozenset({"img", "br", "hr", "input", "meta", "link", "source", "wbr"})
_KINDS = {"from_name": "author", "text": "content"}
TITLE, AUTHOR, CONTENT, FORWARDED, HEADER = "title", "author", "content", "forwarded", "header"


def is_telegram_page(text: str) -> bool:
    """Return whether a text begins as a page of an exported chat of Telegram."""
    return _PAGE.match(text) is not None and all(mark in text[:LOOKED_AT] for mark in _MARKS)


def telegram_value(page: str) -> dict[str, Any]:
    """Return the messages of a page as {"title": …, "messages": [{"author", "content", "timestamp"}]}.

    Messages without words (pictures, calls, who joined) are left out.

    Raises:
        BadInputError: the page has no message with words.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    if not reader.messages:
        raise BadInputError("no message with words on the page of a chat of Telegram")
    return {"title": reader.taken(TITLE), "messages": reader.messages}


def time_of(text: str) -> str | None:
    """Return a time of the page in ISO 8601, with an offset if it states one; None if it is none.

    >>> time_of("23.08.2023 13:11:23 UTC-08:00")
    '2023-08-23T13:11:23-08:00'
    """
    found = _TIME.fullmatch(text.strip())
    try:
        # The zone of the user is set later where the page states none.
        day = datetime.strptime(found[1], "%d.%m.%Y %H:%M:%S") if found else None  # noqa: DTZ007
    except ValueError:
        return None
    return day.isoformat() + (found[2] or "") if day and found else None


class _Reader(HTMLParser):
    """Collects the words of the elements that matter, by their classes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.messages: list[dict[str, Any]] = []
        self._time: str | None = None
        self._open: list[tuple[str, str]] = []  # element, and what its words are
        self._words: dict[str, list[str]] = {kind: [] for kind in (TITLE, AUTHOR, CONTENT)}

    def taken(self, kind: str) -> str:
        """Return the words of a kind in one line."""
        return " ".join("".join(self._words[kind]).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _EMPTY:
            self.handle_data("\n" if tag == "br" else "")
            return
        found = {name: value or "" for name, value in attrs}
        kind = self._kind_of(found.get("class", "").split())
        if kind in (AUTHOR, CONTENT) and kind != self._kind():
            self._words[kind].clear()
        if "date" in found.get("class", "").split() and self._kind() not in (FORWARDED, AUTHOR):
            self._time = time_of(found.get("title", ""))
        if len(self._open) < _DEEPEST:
            self._open.append((tag, kind))

    def _kind_of(self, classes: list[str]) -> str:
        inside = self._kind()
        if "page_header" in classes:
            return HEADER
        if inside == HEADER:
            return TITLE if "text" in classes else HEADER
        if "forwarded" in classes:
            return FORWARDED
        own = next((_KINDS[one] for one in classes if one in _KINDS), "")
        if inside == FORWARDED:
            return CONTENT if own == CONTENT else FORWARDED
        return inside if inside in (AUTHOR, CONTENT, TITLE) else own

    def handle_endtag(self, tag: str) -> None:
        if not any(tag == name for name, _ in self._open):
            return
        while self._open:
            name, kind = self._open.pop()
            if kind == CONTENT and self._kind() != CONTENT:
                self._add()
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if (kind := self._kind()) in self._words:
            self._words[kind].append(data)

    def _kind(self) -> str:
        return self._open[-1][1] if self._open else ""

    def _add(self) -> None:
        lines = "".join(self._words[CONTENT]).split("\n")
        words = "\n".join(line for one in lines if (line := " ".join(one.split())))
        if words and (author := self.taken(AUTHOR)):
            self.messages.append({"author": author, "content": words, "timestamp": self._time})
        self._words[CONTENT].clear()
