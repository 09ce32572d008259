"""Whether a sentence says who someone is to its speaker: "my boss Greg", "Greg is my boss", "ma sœur, Inès"."""

import re
from collections.abc import Collection, Iterator
from functools import cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered

_CALLINGS, _POSSESSORS = SHARED.every_language("callings"), SHARED.every_language("possessors")
MOST_BETWEEN = 2  # words between "my" and "boss": "my new lovely boss"
_LOOKED_AT = 200  # characters before a name
_Sides = tuple[re.Pattern[str], re.Pattern[str]]  # of what ends where a name begins, and of what begins where it ends


def tells_relation(text: str, names: Collection[str]) -> bool:
    """Return whether a text says who the one of these names is to whoever speaks.

    >>> tells_relation("Our landlord Mr Tremlett wants 1,450.", ["Tremlett"])
    True
    >>> tells_relation("My boss met Greg.", ["Greg"])
    False
    """
    return _is_beside(lowered(text), names, _relations())


def says_who(text: str, names: Collection[str]) -> bool:
    """Return whether a text says who the one of these names is: what someone is called, or that someone is something.

    >>> says_who("Ana, a plumber from Trieste, comes on Monday.", ["Ana"])
    True
    >>> says_who("Please send Ana the invoice.", ["Ana"])
    False
    """
    return _is_beside(lowered(text), names, _callings())


def _is_beside(text: str, names: Collection[str], sides: _Sides) -> bool:
    """Return whether one of the names has one of `sides` next to it.

    The names are no part of the patterns: to compile the words of six languages for each of them takes longer than all
    else that is done for a name.
    """
    before, behind = sides
    return any(
        before.search(text, max(start - _LOOKED_AT, 0), start) is not None or behind.match(text, end) is not None
        for name in {lowered(name) for name in names if len(name) > 1}
        for start, end in _places(text, name)
    )


def _places(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the spans at which a name is in a text as whole words."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (_is_of_word(text[start - 1 : start]) or _is_of_word(text[end : end + 1])):
            yield start, end
        start = text.find(name, start + 1)


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char == "_"


@cache
def _callings() -> _Sides:
    said, led = _CALLINGS.pattern("said"), _CALLINGS.pattern("led")
    called = rf"(?:{_CALLINGS.pattern('callings')})"
    between = rf"[ ,:(]{{1,2}}(?:[\w'-]{{1,20}} |(?:{led})\. ){{0,{MOST_BETWEEN}}}"
    before = rf"(?<!\w)(?:(?:{said}) (?:(?:{led})\.? ){{0,2}}|{called}{between})\Z"
    return re.compile(before), re.compile(rf"(?: (?:{said})|{between}{called})(?!\w)")


@cache
def _relations() -> _Sides:
    said, led = _CALLINGS.pattern("said"), _CALLINGS.pattern("led")
    called = rf"(?:{_POSSESSORS.pattern('mine')}) (?:[\w-]+ ){{0,{MOST_BETWEEN}}}(?:{_CALLINGS.pattern('callings')})"
    before = rf"(?<!\w){called}(?:,? (?:(?:{said}) )?|: )(?:(?:{led})\.? ){{0,2}}\Z"
    return re.compile(before), re.compile(rf"(?: (?:{said})|,) (?:\w+ )?{called}(?!\w)")
