"""Real processes for tests, mostly to be killed: forked from a server that has imported what they need once."""

import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess

_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.victim_imports"])


def start(target: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a process that calls a function of a module; it sees the environment of the first process started so."""
    process = _FORKS.Process(target=target, args=arguments)
    process.start()
    return process


def run_until_killed(target: Callable[..., None], *arguments: object, timeout: float = 600) -> None:
    """Call a function of a module in another process; fail unless that process dies of SIGKILL."""
    process = start(target, *arguments)
    process.join(timeout)
    if process.is_alive():
        process.terminate()
    assert process.exitcode == -signal.SIGKILL, f"exit code {process.exitcode}: its traceback is in the error stream"
