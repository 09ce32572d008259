"""Who a text says was there: the people listed behind "Present:", "Attendees", "Entschuldigt:" of minutes."""

import re
from collections.abc import Iterator
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    known_names,
    level_of_region,
    listed_places,
    nicknames,
)
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending
from brain_pipelines.stages.extraction.local.names.people import PARTICLES, TITLES
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_retrieval.language.lexicon import SHARED

_WORDS = LEXICONS.every_language("attendance")
_NO_ONE = _WORDS.words("no_one")
_TITLES = TITLES | LEXICONS.every_language("plain_names").words("titles")
_CALLINGS = SHARED.every_language("callings").words("callings")
_MARKS = r"[ \t>*_#|-]{0,12}"  # of headings, lists, quotes, strong text and tables
_LABEL = re.compile(
    rf"^{_MARKS}(?P<label>{_WORDS.pattern('labels')})[ \t]?(?:\([^()\n]{{0,40}}\))?[*_ \t]{{0,4}}(?:[:|]|$)"
    rf"(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4}(?:\[[ xX]\][ \t]{1,3})?(?P<entry>\S.*)")
_ASIDE = re.compile(r"\s?[(\[{<][^()\[\]{}<>\n]*(?:[)\]}>]|$)")
_PARTS = re.compile(r"[,;/|•&+]|\s(?:and|und|et|y|e|och|en|og)\s")
_ENDS = re.compile(r"\s[-–—:@].*$|:.*$|(?<![.*_ \t])[.*_ \t]++$")  # a role or an address behind a name
_LED = re.compile(r"^[^\W\d_][^:]{0,24}:\s")  # "minutes: Ann"
_INITIAL = re.compile(r"[^\W\d_]\.?")
MOST_WORDS = 4  # of a name
MOST_ITEMS = 60  # lines of a list below a label


def attendees_of(text: str) -> frozenset[str]:
    """Return the names of the people that lists of those present or absent in a text hold, as written.

    >>> sorted(attendees_of("Present: Ann Lee (chair), Wiesia, all others\\nApologies - none"))
    ['Ann Lee', 'Wiesia']
    """
    found: set[str] = set()
    for label in _LABEL.finditer(text):
        entries = [name for entry in _entries(label, text) for name in entry]
        names = [name for name in entries if is_listed_person(name)]
        known = sum(map(_is_known, names))
        doubtful = label["label"].casefold() in _beside_nouns() or any(map(_is_group, entries))
        if not doubtful or 4 * known >= len(names):
            found.update(names)
    return frozenset(found)


def _is_group(name: str) -> bool:
    return "Organization" in (known_names().get(name), type_by_ending(name))


@cache
def _beside_nouns() -> frozenset[str]:
    """Return the labels of languages that write every noun large: "Gäste: Nachbarn, Presse" lists no names."""
    languages = (code for code in LEXICONS.languages("attendance") if writes_nouns_large(code))
    return frozenset(label for code in languages for label in LEXICONS.read("attendance", code).listed("labels"))


def _is_known(name: str) -> bool:
    first = name.split(" ")[0].split("-")[0]
    return first in every_given_name() or first.lower() in nicknames()


def _entries(label: re.Match[str], text: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of a line behind a label, or of the items of a list below it."""
    rest = label["rest"].strip(" \t*_|")
    if rest:
        yield tuple(_names(rest))
        return
    for number, line in enumerate(text[label.end() :].lstrip("\n").split("\n", MOST_ITEMS)[:MOST_ITEMS]):
        item = _ITEM.fullmatch(line)
        if item is None and (line.strip() or number):
            return
        if item is not None:
            yield tuple(_names(item["entry"]))


def _names(line: str) -> Iterator[str]:
    for part in _PARTS.split(_ASIDE.sub("", line)):
        name = _without_titles(_ENDS.sub("", _LED.sub("", part.strip().strip(" \t*_.@"))).strip(" \t*_."))
        if name:
            yield name


def _without_titles(name: str) -> str:
    words = name.split(" ")
    while len(words) > 1 and _is_before_name(words[0].casefold().rstrip("."), len(words)):
        words = words[1:]
    return " ".join(words)


def _is_before_name(word: str, count: int) -> bool:
    """Return whether a word is a title, or who someone is before a full name: "Dirigent Pavel Novotny"."""
    return word in _TITLES or (count > 2 and word in _CALLINGS)


def is_listed_person(name: str) -> bool:
    """Return whether an entry of a list of people has the form of a name, and is of no group or place."""
    words = name.split(" ")
    if not name or len(words) > MOST_WORDS or any(word.casefold() in _NO_ONE for word in words):
        return False
    if name in known_names() or name in listed_places() or level_of_region(name) or type_by_ending(name):
        return False
    plain = [word for word in words if word.casefold() not in PARTICLES]
    return bool(plain) and len(plain[-1].rstrip(".")) > 1 and all(_is_name_word(word) for word in plain)


@cache
def _is_name_word(word: str) -> bool:
    """Return whether a word is written like a part of a name: large, of letters, not in capitals, or an initial."""
    letters = word.replace("-", "").replace("'", "").replace("’", "")
    if _INITIAL.fullmatch(letters):
        return letters[0].isupper()
    return letters.isalpha() and letters[0].isupper() and not letters.isupper()
