"""The titles above each line of a note: its headings, and the list items and lines in bold that it stands under.

In minutes the subject of a sentence is often only there: "3. Laser cutter", below it "Ann talks to the caretaker".
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain

_LINE = re.compile(r"[^\n]+")
_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?:(?!---)[^\n]{0,2000}\n){0,200}---[ \t]*(?:\n|$)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]{1,300})")
_UNDERLINE = re.compile(r" {0,3}(?P<mark>[=-])(?P=mark){2,}[ \t]*\r?")
_BOLD = re.compile(r"[ \t]{0,3}(?:\*\*|__)(?P<title>[^*_\n]{2,80})(?:\*\*|__):?[ \t]*\r?")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)]|[a-z]\))[ \t]+(?P<text>[^\n]{1,300})")
_DEFINITION = re.compile(r":[ \t]+\S")  # below the word that it defines
_NAMED = re.compile(r"\[([^\[\]\n]{1,60})\]")
_TAB = 4  # columns
_BOLD_LEVEL = 7  # below all headings
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)|\[([^\[\]\n]{1,200})\]\[[^\[\]\n]{0,60}\]")
_NUMBER = re.compile(
    r"(?:(?:top|item|point|punkt|punto|ponto)\s?\d{1,3}\s?[.):–-]?|\d{1,3}(?:\.\d{1,2}){0,3}\s?\\?[.):–-])\s+(?=\S)",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"https?://\S{1,500}|[\[(]?#\d{1,7}[\])]?|[*_`#~]{1,3}|\[[ xX]\]|<[^<>\n]{1,100}>|\{[^{}\n]{1,60}\}"
)
_SENTENCE_END = (".", "!", "?", "…", ",", ";")
_SMALL = 2  # letters of a word that names nothing
_SHORT_DAY = 3  # letters of "Tue" and "Feb"
MOST_CHARS, MOST_WORDS = 60, 8  # of a title that can stand for its subject


@dataclass(frozen=True)
class Outline:
    """Titles by line: the line that begins at `starts[i]` stands under `titles[i]`, the outermost first."""

    starts: Sequence[int]
    titles: Sequence[tuple[str, ...]]

    def above(self, position: int) -> tuple[str, ...]:
        """Return the titles above a character of the text."""
        place = bisect_right(self.starts, position) - 1
        return self.titles[place] if place >= 0 else ()


def outline_of(text: str) -> Outline:
    """Return the outline of a text in Markdown or in plain lines; code fences hold no titles."""
    headings: list[tuple[int, str]] = []
    items: list[tuple[int, str]] = []
    starts, titles = list[int](), list[tuple[str, ...]]()
    fenced = False
    matter = _MATTER.match(text)
    lines = list(_LINE.finditer(text, matter.end() if matter else 0))
    for number, match in enumerate(lines):
        line = match.group()
        following = lines[number + 1].group() if number + 1 < len(lines) else ""
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _heading(line, following)
        if heading is not None:
            headings, items = [each for each in headings if each[0] < heading[0]], []
        item = _ITEM.match(line) if heading is None and not fenced else None
        indent = len(item["indent"].expandtabs(_TAB)) if item else 0
        if item is not None:
            items = [each for each in items if each[0] < indent]
        elif line[:1] not in " \t":
            items = []
        starts.append(match.start())
        titles.append(tuple(title for _, title in (*headings, *items) if title))
        if heading is not None:
            headings.append(heading)
        if item is not None:
            items.append((indent, _item_title(item["text"])))
    return Outline(starts, titles)


def _heading(line: str, following: str) -> tuple[int, str] | None:
    """Return the level of a heading and its title, None for another line."""
    if found := _ATX.match(line):
        return len(found["marks"]), clean_title(found["title"])
    if found := _BOLD.fullmatch(line):
        return _BOLD_LEVEL, clean_title(found["title"])
    if _DEFINITION.match(following) and line[:1] not in " \t:" and len(line) <= MOST_CHARS + MOST_WORDS:
        return _BOLD_LEVEL, clean_title(_NAMED.sub(r"\1", line))
    under = _UNDERLINE.fullmatch(following)
    if under and line[:1].isalnum() and len(line) <= MOST_CHARS + MOST_WORDS:
        return (1 if under["mark"] == "=" else 2), clean_title(line)
    return None


def _item_title(text: str) -> str:
    """Return a list item that can be the title of what stands below it; empty for a sentence."""
    title = clean_title(text)
    return "" if title.endswith(_SENTENCE_END) or len(title.split()) > MOST_WORDS else title


def clean_title(title: str) -> str:
    """Return a title without links, marks and numbers of issues: "**[Laser cutter](…)** #12"."""
    bare = _NOISE.sub(" ", _LINK.sub(lambda match: match[1] or match[2] or " ", title))
    return " ".join(bare.split()).strip(" :–—-|")


def topic_of(titles: Sequence[str]) -> str | None:
    """Return the innermost title that names a subject, without its number: short, no day, not what any minutes have."""
    for title in map(_unnumbered, reversed(titles)):
        if 2 < len(title) <= MOST_CHARS and len(title.split()) <= MOST_WORDS and not _is_general(title):
            return title
    return None


def _unnumbered(title: str) -> str:
    number = _NUMBER.match(title)
    return title[number.end() :] if number else title


def subject_words(title: str) -> list[str]:
    """Return the words of a title that name a subject: no number, day, or word of any notes."""
    words = content_words(clean_title(title))
    return [word for word in words if len(word) > _SMALL and word.isalpha() and word not in _general()]


def lists_decisions(titles: Sequence[str]) -> bool:
    """Return whether one of the titles above a line says that decisions stand below it: "Decisions", "Beschlüsse".

    >>> lists_decisions(["Handoff of 3 May", "Decisions made"]), lists_decisions(["Open decisions"])
    (True, False)
    """
    return any(_unnumbered(clean_title(one)).casefold() in _decision_titles() for one in titles)


def _is_general(title: str) -> bool:
    words = frozenset(word for word in content_words(title) if len(word) > _SMALL)
    broken = title[-1] in ",;" or title.count("(") != title.count(")")  # "Dear family," is a salutation
    return broken or any(map(str.isdigit, title)) or "/" in title or words <= _general()


@cache
def _general() -> frozenset[str]:
    """Return the words, of all languages, of titles that name no subject: "Updates", "Sonstiges", "cette semaine"."""
    listed = LEXICONS.every_language("prose").listed("general_titles")
    calendar = SHARED.every_language("dates")
    days = (*calendar.listed("weekdays"), *calendar.listed("months"))
    short = (word[:_SHORT_DAY] for word in days)
    return frozenset(form for word in (*listed, *days, *short) for form in content_words(plain(word)))


@cache
def _decision_titles() -> frozenset[str]:
    return frozenset(LEXICONS.every_language("prose").listed("decision_titles"))
