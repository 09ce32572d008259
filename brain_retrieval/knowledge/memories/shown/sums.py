"""Amounts of money among the values of a memory."""

import re
from collections.abc import Mapping
from functools import cache

from brain_retrieval.language.lexicon import SHARED

LARGE = 1000  # more than one spends or gets every day, in any currency
_MONEY = re.compile(r"[A-Z]{3}(?:/\w{1,20})?(?: limit)?")
_RATE = re.compile(r"[A-Z]{3}/(?P<period>\w{1,20})")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,2})?")
_SUM, _YEAR = re.compile(r"[1-9]\d{2,8}(?:\.\d{1,2})?"), re.compile(r"(?:19|20)\d\d")

Value = Mapping[str, str]


def is_money(dimension: str) -> bool:
    """Return whether a dimension is a currency, alone, for a time or a thing, or as a limit: "EUR", "EUR/month"."""
    return _MONEY.fullmatch(dimension) is not None


def is_sum(value: Value) -> bool:
    """Return whether a value is an amount of money, or a number that may be one without its currency, but no year."""
    if is_money(value["dimension"]):
        return True
    number = value["value"]
    return value["dimension"] == "number" and _SUM.fullmatch(number) is not None and not _YEAR.fullmatch(number)


def is_large(value: Value) -> bool:
    """Return whether a value is an amount of money of LARGE or more."""
    counted = is_money(value["dimension"]) and _NUMBER.fullmatch(value["value"]) is not None
    return counted and float(value["value"]) >= LARGE


def is_paid_again(value: Value) -> bool:
    """Return whether a value is an amount of money for a time: "EUR/month"."""
    rate = _RATE.fullmatch(value["dimension"])
    return rate is not None and rate["period"] in _periods()


@cache
def _periods() -> frozenset[str]:
    return SHARED.every_language("matters").words("periods")
