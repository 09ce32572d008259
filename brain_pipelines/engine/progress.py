"""Progress events of stages: assets report them, the command line subscribes and draws a progress bar.

Without a listener (runs launched by the daemon) a report is a no-op. Listeners are global to the process, because the
runs of one process are executed one after the other.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One progress event: `done` of `total` units of one stage of one source and user."""

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
    """Pass a step to all listeners."""
    for listener in _listeners:
        listener(step)
