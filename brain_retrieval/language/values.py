"""Values that a text states: every number with its dimension, so that none is lost and like is compared to like.

| text | dimension, value |
|---|---|
| 1,150 francs a month | CHF/month 1150 |
| 64 ng/ml, 14.2 kg, 3.4 percent | ng/ml 64, kg 14.2, % 3.4 |
| version 2.3, Python 3.10, v2.0-rc1 | version 2.3, 3.10, 2.0-rc1, to the letter |
| runs Debian 12 | version 12: beside a verb of use |
| in room 204, class 2b | room 204, class 2b |
| chapter 3.1 | nothing: the number of a part of a text measures nothing |
| at 9:00, 52:40 | time 9:00, duration 52:40 |
| four cups of coffee, 85k a year | cup 4, number/year 85000 |
| half a tablet | tablet 0.5 |
| 3 x 12 | by 3x12 |
| climbed to second | rank 2 |
| more than 5,000 euros | EUR limit 5000 |
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED, Lexicon
from brain_retrieval.language.numbers import NUMBER, number_of_text
from brain_retrieval.language.plain import plain, word_expression
from brain_retrieval.language.product_versions import RELEASE, versions_of_products
from brain_retrieval.language.stop_words import function_words, talk_words

_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "%": "%", "°": "°"}
_DIGITS_OF_CENTS, _LIMIT_CHARS, _CODE = 2, 24, 3  # letters of the code of a currency
# The letter of a room or class; one that is a word ("the class I took", "building a house") only with a number or at
# an end: "gate A,".
_ROOM_LETTER = r"(?:[b-df-hj-np-xz]|[aeioy](?=\d)|[aeoy](?=[.,;:!?)]|$))"
LIMIT = " limit"  # behind the dimension of an amount that is only a bound
VERSION = "version"
BY = "by"  # so many times so many: "3 x 12"
_LARGE_NOUNS = frozenset({"de"})
_ONE = "1"
_AMOUNT = re.compile(r"\d{1,3}(?:\.\d{3}){1,4}|\d{3,4}\.\d\d")  # "1.200", "840.50"


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
    fractions: dict[str, str]
    doses: frozenset[str]
    stop: frozenset[str]
    ranks: dict[str, int]
    limit: re.Pattern[str]  # at the end of what stands before an amount
    versions: str  # an expression of "version" and the blank behind it
    numbered: re.Pattern[str]  # at the end of what stands before a version or the number of a part
    product: re.Pattern[str]  # a word and a number with dots behind it: "Python 3.11", "Rent 12.5"
    running: re.Pattern[str]  # a verb of use, a word and a number: "runs Debian 12"
    nameless: frozenset[str]  # words that no product is named by
    measures: re.Pattern[str]  # a word for what is measured: "LDL"
    large_nouns: bool  # whether the language writes nouns with a capital letter


def find_values(text: str, language: str | None = None, taken: Sequence[tuple[int, int]] = ()) -> list[Value]:
    """Return the values of a text from left to right; spans in `taken` (dates) are left out."""
    found = []
    forms = _forms(_known(language))
    low = plain(text)
    releases = [one for one in _releases(text, low, forms) if not _within(one.start, one.end, taken)]
    taken = [*taken, *((one.start, one.end) for one in releases)]
    place = 0
    while match := forms.pattern.search(low, place):
        span = match.span("number" if match["number"] else 0)
        if over := [end for start, end in taken if span[0] < end and start < span[1]]:
            # What else it would have read may belong to the next one: "el 17 a las 8:15".
            place = max(min(over), span[0] + 1)
            continue
        place = match.end()
        if value := _value(match, forms, text):
            bound = match["number"] and forms.limit.search(low, max(0, match.start() - _LIMIT_CHARS), match.start())
            found.append(replace(value, dimension=value.dimension + LIMIT) if bound else value)
    return sorted([*found, *releases], key=lambda one: one.start)


def is_measure(dimension: str, language: str | None = None) -> bool:
    """Return whether a dimension is measured in a unit ("EUR/month", "kg limit"), so no count of named things.

    >>> is_measure("EUR/month"), is_measure("kg limit"), is_measure("cup"), is_measure("number")
    (True, True, False, False)
    """
    unit = dimension.removesuffix(LIMIT).partition("/")[0]
    return unit in _SYMBOLS.values() or unit in _forms(_known(language)).units.values()


def is_release(text: str, start: int, language: str | None = None) -> bool:
    """Return whether what begins at `start`, a number with dots, is a version or the number of a part, and no date.

    In a language that writes nouns with a capital letter, a name of a product is one only beside "runs" or "uses".
    """
    forms, low = _forms(_known(language)), plain(text)
    if forms.numbered.search(low, max(0, start - _LIMIT_CHARS), start):
        return True
    word = re.search(r"[^\W\d_][\w+#-]{1,30}\s$", low[max(0, start - 32) : start])
    if word is None or not text[start - len(word.group())].isupper() or word.group().strip() in forms.nameless:
        return False
    return in_use(low, language) or (language or ENGLISH) not in _LARGE_NOUNS


def product_names(text: str, versions: Iterable[str], language: str | None = None) -> Iterator[str]:
    """Yield the words with a capital letter in front of versions, in plain form: "python" of "Python version 3"."""
    forms, low = _forms(_known(language)), plain(text)
    for version in versions:
        named = rf"(?<!\w)(?P<name>[^\W\d_][\w+#-]{{0,30}})\s(?:{forms.versions})?{re.escape(version)}(?!\w|\.\d)"
        for match in re.finditer(named, low):
            if text[match.start()].isupper() and match["name"] not in forms.nameless:
                yield match["name"]


def in_use(low: str, language: str | None = None) -> bool:
    """Return whether a plain text says that a version is in use; a language without such words is read as all."""
    return _in_use(language if language and SHARED.has("values", language) else None).search(low) is not None


@cache
def _in_use(language: str | None) -> re.Pattern[str]:
    lexicon = SHARED.read("values", language) if language else SHARED.every_language("values")
    return re.compile(rf"(?<!\w)(?:{word_expression(lexicon.listed('in_use'))})(?!\w)")


def release_parts(version: str) -> tuple[int, ...]:
    """Return the numbers of a version: (3, 11) of "3.11", (2, 0) of "2.0-rc1".

    >>> release_parts("2.0-rc1")
    (2, 0)
    """
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, numbers.group().split("."))) if numbers else ()


def _within(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < other_end and other < end for other, other_end in taken)


def _releases(text: str, low: str, forms: _Forms) -> Iterator[Value]:
    """Yield the versions that stand behind the name of a product, which a capital letter shows."""
    for match in (*forms.product.finditer(low), *forms.running.finditer(low)):
        named = text[match.start("name")].isupper() and match["name"] not in forms.nameless
        if named and not _AMOUNT.fullmatch(match["release"]):
            yield Value(VERSION, match["release"], *match.span("release"))


def _value(match: re.Match[str], forms: _Forms, text: str) -> Value | None:
    part = match.groupdict()
    start, end = match.span()
    if part["room"]:
        return Value(word_form(part["kind"]), part["room"], start, end)
    if part["part"]:
        return None
    if part["by"]:
        return Value(BY, re.sub(r"\s?[x×]\s?", "x", part["by"]), start, end)
    if part["version"]:
        return Value(VERSION, part["version"], start, end)
    if part["time"] or part["hour"]:
        clock = (part["time"] or f"{part['hour']}:00").replace("h", ":")
        return Value("time" if part["hour"] or part["at"] or part["oclock"] else "duration", clock, start, end)
    if part["rank"]:
        return Value("rank", str(forms.ranks[part["rank"]]), start, end)
    if part["counted"] and text[match.start("counted")].isupper() and not forms.large_nouns:
        part["counted"] = None  # "14 Tanner Road" counts nothing
    found = _amount(part, forms, start, end)
    measured = found is not None and found.dimension == VERSION and forms.measures.search(match.string)
    return replace(found, dimension="number", value=number_of_text(found.value)) if found and measured else found


def _amount(part: dict[str, str | None], forms: _Forms, start: int, end: int) -> Value | None:
    text = part["number"] or ""
    unit = part["unit"] or (part["symbol"] or "").strip()
    if fraction := forms.fractions.get(" ".join(text.split())):
        dosed = part["counted"] in forms.doses
        if not (dosed or unit and fraction != _ONE):
            return None  # "one friend", "a half truth"
        number = fraction
    else:
        number = number_of_text(text) if text[:1].isdecimal() else str(forms.numbers.get(text, ""))
    dimension = forms.units.get(unit) or _SYMBOLS.get(unit, "")
    if not dimension and part["counted"] and part["counted"] not in forms.stop:
        dimension = word_form(part["counted"])
    if not number or (not dimension and not text[:1].isdecimal()):
        return None
    if part["each"] and dimension:
        dimension = f"{dimension}/{forms.units.get(part['each'], word_form(part['each']))}"
    dimension = dimension or _unnamed(text)
    return Value(dimension, text if dimension == VERSION else number, start, end)


def _unnamed(number: str) -> str:
    """Return the dimension of a number without a unit: 12.49 is an amount, 2.4 more likely a version."""
    _, mark, rest = number.partition(".")
    return "number" if not mark or not rest else VERSION if len(rest) < _DIGITS_OF_CENTS else "number"


def _known(language: str | None) -> str:
    return language if language and SHARED.has("values", language) else ENGLISH


@cache
def _forms(language: str) -> _Forms:
    own, english = SHARED.read("values", language), SHARED.read("values")
    dates = SHARED.read("dates", language) if SHARED.has("dates", language) else SHARED.read("dates")
    units = {plain(word): unit for word, unit in {**english.table("units"), **own.table("units")}.items()}
    numbers = {plain(word): number for word, number in dates.table("numbers").items()}
    ranks = _ranks([plain(word) for word in own.listed("ranks")])
    stop = frozenset(map(plain, function_words(language) | talk_words(language) | own.words("uncounted")))
    count = word_expression([word for word, number in numbers.items() if number > 1])
    fractions = {plain(word): value for word, value in own.table("fractions").items()}
    unit = word_expression(units)
    currencies = word_expression(word for word, name in units.items() if word.upper() == name and len(word) == _CODE)
    per = rf"(?:\s(?:{word_expression(own.listed('per'))})(?:\s|(?<=['’]))|\s?/\s?)"  # "9 euro l'ora"
    no_each = word_expression([*dates.listed("months"), *dates.listed("weekdays"), *own.listed("never_each")])
    rate = rf"(?:{per}(?P<each>(?!{no_each})[^\W\d]{{1,20}}))?"
    kind = word_expression([*own.listed("rooms"), *english.listed("rooms")])
    clock, after = word_expression(own.listed("clock")), word_expression(own.listed("clock_after"))
    forms = (
        rf"(?P<kind>{kind})\s(?P<room>\d{{1,4}}[a-z]?|{_ROOM_LETTER}\d{{0,3}}(?=\W|$)(?!['’-]\w))",
        rf"(?:{word_expression(own.listed('versions'))})\s?(?P<version>\d{{1,4}}(?:\.\d{{1,6}}){{0,3}}{RELEASE})",
        rf"(?:{word_expression(own.listed('parts'))})\s(?P<part>\d{{1,3}}(?:\.\d{{1,3}}){{1,4}})",
        rf"(?P<by>\d{{1,3}}\s?[x×]\s?\d{{1,3}})(?![\d.,]*\d|\s?(?:(?:{unit})(?!\w)|[€$£%°x×]))",
        rf"(?:(?P<at>{clock})\s)?(?P<time>\d{{1,3}}:\d\d(?::\d\d)?|\d{{1,2}}h\d\d)(?P<oclock>\s?(?:{after}|[ap]\.?m)(?!\w))?",
        rf"(?:(?:{clock})\s)?(?P<hour>\d{{1,2}})\s?(?:{after})(?!\w)",
        (
            rf"(?P<symbol>[€$£¥]|(?:{currencies})\s)?\s?(?P<number>{word_expression(fractions)}|{NUMBER}|{count})"
            rf"(?:\s?(?:million\s)?(?P<unit>(?:{unit})(?![\w'’])|[€$£%°¥])|[\s-](?P<counted>[^\W\d]{{3,24}}))?{rate}"
        ),
        rf"(?P<rank>{word_expression(ranks)})",
    )
    joined = "|".join(f"(?:{form})" for form in forms)
    amounts = re.compile(rf"(?<![\w.,])(?:{joined})(?![^\W\d_])")
    product, runs = versions_of_products(own, unit)
    listed = ("rooms", "versions", "parts", "per", "clock")
    others = {*(plain(word) for key in listed for word in own.listed(key)), *units, *numbers, *stop}
    others |= {plain(word) for lexicon in (own, english) for word in lexicon.listed("measures")}
    nameless = frozenset(others | {plain(word) for key in ("months", "weekdays") for word in dates.listed(key)})
    versions = rf"(?:{word_expression(own.listed('versions'))})\s?"
    before = word_expression([*own.listed("versions"), *own.listed("parts")])
    numbered = re.compile(rf"(?<!\w)(?:{before})\s?$")
    measured = word_expression([*own.listed("measures"), *english.listed("measures")])
    measures = re.compile(rf"(?<!\w)(?:{measured})(?!\w)")
    doses = frozenset(map(plain, own.listed("doses")))
    return _Forms(
        amounts,
        units,
        numbers,
        fractions,
        doses,
        stop,
        ranks,
        _limits(own),
        versions,
        numbered,
        product,
        runs,
        nameless,
        measures,
        language in _LARGE_NOUNS,
    )


def _limits(own: Lexicon) -> re.Pattern[str]:
    """Return a pattern for the end of what stands before a bound: "up to", but not "the rent goes up to"."""
    rising = "".join(rf"(?<!{word}\s)" for word in sorted(map(plain, own.listed("rises"))))
    reached = rf"{rising}(?:{word_expression(own.listed('reached'))})"
    return re.compile(rf"(?<!\w)(?:{word_expression(own.listed('limits'))}|{reached})\s?[€$£¥]?\s?$")


def _ranks(words: list[str]) -> dict[str, int]:
    """Return ordinal words with their numbers; the forms of one number follow each other and begin alike."""
    ranks: dict[str, int] = {}
    number, before = 0, ""
    for word in words:
        number += before[:3] != word[:3]
        ranks[word], before = number, word
    return ranks
