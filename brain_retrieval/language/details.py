"""Addresses, codes and numbers by which one is known, as a sentence or an entry states them."""

import re
from functools import cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern

SUBJECT, KEY = "matters", "details"
_DATE = re.compile(r"\[[^\]]{1,40}\]")
_DIGITS = re.compile(r"\d{2}|\d\w?\b")
_LABEL = re.compile(r"[^:.!?]{2,40}:\s")


def states_detail(text: str) -> bool:
    """Return whether a text has a word for such a thing, and digits besides dates in brackets.

    >>> states_detail("The gate code is 4471 now."), states_detail("He has a new address.")
    (True, False)
    """
    return _words().search(lowered(text)) is not None and _DIGITS.search(_DATE.sub("", text)) is not None


def is_entry_of_detail(text: str) -> bool:
    """Return whether a line without a verb states one: "New address: 17 Farm Lane".

    >>> is_entry_of_detail("Door code: 4471"), is_entry_of_detail("Start: 10:30")
    (True, False)
    """
    label = _LABEL.match(text)
    return label is not None and _words().search(lowered(label.group())) is not None and states_detail(text)


@cache
def _words() -> re.Pattern[str]:
    """Return a pattern for the words of all languages."""
    return word_pattern(SHARED.every_language(SUBJECT).listed(KEY))
