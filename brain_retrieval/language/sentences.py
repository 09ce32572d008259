"""Sentence splitting with exact offsets, used for chunks, summaries, facts, minutes and titles."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from brain_retrieval.language.lexicon import SHARED, Lexicon, alternatives, code_of

Span = tuple[int, int]

PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
# A full stop, with closing quotes or brackets, before white space; or a CJK full stop before anything. A run is
# tried from its first stop only and never given back, or a megabyte of dots would take hours.
_STOPS = ".!?…؟۔।"
_SENTENCE_END = re.compile(rf"""(?<![{_STOPS}])[{_STOPS}]++["'”’»)\]]*+(?=\s)|[。！？]++[」』”’)）]*+""")
_WORD_BEFORE = re.compile(r"[\w.]{1,20}$")  # bounded, so the search stays linear
_DAY_IN_FIGURES = re.compile(r"(?<![\d.])\d{1,2}\.\d{1,2}\Z")
# "12.3. Ein Termin", "Sa 12.3. Ein Termin": of an entry that begins with its day
_BEGINS_WITH_DAY = re.compile(r"\W{0,4}(?:[^\W\d_]{2,10}[.,]{0,2}\s)?(?:[1-9]|[012]\d|3[01])\.(?:[1-9]|0\d|1[0-2])\Z")
_CLOCK = re.compile(r"\d{1,2}(?:[:.]\d\d|\s?(?:Uhr|h)\b)")  # "13.1. 8:30"
_CLOSING = "\"'”’»)]"
MAX_ABBREVIATION = 12
MAX_ENTRY = 24  # characters: a weekday, a day and a month at the beginning of a sentence
MAX_ORDINAL = 12  # characters: the word before it and the number


def trim(text: str, start: int, end: int) -> Span:
    """Return the span without the white space at its ends; an empty span if there is nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def paragraphs(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the spans between blank lines, trimmed, without empty ones."""
    end = len(text) if end is None else end
    cuts = [(m.start(), m.end()) for m in PARAGRAPH_BREAK.finditer(text, start, end)]
    edges = [start, *(edge for cut in cuts for edge in cut), end]
    spans = (trim(text, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True))
    return [(a, b) for a, b in spans if a < b]


def sentences(text: str, start: int = 0, end: int | None = None, language: str | None = None) -> list[Span]:
    """Return the sentences of a span, trimmed, without empty ones; a blank line ends one too.

    `language` chooses the abbreviations that end no sentence; without it those of all languages do not.
    """
    found = []
    for first, last in paragraphs(text, start, end):
        edges = [first, *sentence_ends(text, first, last, language), last]
        found += [trim(text, a, b) for a, b in pairwise(edges)]
    return [(a, b) for a, b in found if a < b]


def sentence_ends(text: str, start: int, end: int, language: str | None = None) -> Iterator[int]:
    """Yield the offsets inside a paragraph at which a sentence ends."""
    begin = start
    for match in _SENTENCE_END.finditer(text, start, end):
        if match.end() < end and _ends_sentence(text, match.start(), match.end(), begin, language):
            yield match.end()
            begin = match.end()


def _ends_sentence(text: str, stop: int, after: int, begin: int, language: str | None) -> bool:
    following = text[after : after + 40].lstrip()
    if text[stop] != ".":
        return not (text[after - 1] in _CLOSING and following[:1].islower())  # “Why?” she asked
    if following[:1].islower():
        return False
    if text[stop - 1 : stop].isdecimal() and (
        _month_follows(following, language)
        or _BEGINS_WITH_DAY.match(text[begin : min(stop, begin + MAX_ENTRY)])
        or _DAY_IN_FIGURES.search(text, max(begin, stop - MAX_ABBREVIATION), stop)
        and _CLOCK.match(following)
        or _ordinals(language).search(text, max(begin, stop - MAX_ORDINAL), stop)
    ):
        return False  # "20. März", "am 3. Herr Schmidt"
    word = _WORD_BEFORE.search(text, max(begin, stop - MAX_ABBREVIATION), stop)
    if word is None:
        return True
    before = word.group().lower()
    if before.endswith(_abbreviated_ends(language)) and following[:1].isdecimal():
        return False  # "Lindenstr. 8"
    if before in _short_weekdays() and following[:1].isdecimal():
        return False  # "le ven. 15/5"
    return before not in _abbreviations(language) and not (len(before) == 1 and before.isalpha())


def _month_follows(text: str, language: str | None) -> bool:
    return bool(_months(language).match(text.casefold()))


@cache
def _ordinals(language: str | None) -> re.Pattern[str]:
    """Return a pattern for a number at the end that is an ordinal by the word before it."""
    words = [word for dates in _with_ordinal_stops(language) for word in dates.listed("before_an_ordinal")]
    return re.compile(rf"\b(?:{alternatives(words)}) \d{{1,3}}$", re.IGNORECASE)


@cache
def _months(language: str | None) -> re.Pattern[str]:
    """Return a pattern for the months of languages that write ordinal numbers with a full stop."""
    names = [name for dates in _with_ordinal_stops(language) for name in dates.listed("months")]
    return re.compile(rf"(?:{alternatives(names)})\b")


def _with_ordinal_stops(language: str | None) -> list[Lexicon]:
    codes = [code_of(language)] if language else SHARED.languages("dates")
    read = [SHARED.read("dates", code) for code in codes if SHARED.has("dates", code)]
    return [dates for dates in read if "." in dates.listed("ordinals")]


@cache
def _abbreviated_ends(language: str | None) -> tuple[str, ...]:
    """Return what shortens the end of a word before a number: "-str." in German."""
    codes = [code_of(language)] if language else SHARED.languages("abbreviations")
    read = [SHARED.read("abbreviations", code) for code in codes if SHARED.has("abbreviations", code)]
    return tuple(end for own in read for end in own.listed("ends"))


@cache
def _short_weekdays() -> frozenset[str]:
    """Return the first two and three letters of the weekdays of all languages."""
    days = SHARED.every_language("dates").listed("weekdays")
    return frozenset(day[:letters] for day in days for letters in (2, 3))


@cache
def _abbreviations(language: str | None) -> frozenset[str]:
    if language is not None and SHARED.has("abbreviations", language):
        return SHARED.read("abbreviations", code_of(language)).words("abbreviations")
    return SHARED.every_language("abbreviations").words("abbreviations")
