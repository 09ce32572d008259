"""What a line of a text says about an article that is copied into it: who wrote it, where and when it was printed.

| mark | line | points |
|---|---|---|
| rights | Copyright 2001 The Washington Post Co. All Rights Reserved | 2 |
| wire | SAN FRANCISCO, Feb 2 (Reuters) - California Gov. Gray Davis on Friday blocked … | 3 |
| byline | By Craig D. Rose | 2 |
| role | STAFF WRITER | 1 |
| outlet | San Francisco Chronicle | 1 |
| pages | Home Edition, Page C-1, 834 words | 1 |
| link | http://www.example.org/columns/noonan/ | 1 |
| day | Monday, August 7, 2000 | 1 |
"""

import re
from collections.abc import Iterator
from functools import cache

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.language.lexicon import SHARED, alternatives

POINTS = {"rights": 2, "wire": 3, "byline": 2, "role": 1, "outlet": 1, "pages": 1, "link": 1, "day": 1}
LONGEST, MOST_WORDS = 160, 16  # characters and words of a line that is no sentence
_PRESS = LEXICONS.every_language("press")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LINK = re.compile(r"[<(\[]{0,2}(?:https?://|www\.)\S{4,300}")
_NAME = r"[^\W\d_a-zß-ÿ][\w.'’-]{0,20}"
_NAMES = rf"{_NAME}(?: {{1,2}}{_NAME}){{1,4}}"
_NUMERIC = re.compile(r"(?<!\d)\d{1,2}[/.-]\d{1,2}[/.-](?:\d\d){1,2}(?!\d)")
_CLOSED = (".", "!", "?", ":", ";", ",")


def marks_of(line: str) -> frozenset[str]:
    """Return the marks of a line without its indent."""
    if _wire().match(line):
        return frozenset(("wire",))
    bare = line.strip(" \t*_#>=|")
    if not bare or len(bare) > LONGEST or len(bare.split()) > MOST_WORDS:
        return frozenset(("rights",)) if bare and _is_reserved(bare) else frozenset()
    return frozenset(_marks(bare))


def _marks(bare: str) -> Iterator[str]:
    if _is_reserved(bare):
        yield "rights"
        return
    if speaks(bare):
        return
    if _byline().match(bare):
        yield "byline"
    if _LINK.fullmatch(bare):
        yield "link"
    if _pages().search(bare):
        yield "pages"
    if bare.endswith(_CLOSED) and not bare.endswith(("Inc.", "Co.")):
        return
    if _role().search(bare):
        yield "role"
    if _outlet().search(bare):
        yield "outlet"
    if _is_day(bare):
        yield "day"


def says(text: str) -> bool:
    """Return whether a paragraph reports what someone said."""
    return _said().search(text) is not None


def ends_article(line: str) -> bool:
    """Return whether a line is the last one of an article."""
    return _until().search(line) is not None or _is_reserved(line)


def speaks(text: str) -> bool:
    """Return whether someone speaks of themselves or to someone, in words without those between quotation marks."""
    return _persons().search(text) is not None


def _is_reserved(line: str) -> bool:
    if _rights().search(line):
        return True
    found = _copyright().match(line)
    return found is not None and _YEAR.search(line) is not None and any(map(str.isalpha, line[found.end() :]))


@cache
def _copyright() -> re.Pattern[str]:
    return re.compile(r"[\s(]{0,8}(?:copyright\b|©|\(c\)\s)", re.IGNORECASE)


@cache
def _rights() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_PRESS.expression('rights')})", re.IGNORECASE)


@cache
def _wire() -> re.Pattern[str]:
    """Return a pattern for the beginning of a report: a place, perhaps a day, and in brackets the agency."""
    agencies = alternatives((*_PRESS.listed("agencies"), *map(str.upper, _PRESS.listed("agencies"))))
    inside = rf"(?:\((?:{agencies})(?:[/,-][^()\n]{{1,30}})?\)|/(?:{agencies})/)"
    return re.compile(rf"[^\W\d_a-zß-ÿ][^()/\n]{{2,60}}\s?{inside}\s{{0,3}}(?:[-–—.:]|$)")


@cache
def _byline() -> re.Pattern[str]:
    """Return a pattern for "By Craig D. Rose and Ann Lee, Staff Writers", also "BY:" and names in capitals."""
    by, joined = alternatives(_PRESS.listed("by")), alternatives(_PRESS.listed("and"))
    behind = r"(?:\s?[,|/(–-].{0,70})?"
    return re.compile(rf"(?i:{by})(?::\s?| ){_NAMES}(?:(?:, | (?i:{joined}) ){_NAMES}){{0,3}}{behind}\s*$")


@cache
def _role() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives(_PRESS.listed('roles'))})\b", re.IGNORECASE)


@cache
def _outlet() -> re.Pattern[str]:
    """Return a pattern for the name of a newspaper, its last word with a capital letter."""
    words = alternatives((*_PRESS.listed("outlet_names"), *_PRESS.listed("outlets")))
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w'’])")


@cache
def _pages() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_PRESS.expression('pages')})", re.IGNORECASE)


@cache
def _said() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_PRESS.expression('said')})\b", re.IGNORECASE)


@cache
def _until() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_PRESS.expression('until')})", re.IGNORECASE)


@cache
def _persons() -> re.Pattern[str]:
    words = alternatives(_PRESS.listed("persons"))
    return re.compile(rf"(?<![\w.])(?:(?i:{words})(?![\w.’'])|I(?=\s[a-z]))")


@cache
def _calendar() -> re.Pattern[str]:
    dates = SHARED.every_language("dates")
    words = alternatives((*dates.listed("months"), *dates.listed("short_months")))
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _is_day(bare: str) -> bool:
    """Return whether a line with few words has a day: "06/06/2001", "Monday, August 7, 2000 4:26 p.m. EDT"."""
    if len(bare.split()) > 9 or not any(map(str.isdigit, bare)):
        return False
    return bool(_NUMERIC.search(bare)) or bool(_calendar().search(bare) and re.search(r"\d", bare))
