"""Whether a sentence says who someone is to its speaker: "my boss Greg", "Greg is my boss", "ma sœur, Inès"."""

import re
from collections.abc import Collection
from functools import cache, lru_cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered

_CALLINGS, _POSSESSORS = SHARED.every_language("callings"), SHARED.every_language("possessors")
MOST_BETWEEN = 2  # words between "my" and "boss": "my new lovely boss"


def tells_relation(text: str, names: Collection[str]) -> bool:
    """Return whether a text says who the one of these names is to whoever speaks.

    >>> tells_relation("Our landlord Mr Tremlett wants 1,450.", ["Tremlett"])
    True
    >>> tells_relation("My boss met Greg.", ["Greg"])
    False
    """
    known = tuple(sorted(lowered(name) for name in names if len(name) > 1))
    return bool(known) and _of(known).search(lowered(text)) is not None


def says_who(text: str, names: Collection[str]) -> bool:
    """Return whether a text says who the one of these names is: what someone is called, or that someone is something.

    >>> says_who("Ana, a plumber from Trieste, comes on Monday.", ["Ana"])
    True
    >>> says_who("Please send Ana the invoice.", ["Ana"])
    False
    """
    known = tuple(sorted(lowered(name) for name in names if len(name) > 1))
    return bool(known) and _identifying(known).search(lowered(text)) is not None


@lru_cache(maxsize=256)
def _identifying(names: tuple[str, ...]) -> re.Pattern[str]:
    _, said, led = _words()
    name = rf"(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})"
    called = rf"(?:{_CALLINGS.pattern('callings')})"
    between = rf"[ ,:(]{{1,2}}(?:[\w'-]{{1,20}} |(?:{led})\. ){{0,{MOST_BETWEEN}}}"
    before = rf"(?<!\w)(?:(?:{said}) (?:(?:{led})\.? ){{0,2}}|{called}{between}){name}(?!\w)"
    behind = rf"(?<!\w){name}(?: (?:{said})|{between}{called})(?!\w)"
    return re.compile(f"{before}|{behind}")


@cache
def _words() -> tuple[str, str, str]:
    mine = _POSSESSORS.pattern("mine")
    called = rf"(?:{mine}) (?:[\w-]+ ){{0,{MOST_BETWEEN}}}(?:{_CALLINGS.pattern('callings')})"
    return called, _CALLINGS.pattern("said"), _CALLINGS.pattern("led")


@lru_cache(maxsize=256)
def _of(names: tuple[str, ...]) -> re.Pattern[str]:
    called, said, led = _words()
    name = rf"(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})"
    before = rf"(?<!\w){called}(?:,? (?:(?:{said}) )?|: )(?:(?:{led})\.? ){{0,2}}{name}(?!\w)"
    behind = rf"(?<!\w){name}(?: (?:{said})|,) (?:\w+ )?{called}(?!\w)"
    return re.compile(f"{before}|{behind}")
