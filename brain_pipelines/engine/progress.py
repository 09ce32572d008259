"""Telling whoever waits how far a stage is. Assets report here; the command line listens and draws a bar.

The default listener does nothing, so runs launched by the daemon pay nothing. One listener per process: runs of
one process are executed one after the other.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """`done` of `total` units of one stage of one source and user."""

    source: str
    stage: str
    user: str
    done: int
    total: int
    unit: str


Listener = Callable[[Step], None]
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send every step to `listener` while the block runs."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def report(step: Step) -> None:
    """Tell all listeners."""
    for listener in _listeners:
        listener(step)
