"""What an amount of money is an amount of: the words beside it, so that a deficit does not replace a balance.

"a deficit of about 10,000 euros" ─► deficit        "40,000 euros on the account" ─► account
"""

import re
from functools import cache, lru_cache

from brain_retrieval.language.content_words import content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import plain, word_expression

BEFORE, BEHIND, FEW = 6, 4, 4  # words
_PART = re.compile(r"(?:[;:!?()\[\]–—]|[.,](?!\d))\s{0,4}")
_WORD = re.compile(r"[^\s]{1,60}")
_FIGURE = re.compile(r"(?<![\w.,])\d")


def beside_amounts(text: str) -> frozenset[str]:
    """Return the words near the amounts of money in a text, without currencies and words for sums."""
    found: set[str] = set()
    for amount in _money().finditer(plain(text)):
        *earlier, before = _PART.split(text[: amount.start()])
        if len(before.split()) < FEW and earlier:  # "a rise of the grant, of about 5,000 euros"
            before = f"{earlier[-1]} {before}"
        behind = _PART.split(text[amount.end() :], maxsplit=1)[0]
        near = [*_WORD.findall(before)[-BEFORE:], *_WORD.findall(behind)[:BEHIND]]
        found.update(content_words(" ".join(near)))
    return frozenset(word for word in found if not any(map(str.isdigit, word))) - words_of_sums()


@cache
def quantities() -> frozenset[str]:
    """Return the words of all languages for what an amount may be of by itself: "rent", "Gehalt"."""
    listed = SHARED.every_language("questions").listed("number_nouns")
    return frozenset(word_form(plain(word)) for word in listed)


@cache
def _money() -> re.Pattern[str]:
    """Return a pattern for a number with a currency, of plain text."""
    currency = word_expression(_listed("currencies"), plain)
    number = r"\d[\d.,'’\u00a0\u202f]{0,14}(?: \d{3}){0,3}"
    return re.compile(rf"[€$£¥] ?{number}|(?<!\w)(?:{currency}) {number}|{number} ?(?:[€$£¥]|(?:{currency})(?!\w))")


@cache
def words_of_sums() -> frozenset[str]:
    """Return the words that every amount may stand with, and those of currencies."""
    return frozenset(word_form(plain(word)) for key in ("sums", "currencies") for word in _listed(key))


def _listed(key: str) -> tuple[str, ...]:
    return tuple(SHARED.every_language("definitions").listed(key))


@lru_cache(maxsize=1 << 14)
def labels(text: str) -> frozenset[str]:
    """Return the words right before numbers, and those that they are counted by: "plot 7", "14 a walk"."""
    found = (next(filter(None, match.groups())) for match in _beside_numbers().finditer(plain(text)))
    return frozenset(map(word_form, found)) - light_words()


@lru_cache(maxsize=1 << 14)
def shortly_before(text: str) -> frozenset[str]:
    """Return the content words shortly before each number, in its part of a sentence: "guest list is at 71"."""
    low = plain(text)
    parts = (_PART.split(low[: match.start()])[-1] for match in _FIGURE.finditer(low))
    return frozenset(word for part in parts for word in content_words(" ".join(_WORD.findall(part)[-BEFORE:])))


@cache
def _beside_numbers() -> re.Pattern[str]:
    per = word_expression(SHARED.every_language("values").listed("per"))
    return re.compile(rf"([^\W\d_]{{3,24}})\s(?=\d)|(?<=\d)\s(?:{per})\s([^\W\d_]{{3,24}})")


@lru_cache(maxsize=1 << 14)
def rates(text: str) -> frozenset[str]:
    """Return what amounts are for: "hour" of "9 euros an hour"."""
    return frozenset(word_form(match["each"]) for match in _rate().finditer(plain(text)))


@cache
def _rate() -> re.Pattern[str]:
    per = word_expression(SHARED.every_language("values").listed("per"))
    return re.compile(rf"\d(?:\s[^\W\d]{{1,12}})?\s(?:{per})(?:\s|(?<=['’]))(?P<each>[^\W\d]{{2,24}})")


def near(old: str, new: str) -> bool:
    """Return whether one number may have followed another one: at most twice or half as much; "12a" is no number."""
    if not (_is_number(old) and _is_number(new)):
        return False
    return 0.5 <= (float(new) + 1) / (float(old) + 1) <= 2


def _is_number(value: str) -> bool:
    digits = value.removeprefix("-").replace(".", "", 1)
    return digits.isascii() and digits.isdigit()
