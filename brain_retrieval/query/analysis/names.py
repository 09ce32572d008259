"""Names in a question: runs of capitals, quoted titles, codes and numbers, and known names in any spelling of case."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import question_words
from brain_retrieval.query.analysis.grammar import TIMES, pattern, table, words
from brain_retrieval.query.analysis.known_names import KnownNames
from brain_retrieval.query.analysis.question import Name

MOST_TOKENS = 150
MOST_NAMES = 20
_TOKEN = re.compile(r"(?:[OD]['’](?=[^\W\d_a-z]))?[^\W_]+(?:[-.&/][^\W_]+)*")
_QUOTED = re.compile(r"[\"“„«»”]\s?([^\"“”„«»]{2,80}?)\s?[\"”“»«]|(?<!\w)['‘]([^'’]{4,80})['’](?!\w)")
_CODE = re.compile(r"(?=\S{0,20}\d)(?:[A-Z]{1,5}[-/]?\d[\w-]{0,20}|#\d{1,9}|\d{3,}(?:[-/]\d+)*)")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Token(NamedTuple):
    """A word of the question."""

    text: str
    start: int
    end: int
    low: str

    @property
    def is_capital(self) -> bool:
        return self.text[:1].isupper()


def find_names(text: str, language: str | None, known: KnownNames | None) -> tuple[Name, ...]:
    """Return the names in `text` in their order; a longer known name wins over its parts."""
    quoted = [
        Name((m[1] or m[2]), m.start(m.lastindex or 1), m.end(m.lastindex or 1), "title")
        for m in _QUOTED.finditer(text)
    ]
    tokens = [Token(m.group(), *m.span(), plain(m.group())) for m in _TOKEN.finditer(text)][:MOST_TOKENS]
    found: list[Name] = quoted
    for each in (_known(text, tokens, language, known), _codes(tokens, language), _runs(text, tokens, language)):
        found += [name for name in each if not any(_overlap(name, other) for other in found)]
    return tuple(sorted(found, key=lambda name: name.start))[:MOST_NAMES]


def _overlap(one: Name, other: Name) -> bool:
    return one.start < other.end and other.start < one.end


def _known(text: str, tokens: Sequence[Token], language: str | None, known: KnownNames | None) -> Iterator[Name]:
    """Yield the longest known names; one small word counts only as a name if it has a capital or is no usual word."""
    place = 0
    while known is not None and place < len(tokens):
        for length in range(min(known.most_words, len(tokens) - place), 0, -1):
            first, last = tokens[place], tokens[place + length - 1]
            called = text[first.start : last.end]
            if (length > 1 or _may_be_name(tokens, place, language)) and known.lookup(fold(called)):
                yield Name(called, first.start, last.end)
                place += length
                break
        else:
            place += 1


def _may_be_name(tokens: Sequence[Token], place: int, language: str | None) -> bool:
    token = tokens[place]
    if len(token.low) < 2 or token.text.isdecimal() or token.low in _titles():
        return False
    if language is not None and token.low in _calendar(language) and _beside_number(tokens, place):
        return False  # the month of a date
    return token.is_capital or token.low not in question_words(language)


def _beside_number(tokens: Sequence[Token], place: int) -> bool:
    return any(
        token.text[:1].isdigit() for token in (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    )


@cache
def _titles() -> frozenset[str]:
    return frozenset(plain(word) for word in SHARED.every_language("questions").listed("titles"))


def _codes(tokens: Sequence[Token], language: str | None) -> Iterator[Name]:
    for token in tokens:
        is_word = language is not None and token.low in words("no_names", language)
        if _CODE.fullmatch(token.text) and not _YEAR.fullmatch(token.text) and not is_word:
            yield Name(token.text, token.start, token.end, "code")


def _runs(text: str, tokens: Sequence[Token], language: str | None) -> Iterator[Name]:
    """Yield the runs of words with a capital that are names, without titles before them."""
    run: list[Token] = []
    for place, token in enumerate(tokens):
        is_next = not run or _joined(text, run[-1], token, language)
        if run and not is_next:
            yield from _run(text, run, language)
            run = []
        if token.is_capital and _is_name(tokens, place, language, bool(run)):
            run.append(token)
        elif run and not (language is not None and token.low in words("joiners", language)):
            yield from _run(text, run, language)
            run = []
    yield from _run(text, run, language)


def _run(text: str, run: Sequence[Token], language: str | None) -> Iterator[Name]:
    if run and not (language is not None and all(token.low in words("demonyms", language) for token in run)):
        yield Name(text[run[0].start : run[-1].end], run[0].start, run[-1].end)


def _joined(text: str, last: Token, token: Token, language: str | None) -> bool:
    between = text[last.end : token.start]
    if between == " " or (between == ". " and len(last.text) < 3):
        return True
    return language is not None and between.strip() in words("joiners", language)


def _is_name(tokens: Sequence[Token], place: int, language: str | None, in_run: bool) -> bool:
    token = tokens[place]
    if language is None:
        return place > 0 and len(token.text) > 1
    if in_run and len(token.text) == 1 and token.low not in words("no_names", language):
        return True  # an initial
    if _is_word(token, language) or token.low in words("name_heads", language) or token.low in _titles():
        return False
    if place == 0:
        follows = tokens[1] if len(tokens) > 1 else None
        return follows is not None and _begins(token, follows, language)
    return in_run or not _is_noun(tokens, place, language)


def _is_word(token: Token, language: str) -> bool:
    """Return whether a word with a capital is one of the language: a month, a weekday, "I", "PDF"."""
    if len(token.text) == 1 or token.text.isdecimal() or token.low in words("no_names", language):
        return True
    return token.low.removesuffix("s") in _calendar(language) or any(
        token.low in table(key, language, TIMES) for key in ("seasons", "feasts", "days")
    )


@cache
def _calendar(language: str) -> frozenset[str]:
    dates = SHARED.read("dates", language)
    return frozenset(plain(word).removesuffix("s") for key in ("months", "weekdays") for word in dates.listed(key))


def _begins(token: Token, follows: Token, language: str) -> bool:
    """Return whether the first word is a name: "Anna is …", "Deutsche Bahn …"."""
    if token.low in question_words(language) or any(
        pattern(key, language).fullmatch(token.low)
        for key in (
            "who",
            "where",
            "when",
            "how_many",
            "why",
            "what",
            "explores",
            "lists",
            "compares",
            "yes_no",
            "requests",
        )
    ):
        return False
    if follows.low in words("copulas", language):
        return True
    return follows.is_capital and not words("before_nouns", language) and not _is_word(follows, language)


def _is_noun(tokens: Sequence[Token], place: int, language: str) -> bool:
    """Return whether a word is a common noun, in a language that writes nouns with a capital."""
    if not words("before_nouns", language):
        return False
    token, before = tokens[place], tokens[place - 1]
    if token.low in words("nouns", language) or token.low.endswith(tuple(words("noun_endings", language))):
        return True
    earlier = tokens[place - 2] if place > 1 else None
    if earlier is not None and earlier.is_capital and before.low in words("pronouns", language):
        return False  # "der Film, den Greta empfohlen hat"
    return pattern("before_nouns", language).fullmatch(before.low) is not None
