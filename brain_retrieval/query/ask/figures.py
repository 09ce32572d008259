"""Numbers of a question that tell what it is about: "since when do we pay 509.80"."""

import re

_FIGURE = re.compile(r"(?<![\w.,:/#-])\d+(?:[.,]\d+)*(?![\w/:-]|[.,]\d)")
_OF_DAY = re.compile(r"\d{1,2}[.]\d{1,2}(?:[.](?:\d{2}){1,2})?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CENTS = re.compile(r"[.,]\d{1,2}$")
_LEAST_DIGITS = 3


def figures_in(text: str) -> frozenset[str]:
    """Return the numbers of three and more digits in a text that are no years or days, without marks between these.

    >>> sorted(figures_in("1,204 pounds, 96.40 and 940.00 in 2025, on 12.5. at 10:30, room 12"))
    ['1204', '940', '9640']
    """
    return frozenset(digits for match in _FIGURE.finditer(text) if (digits := _digits(match.group())))


def _digits(number: str) -> str:
    if _YEAR.fullmatch(number) or _OF_DAY.fullmatch(number) and number.count(".") == 2:
        return ""
    cents = _CENTS.search(number)
    if cents and not cents.group()[1:].strip("0"):
        number = number[: cents.start()]
    digits = re.sub(r"\D", "", number)
    return digits if len(digits) >= _LEAST_DIGITS else ""
