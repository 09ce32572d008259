"""Interruption of a command: Ctrl-C and SIGTERM end it at once, with one line that reports the progress so far.

While a run executes, Dagster installs its own signal handlers and turns the first signal into the failure of one step.
`watch_signals` therefore uses the interpreter's wakeup file descriptor, which receives every signal number regardless
of the installed handler. When the run ends, Dagster gives SIGTERM the handler of SIGINT; where SIGINT is ignored, as in
a background job of a shell, this process and all that it starts could no longer be terminated. `watch_signals` puts
the handler back.
"""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ARRIVED = threading.Event()


class InterruptedCommandError(KeyboardInterrupt):
    """A command was stopped by a signal; the message says what is done and how to finish the rest.

    A subclass of KeyboardInterrupt, so that no `except Exception` on the way treats it as a failure and continues.
    """


@contextmanager
def watch_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether SIGINT or SIGTERM arrived since; always False outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    receiver, sender = socket.socketpair()
    with receiver, sender:
        receiver.setblocking(False)
        sender.setblocking(False)
        before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        on_sigterm = signal.getsignal(signal.SIGTERM)
        try:
            yield lambda: _has_interrupt(receiver)
        finally:
            signal.set_wakeup_fd(before)
            if on_sigterm is not None:  # None: a handler that was not installed from Python
                signal.signal(signal.SIGTERM, on_sigterm)


def _has_interrupt(receiver: socket.socket) -> bool:
    try:
        return any(number in SIGNALS for number in receiver.recv(4096))
    except BlockingIOError:
        return False


@contextmanager
def on_interrupt(message: Callable[[], str]) -> Iterator[None]:
    """Convert a KeyboardInterrupt in the block into InterruptedCommandError; `message` is called only then."""
    try:
        yield
    except InterruptedCommandError:
        raise
    except KeyboardInterrupt:
        raise InterruptedCommandError(message()) from None


def was_interrupted() -> bool:
    """Return whether SIGINT or SIGTERM has arrived since the command began.

    The exception of a signal is lost if it arrives while Python runs a finaliser, so whoever is about to begin a long
    step asks.
    """
    return _ARRIVED.is_set()


def _note_and_raise(number: int, frame: FrameType | None) -> None:
    _ARRIVED.set()
    signal.default_int_handler(number, frame)


def handles_sigterm(command: Callable[..., None]) -> Callable[..., None]:
    """Return `command` with SIGTERM handled like Ctrl-C while it runs, unless the process already handles it."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            command(*arguments, **options)
            return
        _ARRIVED.clear()
        before = {number: signal.signal(number, _note_and_raise) for number in SIGNALS}
        try:
            command(*arguments, **options)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            _ARRIVED.clear()

    return run
