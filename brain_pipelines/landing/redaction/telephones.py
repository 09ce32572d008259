"""Recogniser of telephone numbers: international forms, national forms of ten countries, and numbers beside a word.

phonenumbers holds the numbering plans. A number without a "+" and without a word beside it counts only if it is valid
in one of the plans and grouped as that country writes it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from brain_pipelines.landing.redaction.cues import OTHER, cue_before
from brain_pipelines.landing.redaction.found import Found, digits_of

# Plans in which national numbers are looked up.
REGIONS = ("US", "GB", "DE", "FR", "ES", "IT", "NL", "PT", "BR", "PL", "CH", "AT", "BE", "IE", "SE")
# An expression that begins with a set of characters is searched for many times faster than one that begins with an
# assertion, so assertions on what stands before a number follow its first character.
_EXTENSION = r"(?: ?(?:x|ext\.?) ?\d{1,6})?"
_WORLD = re.compile(
    # many other numbers begin with 00, so require separators or the length of an international number
    rf"[+0](?:(?<=\+)(?<![\w+]\+)(?=[1-9])|(?<=0)(?<![\w+./-]0)0(?=[1-9]\d{{0,2}}[ ()/.\u00a0-]|[1-9]\d{{9}}))"
    rf"\d(?:[ .()\u00a0/-]{{0,2}}\d){{6,14}}{_EXTENSION}(?!\w)"
)
_NORTH_AMERICA = re.compile(
    rf"[(1-9](?<![\w.+-][(1-9])(?:(?<=1)[ .-][(2-9])?"
    rf"(?:(?<=\()[2-9]\d\d\) ?|(?<=[2-9])\d\d([ .-]))[2-9]\d\d(?(1)\1|[ .-])\d{{4}}{_EXTENSION}(?![\w-])"
)
_NATIONAL = re.compile(r"[(\d](?<![\w.,:/+@#-][(\d])(?:[ .()/\u00a0-]{0,3}\d){5,12}(?![\w-])(?![.,:/]\d)")
_ELSE = re.compile(r"\d{1,2}[./ -]\d{1,2}[./ -]\d{2,4}|\d{4}[./ -]\d{1,2}[./ -]\d{1,2}|(?:\d{1,3}\.){3}\d{1,3}")
MIN_DIGITS = 9  # of a number with no word beside it
_MARKS = re.compile(r"[ .()/\u00a0-]+")


def find_phones(text: str) -> Iterator[Found]:
    """Yield the telephone numbers of a text."""
    for match in _WORLD.finditer(text):
        if 8 <= len(digits := digits_of(match[0])) <= 21:
            yield Found(match.start(), match.end(), "PHONE", digits.removeprefix("00"))
    for match in _NORTH_AMERICA.finditer(text):
        yield Found(match.start(), match.end(), "PHONE", digits_of(match[0]))
    for match in _NATIONAL.finditer(text):
        if _is_national(text, match):
            yield Found(match.start(), match.end(), "PHONE", digits_of(match[0]))


def _is_national(text: str, match: re.Match[str]) -> bool:
    value = match[0]
    if _ELSE.fullmatch(value) or value.count("(") != value.count(")"):
        return False
    cue = cue_before(text, match.start())
    if cue is not None and cue.kind == "PHONE":
        return (cue.is_beside and len(digits_of(value)) > 6) or _is_valid(value)
    written = value[0] in "0(" or re.fullmatch(r"\d\d \d{5}-\d{4}", value)
    return (
        bool(written)
        and len(digits_of(value)) >= MIN_DIGITS
        and (cue is None or cue.kind != OTHER)
        and _is_written_so(value)
    )


@lru_cache(maxsize=4096)
def _is_valid(value: str) -> bool:
    """Return whether a number is valid in any of the plans."""
    return any(_parsed(value, region) is not None for region in REGIONS)


@lru_cache(maxsize=4096)
def _is_written_so(value: str) -> bool:
    """Return whether a number is valid in a plan and has the groups of digits that are usual there."""
    groups = _MARKS.sub(" ", value).strip()
    if " " not in groups:
        return False
    import phonenumbers

    for region in REGIONS:
        number = _parsed(value, region)
        if number is not None:
            usual = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL)
            if _MARKS.sub(" ", usual).strip() == groups:
                return True
    return False


def _parsed(value: str, region: str) -> Any | None:
    import phonenumbers  # a sixth of a second to import

    try:
        number = phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return None
    return number if phonenumbers.is_valid_number(number) else None
