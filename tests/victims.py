"""Real processes for tests that kill them, forked from a server that has imported what they need once."""

import signal
from collections.abc import Callable
from multiprocessing import get_context

_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.victim_imports"])


def run_until_killed(target: Callable[..., None], *arguments: object, timeout: float = 120) -> None:
    """Call a function of a module in another process; fail unless that process dies of SIGKILL."""
    process = _FORKS.Process(target=target, args=arguments)
    process.start()
    process.join(timeout)
    if process.is_alive():
        process.terminate()
    assert process.exitcode == -signal.SIGKILL, f"exit code {process.exitcode}: its traceback is in the error stream"
