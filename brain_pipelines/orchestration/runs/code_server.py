"""Dagster's code server, whose runs are forked from a process that has loaded the product already.

    python -m brain_pipelines.orchestration.runs.code_server api grpc --module-name brain_pipelines.definitions …

Dagster starts a new interpreter for each run, which loads Dagster and the product: three CPU seconds, several times an
unchanged month. Here the fork server of `multiprocessing` loads them once; it has one thread of Python, no open store
and no settings, so a run begins with the settings of that moment. The class uses two private names of Dagster (hence
the exact version pin).
"""

import os
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

from dagster._cli import main as dagster_command
from dagster._grpc import server

PRELOADED = "brain_pipelines.orchestration.runs.preloaded"


class RunProcess(ForkServerProcess):
    """The process of a run. It goes on, and is known to, if the process that it was forked from ends."""

    def is_alive(self) -> bool:
        """Return whether the run has not ended; after the fork server has, by the number of the process."""
        if super().is_alive():
            return True
        try:
            return self.exitcode == LOST and self.pid is not None and os.kill(self.pid, 0) is None
        except OSError:
            return False


LOST = 255  # the exit code that `multiprocessing` gives if the fork server cannot say it


class RunContext(ForkServerContext):
    """Where the code server takes queues, events and processes from."""

    Process = RunProcess


class CodeServer(server.DagsterApiServer):
    """Dagster's servicer with processes of ours."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._mp_ctx = RunContext()


def main() -> None:
    """Run the command line of Dagster with this server."""
    forkserver.set_forkserver_preload([PRELOADED])
    forkserver.ensure_running()  # loads beside the definitions, so that the first run need not wait for it
    server.DagsterApiServer = CodeServer
    dagster_command()


if __name__ == "__main__":
    main()
