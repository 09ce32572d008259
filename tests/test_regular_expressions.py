"""No regular expression backtracks catastrophically: each is run on worst-case texts generated for it.

Measured is time, with much room: the square of a text's length is let through, its cube or a power of two is not. A
cube of the long text is 20,000 million steps, a square 12 million. A match that takes too long is broken off by a
timer, so that a bad expression fails instead of hanging.
"""

import math
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.regular_expressions import Found, expressions
from tests.worst_texts import worst_texts

PACKAGES = ("brain_pipelines", "brain_retrieval")
SHORT, LONG = 250, 5_000  # characters
AT_ONCE = 0.0001  # seconds for the short text, with which the long one cannot take long either
TOO_LONG_FOR_SHORT, TOO_LONG = 1.0, 1.0  # seconds of the processor
WORST = 3  # texts of an expression that are tried at full length

EXPONENTIAL = re.compile(rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:html|body)\b", re.S)
CUBIC = re.compile(r"\s*\w*\s*(?:<!\[CDATA\[)?\s*x")
LINEAR = re.compile(r"(?<![.!?])[.!?]++[\"')]*+(?=\s)")


class TooSlowError(Exception):
    """A match has used up its time."""


def _give_up(*_: object) -> None:
    raise TooSlowError


@pytest.fixture(autouse=True)
def timer() -> Iterator[None]:
    before = signal.signal(signal.SIGVTALRM, _give_up)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def seconds(found: Found, text: Any, limit: float) -> float:
    """Return the time that all matches in `text` take, infinity if they take the processor longer than `limit`.

    The clock of the processor moves by whole ticks of four milliseconds while a timer of it runs; on a busy machine
    the other one shows too much at times, and a text more is tried at full length.
    """
    match: Callable[[Any], object] = found.pattern.match
    if not found.anchored:
        match = lambda text: deque(found.pattern.finditer(text), maxlen=0)  # noqa: E731
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    before = time.perf_counter()
    try:
        match(text)
        return time.perf_counter() - before
    except TooSlowError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def slowness(found: Found) -> str:
    """Return with which text an expression takes too long, "" if with none."""
    slow: list[tuple[float, int]] = []
    for number, text in enumerate(worst_texts(found.pattern, SHORT)):
        took = seconds(found, text, TOO_LONG_FOR_SHORT)
        if took == math.inf:
            return f"{found.place} does not come to an end with {text[:60]!r}"
        if took > AT_ONCE:
            slow.append((took, number))
    tried = {number for _, number in sorted(slow)[-WORST:]}
    for number, text in enumerate(worst_texts(found.pattern, LONG) if tried else ()):
        if number in tried and seconds(found, text, TOO_LONG) == math.inf:
            return f"{found.place} takes more than {TOO_LONG} s with {text[:60]!r}"
    return ""


def test_no_regular_expression_backtracks_exponentially() -> None:
    found = expressions(PACKAGES)
    assert len(found) > 200
    assert not [slow for one in found if (slow := slowness(one))]


@pytest.mark.parametrize("pattern", [EXPONENTIAL, CUBIC], ids=["exponential", "cubic"])
def test_a_bad_expression_is_seen(pattern: re.Pattern[Any]) -> None:
    assert slowness(Found(pattern, "here", anchored=False))


def test_a_good_expression_is_let_through() -> None:
    assert not slowness(Found(LINEAR, "here", anchored=False))
