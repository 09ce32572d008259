"""Texts that keep a regular expression busy: the repetitions of its parse tree, pumped up and then broken off."""

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

USUAL = "a1 \n\t.-,:\"'<>_é=@/(["
ENDS = ("", "\0", "\n", "!")
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
SINGLE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
FEW = 20  # times that a repetition may be bounded to without being pumped
OFTEN = 20  # times at least that something is pumped: a power of two is seen by then
CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdecimal,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    op.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    op.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    op.CATEGORY_NOT_WORD: lambda char: not char.isalnum() and char != "_",
}


def worst_texts(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """Yield texts of at least about `length` characters for `pattern`, bytes where it wants bytes."""
    wants_bytes = isinstance(pattern.pattern, bytes)
    source = pattern.pattern.decode("latin-1") if wants_bytes else pattern.pattern
    tree = list(parser.parse(source, pattern.flags & ~re.DEBUG & ~(0 if not wants_bytes else re.UNICODE)))
    for before, pump, after in sorted(set(_attacks(tree))):
        count = max(OFTEN, (length - len(before)) // len(pump))
        text = before + pump * count + after
        yield text.encode("latin-1", "ignore") if wants_bytes else text


def _attacks(tree: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what comes before a repetition, what is pumped, and what the text ends with."""
    if not _is_pumped(tree):
        return
    chars = _alphabet(tree)
    chance = random.Random(7)
    for before, body, after in _repeats(tree, "", "", chars, chance):
        pumps = [char for char in chars if len(body) == 1 and body[0][0] in SINGLE and _accepts(body[0], char)]
        pumps = pumps or [example for n in range(4) if (example := _example(body, chars, chance, n % 3))]
        for pump, end in itertools.product(pumps, ENDS):
            yield before, pump, end
            yield "", before + pump, end
            yield before, pump, after[:-1] + end
            yield "", before + pump + after[:-1], end


def _is_pumped(items: Sequence[Any]) -> bool:
    """Return whether something in an expression may be repeated without a small bound."""
    return any((item[0] in REPEATS and item[1][1] > FEW) or any(map(_is_pumped, _parts(item))) for item in items)


def _repeats(
    items: Sequence[Any], before: str, after: str, chars: Sequence[str], chance: random.Random
) -> Iterator[tuple[str, list[Any], str]]:
    """Yield every repetition below `items` with examples of what precedes and what follows it."""
    for place, item in enumerate(items):
        ahead = before + _example(items[:place], chars, chance)
        behind = _example(items[place + 1 :], chars, chance) + after
        if item[0] in REPEATS and item[1][1] > FEW:
            yield ahead, list(item[1][2]), behind
        for part in _parts(item):
            yield from _repeats(part, ahead, behind, chars, chance)


def _parts(item: Any) -> list[list[Any]]:
    """Return the expressions that `item` is made of."""
    code, value = item
    if code in REPEATS:
        return [list(value[2])]
    if code is op.SUBPATTERN:
        return [list(value[3])]
    if code is op.ATOMIC_GROUP:
        return [list(value)]
    if code is op.ASSERT or code is op.ASSERT_NOT:
        return [list(value[1])]
    return [list(branch) for branch in value[1]] if code is op.BRANCH else []


def _example(items: Sequence[Any], chars: Sequence[str], chance: random.Random, more: int = 0) -> str:
    """Return a text that `items` match, or nearly so: what looks around is left out."""
    return "".join(_example_of(item, chars, chance, more) for item in items)


def _example_of(item: Any, chars: Sequence[str], chance: random.Random, more: int) -> str:
    code, value = item
    if code in SINGLE:
        if code is op.LITERAL:
            return chr(value)
        return next((char for char in chance.sample(chars, len(chars)) if _accepts(item, char)), "a")
    if code in REPEATS:
        times = min(value[0] + more, value[1])
        return "".join(_example(list(value[2]), chars, chance, more) for _ in range(times))
    if code is op.ASSERT or code is op.ASSERT_NOT or not (parts := _parts(item)):
        return ""
    return _example(chance.choice(parts), chars, chance, more)


def _alphabet(tree: list[Any]) -> list[str]:
    """Return one character for each set of parts of the expression that match it, the most widely matched first."""
    times = Counter(str(item) for item in _singles(tree))
    singles = list({str(item): item for item in _singles(tree)}.values())
    named = [chr(number) for item in singles for number in _numbers(item)]
    kinds: dict[tuple[bool, ...], str] = {}
    for char in dict.fromkeys([*USUAL, *named]):
        kinds.setdefault(tuple(_accepts(item, char) for item in singles), char)
    weights = [times[str(item)] for item in singles]
    return [char for _, char in sorted(kinds.items(), key=lambda kind: -sum(itertools.compress(weights, kind[0])))]


def _singles(items: Sequence[Any]) -> Iterator[Any]:
    for item in items:
        if item[0] in SINGLE:
            yield item
        for part in _parts(item):
            yield from _singles(part)


def _numbers(item: Any) -> list[int]:
    code, value = item
    if code is op.IN:
        return [number for kind, part in value if kind in (op.LITERAL, op.RANGE) for number in _ends(part)]
    return [value] if code is op.LITERAL else []


def _ends(part: int | tuple[int, int]) -> tuple[int, ...]:
    return part if isinstance(part, tuple) else (part,)


def _accepts(item: Any, char: str) -> bool:
    code, value = item
    if code is op.LITERAL or code is op.NOT_LITERAL:
        return (ord(char) == value) == (code is op.LITERAL)
    if code is op.ANY:
        return char != "\n"
    negated = bool(value) and value[0][0] is op.NEGATE
    return negated != any(_in_set(kind, part, char) for kind, part in value if kind is not op.NEGATE)


def _in_set(kind: Any, part: Any, char: str) -> bool:
    if kind is op.CATEGORY:
        return CATEGORIES[part](char)
    return ord(char) == part if kind is op.LITERAL else part[0] <= ord(char) <= part[1]
