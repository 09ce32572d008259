"""Choice and completion of a page's main text by coverage of its prose.

trafilatura finds the article, but drops parts of it: paragraphs with unusual classes, repeated ones, sometimes nearly
all. The prose of the page is what to compare with: long paragraphs with few links outside navigation. The *region* of
an extraction is the deepest element with nearly all the prose that it has kept. If much of the region is missing, a
less strict extraction is tried; what is still missing there is put back at its place.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

MIN_PROSE = 80  # characters of a paragraph; shorter ones are also captions, labels and links
MAX_LINKED = 0.3  # of the characters of a paragraph of prose
KEY = 60  # letters and digits that a paragraph is recognised by
MAX_PARAGRAPHS = 3000
HELD = 0.9  # of the kept prose is inside the region
COMPLETE = 0.95  # of the region; nothing else is tried
RELIABLE = 0.7  # of the region; below it, the rest is more likely a list of other articles or comments
LIKELY = 0.5  # of the region; below it, a less strict extraction adds other articles
_BLOCKS = frozenset(
    "p div br li tr td th h1 h2 h3 h4 h5 h6 section article table pre ul ol dl dt dd blockquote header footer nav aside "
    "form figure figcaption main tbody body hr address details summary fieldset".split()
)
_AROUND = frozenset("nav footer aside form button select figure figcaption label fieldset menu head".split())
_NAMES = re.compile(
    r"comment|disqus|respon[ds]|repl(?:y|ies)|related|recommend|teaser|promo|newsletter|subscri|share|social|sidebar|"
    r"cookie|consent|caption|byline|footnote|reference|author|bio\b",
    re.I,
)
_LINKS = frozenset(("a", "button"))
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of prose: its text on one line, the letters it is recognised by, and the numbers of the elements
    around it from the root on."""

    text: str
    key: str
    path: tuple[int, ...]


@dataclass(frozen=True)
class Coverage:
    """How much prose a text has: characters kept, those kept or repeated less often than on the page (`unique`), and
    characters of its region; which paragraphs are kept and which lie in the region."""

    kept: int
    unique: int
    region: int
    flags: tuple[bool, ...]
    inside: tuple[bool, ...]

    @property
    def share(self) -> float:
        """Return the share of the region's prose that is kept, repetitions counted once."""
        return min(1.0, self.unique / self.region) if self.region else 0.0


def prose_of(tree: Any) -> list[Paragraph]:
    """Return the paragraphs of prose of an lxml tree without hidden text, in order, at most MAX_PARAGRAPHS."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    found: list[Paragraph] = []
    pieces: list[str] = []
    path: list[int] = []
    place: tuple[int, ...] = ()
    linked = around = links = number = 0
    outside: list[bool] = []
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag
        if tag in _BLOCKS and pieces:
            if place and (paragraph := _paragraph(pieces, linked, place)):
                found.append(paragraph)
                if len(found) >= MAX_PARAGRAPHS:
                    break
            pieces, linked, place = [], 0, ()
        if event == "start":
            number += 1
            path.append(number)
            outside.append(_is_around(element, tag))
            around += outside[-1]
            links += tag in _LINKS
            text = element.text
        else:
            path.pop()
            around -= outside.pop()
            links -= tag in _LINKS
            text = element.tail
        if text:
            pieces.append(text)
            linked += len(text) if links else 0
            if not place and not around and not text.isspace():
                place = tuple(path)
    return found


def _is_around(element: Any, tag: Any) -> bool:
    if tag in _AROUND:
        return True
    names = element.get("class"), element.get("id")
    return tag not in ("html", "body") and any(name and _NAMES.search(name) for name in names)


def _paragraph(pieces: list[str], linked: int, path: tuple[int, ...]) -> Paragraph | None:
    text = " ".join("".join(pieces).split())
    if len(text) < MIN_PROSE or linked > MAX_LINKED * len(text):
        return None
    key = letters(text[: 4 * KEY])[:KEY]
    return Paragraph(text, key, path) if len(key) > MIN_PROSE // 4 else None


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return _NO_LETTER.sub("", text.lower())


def coverage(prose: list[Paragraph], text: str) -> Coverage:
    """Return how much of the prose of a page is in a text."""
    squashed = letters(text)
    left = Counter({key: squashed.count(key) for key in {paragraph.key for paragraph in prose}})
    present = [left[paragraph.key] > 0 for paragraph in prose]
    flags = []
    for paragraph in prose:
        flags.append(left[paragraph.key] > 0)
        left[paragraph.key] -= 1
    region = _region(prose, present)
    inside = [region in paragraph.path for paragraph in prose]
    length = [len(paragraph.text) for paragraph in prose]
    return Coverage(
        kept=sum(n for n, kept in zip(length, flags, strict=True) if kept),
        unique=sum(n for n, has, is_in in zip(length, present, inside, strict=True) if has and is_in),
        region=sum(n for n, is_in in zip(length, inside, strict=True) if is_in),
        flags=tuple(flags),
        inside=tuple(inside),
    )


def _region(prose: list[Paragraph], present: list[bool]) -> int:
    """Return the number of the deepest element with HELD of the kept prose, 0 if none is kept."""
    kept: Counter[int] = Counter()
    for paragraph, has in zip(prose, present, strict=True):
        if has:
            for number in paragraph.path:
                kept[number] += len(paragraph.text)
    most = max(kept.values(), default=0)
    return max((number for number, count in kept.items() if count >= HELD * most), default=0)


def is_better(strict: Coverage, loose: Coverage) -> bool:
    """Return whether a less strict extraction has found more of the same region, or prose where there was none."""
    if not strict.kept:
        return loose.kept > 0
    return strict.share >= LIKELY and loose.unique > strict.unique and loose.region <= 1.2 * strict.region


def completed(text: str, prose: list[Paragraph], found: Coverage) -> str:
    """Return a Markdown text with the missing prose of its region, each paragraph after the one it follows."""
    if found.share < RELIABLE or all(kept or not is_in for kept, is_in in zip(found.flags, found.inside, strict=True)):
        return text
    lines = text.split("\n")
    squashed = [letters(line) for line in lines]
    added: dict[int, list[str]] = {}
    at = -1  # the line of the paragraph before
    for paragraph, kept, is_in in zip(prose, found.flags, found.inside, strict=True):
        if kept:
            at = next((n for n in range(max(at, 0), len(lines)) if paragraph.key in squashed[n]), at)
        elif is_in:
            added.setdefault(at, []).append(paragraph.text)
    result = added.get(-1, [])
    for number, line in enumerate(lines):
        result.append(line)
        for one in added.get(number, []):
            result += ["", one, ""]
    return "\n".join(result)
