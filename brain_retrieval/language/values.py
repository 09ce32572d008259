"""Values that a text states: every number with its dimension, so that none is lost and like is compared to like.

| text | dimension, value |
|---|---|
| 1,150 francs a month | CHF/month 1150 |
| 64 ng/ml, 14.2 kg, 3.4 percent | ng/ml 64, kg 14.2, % 3.4 |
| version 2.3, in room 204, class 2b | version 2.3, room 204, class 2b |
| at 9:00, 52:40 | time 9:00, duration 52:40 |
| four cups of coffee | cup 4 |
| climbed to second | rank 2 |
| more than 5,000 euros | EUR limit 5000 |
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain, word_expression
from brain_retrieval.language.stop_words import function_words, talk_words

_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "%": "%", "°": "°"}
_DIGITS_OF_CENTS, _LIMIT_CHARS = 2, 24
LIMIT = " limit"  # behind the dimension of an amount that is only a bound
_NUMBER = r"\d{1,3}(?:[.,' ]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,12}(?:[.,]\d{1,6})?(?!\d)"


@dataclass(frozen=True)
class Value:
    """A stated value: characters `start` to `end` ("840 euros") of a dimension ("EUR", "kg", "date", "version")."""

    dimension: str
    value: str  # normalised: "840", "2025-06-12", "2.4"
    start: int
    end: int


@dataclass(frozen=True)
class _Forms:
    pattern: re.Pattern[str]
    units: dict[str, str]
    numbers: dict[str, int]
    stop: frozenset[str]
    ranks: dict[str, int]
    limit: re.Pattern[str]  # at the end of what stands before an amount


def find_values(text: str, language: str | None = None, taken: Sequence[tuple[int, int]] = ()) -> list[Value]:
    """Return the values of a text from left to right; spans in `taken` (dates) are left out."""
    found = []
    forms = _forms(_known(language))
    low = plain(text)
    for match in forms.pattern.finditer(low):
        if any(match.start() < end and start < match.end() for start, end in taken):
            continue
        if value := _value(match, forms):
            bound = match["number"] and forms.limit.search(low, max(0, match.start() - _LIMIT_CHARS), match.start())
            found.append(replace(value, dimension=value.dimension + LIMIT) if bound else value)
    return found


def number_of_text(text: str) -> str:
    """Return a number without marks of thousands and with a decimal point: "1,150" and "1.150" are 1150."""
    digits = text.replace("'", "").replace(" ", "")
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3}){1,4}", digits):
        return re.sub(r"[.,]", "", digits)
    whole, mark, rest = digits.rpartition(max(digits, key=lambda char: digits.rfind(char) if char in ".," else -1))
    if mark not in (".", ","):
        return digits
    rest = rest.rstrip("0")
    return re.sub(r"[.,]", "", whole) + (f".{rest}" if rest else "")


def _value(match: re.Match[str], forms: _Forms) -> Value | None:
    part = match.groupdict()
    start, end = match.span()
    if part["room"]:
        return Value(word_form(part["kind"]), part["room"], start, end)
    if part["version"]:
        return Value("version", part["version"], start, end)
    if part["time"] or part["hour"]:
        clock = (part["time"] or f"{part['hour']}:00").replace("h", ":")
        return Value("time" if part["hour"] or part["at"] else "duration", clock, start, end)
    if part["rank"]:
        return Value("rank", str(forms.ranks[part["rank"]]), start, end)
    return _amount(part, forms, start, end)


def _amount(part: dict[str, str | None], forms: _Forms, start: int, end: int) -> Value | None:
    text = part["number"] or ""
    number = number_of_text(text) if text[:1].isdecimal() else str(forms.numbers.get(text, ""))
    unit = part["unit"] or part["symbol"] or ""
    dimension = forms.units.get(unit) or _SYMBOLS.get(unit, "")
    if not dimension and part["counted"] and part["counted"] not in forms.stop:
        dimension = word_form(part["counted"])
    if not number or (not dimension and not text[:1].isdecimal()):
        return None
    if part["each"] and dimension:
        dimension = f"{dimension}/{forms.units.get(part['each'], word_form(part['each']))}"
    return Value(dimension or _unnamed(text), number, start, end)


def _unnamed(number: str) -> str:
    """Return the dimension of a number without a unit: 12.49 is an amount, 2.4 more likely a version."""
    _, mark, rest = number.partition(".")
    return "number" if not mark or not rest else "version" if len(rest) < _DIGITS_OF_CENTS else "number"


def _known(language: str | None) -> str:
    return language if language and SHARED.has("values", language) else ENGLISH


@cache
def _forms(language: str) -> _Forms:
    own, english = SHARED.read("values", language), SHARED.read("values")
    dates = SHARED.read("dates", language) if SHARED.has("dates", language) else SHARED.read("dates")
    units = {plain(word): unit for word, unit in {**english.table("units"), **own.table("units")}.items()}
    numbers = {plain(word): number for word, number in dates.table("numbers").items()}
    ranks = _ranks([plain(word) for word in own.listed("ranks")])
    stop = frozenset(plain(word) for word in function_words(language) | talk_words(language))
    months = word_expression([*dates.listed("months"), *dates.listed("weekdays")])
    count = word_expression([word for word, number in numbers.items() if number > 1])
    unit = word_expression(units)
    per = rf"(?:\s(?:{word_expression(own.listed('per'))})\s|\s?/\s?)"
    rate = rf"(?:{per}(?P<each>(?!{months})[^\W\d]{{1,20}}))?"
    kind = word_expression([*own.listed("rooms"), *english.listed("rooms")])
    clock, after = word_expression(own.listed("clock")), word_expression(own.listed("clock_after"))
    forms = (
        rf"(?P<kind>{kind})\s(?P<room>\d{{1,4}}[a-z]?|[a-z]\d{{0,3}}(?=\W|$))",
        rf"(?:{word_expression(own.listed('versions'))})\s?(?P<version>\d{{1,3}}(?:\.\d{{1,4}}){{0,3}})",
        rf"(?:(?P<at>{clock})\s)?(?P<time>\d{{1,3}}:\d\d(?::\d\d)?|\d{{1,2}}h\d\d)",
        rf"(?:(?:{clock})\s)?(?P<hour>\d{{1,2}})\s?(?:{after})(?!\w)",
        (
            rf"(?P<symbol>[€$£¥])?\s?(?P<number>{_NUMBER}|{count})"
            rf"(?:\s?(?:million\s)?(?P<unit>(?:{unit})(?!\w)|[€$£%°¥])|[\s-](?P<counted>[^\W\d]{{3,24}}))?{rate}"
        ),
        rf"(?P<rank>{word_expression(ranks)})",
    )
    joined = "|".join(f"(?:{form})" for form in forms)
    limit = re.compile(rf"(?<!\w)(?:{word_expression(own.listed('limits'))})\s?[€$£¥]?\s?$")
    return _Forms(re.compile(rf"(?<![\w.,])(?:{joined})(?![^\W\d_])"), units, numbers, stop, ranks, limit)


def _ranks(words: list[str]) -> dict[str, int]:
    """Return ordinal words with their numbers; the forms of one number follow each other and begin alike."""
    ranks: dict[str, int] = {}
    number, before = 0, ""
    for word in words:
        number += before[:3] != word[:3]
        ranks[word], before = number, word
    return ranks
