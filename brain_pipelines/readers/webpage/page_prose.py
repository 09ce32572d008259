"""Prose of a web page: long paragraphs with few links outside navigation, asides and comments."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

MIN_PROSE = 80  # characters of a paragraph; shorter ones are also captions, labels and links
MAX_LINKED = 0.3  # of the characters of a paragraph of prose
MIN_LETTERS = 20  # of a paragraph
MAX_PARAGRAPHS = 3000
_BLOCKS = frozenset(
    "p div br li tr td th h1 h2 h3 h4 h5 h6 section article table pre ul ol dl dt dd blockquote header footer nav "
    "aside form figure figcaption main tbody body hr address details summary fieldset".split()
)
_AROUND = frozenset(
    "nav footer aside form button select figure figcaption label fieldset menu head h1 h2 h3 h4 h5 h6".split()
)
_NAMES = re.compile(
    r"comment|disqus|respon[ds]|repl(?:y|ies)|related|recommend|teaser|promo|newsletter|subscri|share|social|sidebar|"
    r"cookie|consent|caption|byline|footnote|reference|author|bio\b",
    re.I,
)
_LINKS = frozenset(("a", "button"))
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of prose: its text on one line, its letters and digits, and the numbers of the elements around its
    block from the root on."""

    text: str
    letters: str
    path: tuple[int, ...]

    @property
    def box(self) -> int:
        """Return the number of the element that its block lies in."""
        return self.path[-1]


class _Walk:
    """State of a walk through a tree: the elements around the current place, and the text since the last block."""

    def __init__(self) -> None:
        self.path: list[int] = []
        self.blocks: list[int] = []
        self.outside: list[bool] = []
        self.around = self.links = self.linked = self.number = 0
        self.pieces: list[str] = []
        self.place: tuple[int, ...] = ()

    def enter(self, element: Any, tag: Any) -> None:
        self.number += 1
        self.path.append(self.number)
        if tag in _BLOCKS:
            self.blocks.append(self.number)
        self.outside.append(_is_around(element, tag))
        self.around += self.outside[-1]
        self.links += tag in _LINKS

    def leave(self, tag: Any) -> None:
        self.path.pop()
        if tag in _BLOCKS:
            self.blocks.pop()
        self.around -= self.outside.pop()
        self.links -= tag in _LINKS

    def take(self, text: str) -> None:
        self.pieces.append(text)
        self.linked += len(text) if self.links else 0
        if not self.place and self.blocks and not self.around and not text.isspace():
            self.place = tuple(self.path[: max(1, self.path.index(self.blocks[-1]))])

    def paragraph(self) -> Paragraph | None:
        """Return the text since the last block if it is prose, and begin the next."""
        text, linked, place = " ".join("".join(self.pieces).split()), self.linked, self.place
        self.pieces, self.linked, self.place = [], 0, ()
        if not place or len(text) < MIN_PROSE or linked > MAX_LINKED * len(text):
            return None
        found = letters(text)
        return Paragraph(text, found, place) if len(found) > MIN_LETTERS else None


def prose_of(tree: Any) -> list[Paragraph]:
    """Return the paragraphs of prose of an lxml tree without hidden text, in order, at most MAX_PARAGRAPHS."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    found: list[Paragraph] = []
    walk = _Walk()
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag
        if tag in _BLOCKS and walk.pieces and (paragraph := walk.paragraph()):
            found.append(paragraph)
            if len(found) >= MAX_PARAGRAPHS:
                break
        if event == "start":
            walk.enter(element, tag)
        else:
            walk.leave(tag)
        if text := element.text if event == "start" else element.tail:
            walk.take(text)
    return found


def _is_around(element: Any, tag: Any) -> bool:
    if tag in _AROUND:
        return True
    names = element.get("class"), element.get("id")
    return tag not in ("html", "body") and any(name and _NAMES.search(name) for name in names)


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return _NO_LETTER.sub("", unescape(text).lower())
