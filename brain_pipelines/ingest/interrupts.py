"""Stopping a command in the middle: Ctrl-C and SIGTERM end it at once, with one line that says how far it came.

While a run is executed, Dagster puts its own signal handlers in place and turns the first signal into the failure of
one step. `noticing` therefore asks the interpreter, which writes down every signal that arrives, whoever handles it.
"""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class InterruptedCommandError(KeyboardInterrupt):
    """A command that was stopped by a signal; the message says what is done and how to finish the rest.

    It is a KeyboardInterrupt, so that no `except Exception` on the way takes it for a failure and goes on.
    """


@contextmanager
def noticing() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether SIGINT or SIGTERM came since; always False outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    receiver, sender = socket.socketpair()
    with receiver, sender:
        receiver.setblocking(False)
        sender.setblocking(False)
        before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        try:
            yield lambda: _has_interrupt(receiver)
        finally:
            signal.set_wakeup_fd(before)


def _has_interrupt(receiver: socket.socket) -> bool:
    try:
        return any(number in SIGNALS for number in receiver.recv(4096))
    except BlockingIOError:
        return False


@contextmanager
def explained(message: Callable[[], str]) -> Iterator[None]:
    """Turn an interrupt of the block into one with a message, which is asked for only then."""
    try:
        yield
    except InterruptedCommandError:
        raise
    except KeyboardInterrupt:
        raise InterruptedCommandError(message()) from None


def ends_on_sigterm(command: Callable[..., None]) -> Callable[..., None]:
    """Return `command` with SIGTERM handled like Ctrl-C while it runs, unless the process handles it already."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            command(*arguments, **options)
            return
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            command(*arguments, **options)
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    return run
