"""Quantities: the amounts of a text with their units, as ranges.

A written number stands for what it may be rounded from: "40 %" for 39.5–40.5, "1.2 million" for 1.15–1.25 million.
Units of one kind are brought to one ("0.4 m" and "40 cm"); currencies are not converted.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from brain_retrieval.evidence.claims.claim import OPEN, Quantity
from brain_retrieval.evidence.lexicons import claim_words, known, listed
from brain_retrieval.evidence.words import form_of, mentions_in, tokens_of
from brain_retrieval.language.lexicon import ENGLISH, alternatives
from brain_retrieval.language.plain import lowered
from brain_retrieval.language.stop_words import function_words
from brain_retrieval.language.values import LIMIT, Value, find_values

NOT_MEASURED = frozenset({"version", "duration", "rank"})
TIME = "time"  # of day, in minutes
NUMBER = "number"  # dimension of what has no unit
RANGE = " – "  # between the two ends of a range
LOOK_BACK = 24  # characters before a number
_BEFORE_AMOUNTS = ("introducers", "copulas", "auxiliaries", "verbs", "adverbs", "determiners", "between", "about", "to")
ABOUT = 0.1  # of the number, that "about" lets it differ
STRICT = ("more_than", "less_than")
MOST_COUNTED = 5  # words behind a number
_ROUND = 3  # zeros at the end of a whole number that may be rounded, from this many on
_COUNTED = re.compile(r"\s([^\W\d_]{3,24})")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def quantities_in(text: str, language: str | None = None, taken: Sequence[tuple[int, int]] = ()) -> list[Quantity]:
    """Return the amounts of a text in their order; numbers in the spans `taken` (dates) are none."""
    low = lowered(text)
    own = known(language)
    bare = (replace(one, dimension=one.dimension.removesuffix(LIMIT)) for one in find_values(text, language, taken))
    values = [value for value in bare if _is_amount(value)]
    ends = {end for _, end in taken}
    found = [one for value in values if not _is_number_of(low, one := _quantity(text, low, value, own), own, ends)]
    return _ranges(low, found + _fractions(text, low, known(language)), known(language))


def _is_number_of(low: str, quantity: Quantity, language: str, ends: Collection[int]) -> bool:
    """Return whether a number without a unit only says which one: "plot 12"; none behind a date (`ends`) does."""
    if low[: quantity.start].endswith("-") and low[: quantity.start - 1][-1:].isalpha():  # "COVID-19"
        return True
    if quantity.dimension != NUMBER or quantity.start - 1 in ends:
        return False
    before = low[: quantity.start].split()[-1:]
    quiet = (listed(key, language) for key in _BEFORE_AMOUNTS)
    return bool(before) and before[0].isalpha() and not any(before[0] in words for words in quiet)


def _is_amount(value: Value) -> bool:
    head = value.dimension.split("/")[0]
    return head not in NOT_MEASURED and not (head == "number" and _YEAR.fullmatch(value.value) is not None)


def _quantity(text: str, low: str, value: Value, language: str) -> Quantity:
    written = text[value.start : value.end]
    if value.dimension == TIME and (minutes := _minutes(value.value)) is not None:
        return Quantity(TIME, minutes, minutes, written, value.start, value.end)
    try:
        number = float(value.value)
    except ValueError:  # a room: "2b"
        return Quantity(f"{value.dimension} {value.value}", 0.0, 0.0, written, value.start, value.end)
    times, end, dimension = _multiplied(low, value, language)
    rounded = _half_unit(value.value, times > 1)
    dimension, factor = _base(dimension)
    start, bound = _bound(low, value.start, language)
    begin, stop = _range(number * times * factor, rounded * times * factor, bound)
    written = text[start:end].strip()
    return Quantity(
        dimension,
        begin,
        stop,
        written,
        value.start,
        end,
        times * factor,
        strict=bound in STRICT,
        rounded=times > 1 or rounded > 0.5 or bound == "about",
        counted=_counted(text, low, value, dimension, language),
    )


def _counted(text: str, low: str, value: Value, dimension: str, language: str) -> tuple[str, ...]:
    """Return the forms of all words that name what is counted, from the one that is the dimension: "new cases"."""
    behind, found, last = _end_of_digits(low, value), list[str](), 0
    quiet = frozenset[str]().union(*(listed(key, language) for key in _BEFORE_AMOUNTS[:5]), function_words(language))
    for token in tokens_of(text[behind : behind + 4 * LOOK_BACK])[:MOST_COUNTED]:
        between = text[behind + last : behind + token.start].strip()
        if token.low in quiet or between not in ("", "-"):
            break
        last = token.end
        if not token.low.isdecimal() and (found or token.form == dimension):
            found.append(token.form)
    return tuple(found)


def _minutes(clock: str) -> float | None:
    """Return the minutes of a time of day, "18:30"; None of what is none."""
    hours, _, minutes = clock.partition(":")
    return 60.0 * int(hours) + int(minutes[:2]) if hours.isdecimal() and minutes[:2].isdecimal() else None


def _range(exact: float, rounded: float, bound: str) -> tuple[float, float]:
    """Return what an amount with a bound before it may be; `rounded` is how far a written number may be off."""
    slack = ABOUT * abs(exact)
    ranges = {
        "more_than": (exact, OPEN),
        "at_least": (exact, OPEN),
        "less_than": (-OPEN, exact),
        "at_most": (-OPEN, exact),
        "about": (exact - rounded - slack, exact + rounded + slack),
    }
    return ranges.get(bound, (exact - rounded, exact + rounded))


def _half_unit(number: str, multiplied: bool) -> float:
    """Return half of the last digit that was written; long runs of zeros may be rounded."""
    _, mark, decimals = number.partition(".")
    if mark:
        return 0.5 * 10 ** -len(decimals)
    zeros = len(number) - len(number.rstrip("0"))
    return 0.5 * 10 ** max(0, zeros - 1) if zeros >= _ROUND and not multiplied else 0.5


def _multiplied(low: str, value: Value, language: str) -> tuple[float, int, str]:
    """Return the factor of a word such as "million" in or behind a number, where it ends, and the dimension."""
    factors = claim_words(language).table("multipliers")
    inside = next((word for word in low[value.start : value.end].split() if word in factors), None)
    if inside is not None and value.dimension == form_of(inside):
        counted = _COUNTED.match(low, value.end)
        is_counted = counted is not None and counted[1] not in function_words(language)
        return factors[inside], value.end, form_of(counted[1]) if counted and is_counted else "number"
    if inside is not None:
        return factors[inside], value.end, value.dimension
    if _no_noun(low, value, language):
        return 1.0, _end_of_digits(low, value), "number"
    end = value.end if value.dimension != "number" else _end_of_digits(low, value)
    behind = _multiplier(language).match(low, end)
    return (1.0, end, value.dimension) if behind is None else (factors[behind[1]], behind.end(), value.dimension)


def _no_noun(low: str, value: Value, language: str) -> bool:
    """Return whether the word behind a number is a verb or an adverb, so that it is not what is counted."""
    last = low[value.start : value.end].split()[-1]
    if last in listed("counted", language):
        return False
    quiet = (listed(key, language) for key in ("copulas", "auxiliaries", "verbs", "adverbs", "coordinators"))
    verb = any(mention.start == 0 for mention in mentions_in(low[value.end - len(last) :][:LOOK_BACK], language))
    return value.dimension == form_of(last) and (verb or any(last in words for words in quiet))


def _end_of_digits(low: str, value: Value) -> int:
    """Return where the digits of a number without a unit end; its span may hold the word behind it."""
    digits = [place for place in range(value.start, value.end) if low[place].isdecimal()]
    return digits[-1] + 1 if digits else value.end


def _bound(low: str, start: int, language: str) -> tuple[int, str]:
    """Return what bounds a number before it, and where that begins."""
    before = low[max(0, start - LOOK_BACK) : start]
    for key, shape in _bounds(language):
        if match := shape.search(before):
            return start - len(before) + match.start(), key
    return start, ""


def _ranges(low: str, found: list[Quantity], language: str) -> list[Quantity]:
    """Join the two ends of "between 30 and 40 %"; an end without a unit has that of the other."""
    ordered = sorted(found, key=lambda one: one.start)
    joined: list[Quantity] = []
    ends = claim_words(language).listed("to")
    skip = False
    for one, other in pairwise([*ordered, Quantity("", 0, 0, "", len(low), len(low))]):
        if skip:
            skip = False
            continue
        between = low[one.end : other.start].strip()
        same = one.dimension in (other.dimension, "number")
        if (
            between in ends
            and other.dimension
            and same
            and one.low < other.high
            and _opened(low, one, between, language)
        ):
            joined.append(
                Quantity(other.dimension, one.low, other.high, f"{one.text}{RANGE}{other.text}", one.start, other.end)
            )
            skip = True
        else:
            joined.append(one)
    return joined


def _opened(low: str, one: Quantity, between: str, language: str) -> bool:
    """Return whether a range begins: a dash between the numbers, or "between", "from" before the first."""
    if not between.isalpha():
        return True
    before = low[max(0, one.start - LOOK_BACK) : one.start].split()
    return bool(before) and before[-1] in claim_words(language).listed("between")


def _fractions(text: str, low: str, language: str) -> list[Quantity]:
    table = claim_words(language).table("fractions")
    found = []
    for match in _fraction(language).finditer(low):
        share = float(table[match.group(1)])
        start, bound = _bound(low, match.start(), language)
        begin, stop = _range(share, 0.5, bound)
        found.append(Quantity("%", begin, stop, text[start : match.end()], *match.span()))
    return found


def _base(dimension: str) -> tuple[str, float]:
    head, mark, rest = dimension.partition("/")
    measures = claim_words(ENGLISH).table("measures")
    unit, factor = measures.get(head, f"{head} 1").rsplit(" ", 1)
    return unit + mark + rest, float(factor)


@cache
def _bounds(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = claim_words(language)
    keys = ("at_least", "at_most", "more_than", "less_than", "about")
    return tuple((key, re.compile(rf"(?<!\w)(?:{alternatives(words.listed(key))})\s{{0,2}}$")) for key in keys)


@cache
def _multiplier(language: str) -> re.Pattern[str]:
    return re.compile(rf"\s?({alternatives(claim_words(language).table('multipliers'))})(?!\w)")


@cache
def _fraction(language: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)({alternatives(claim_words(language).table('fractions'))})(?=\s(?:of|the|der|des|all)\s)"
    )
