"""PostgreSQL, Redis and S3 of a cluster of workers: killed with `kill -9` and started again, as a supervisor would."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import sqlalchemy as sa

from tests.pipelines.workers.cluster import Cluster, children_of
from tests.servers import postgres, redis
from tests.servers.neo4j_launch import ServerError

START_SECONDS = 60.0
PROGRAMS = {"redis": ("redis-server", "valkey-server"), "s3": ("versitygw",)}


@dataclass
class Servers:
    """The servers of a cluster. Those that were started again end with `close`."""

    found: Cluster
    again: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill(self, kind: str, away: float) -> None:
        """Kill "postgres", "redis" or "s3", and start it again after `away` seconds, with what is on its disk.

        Raises:
            ServerError: it does not run, or does not start again.
        """
        if kind == "postgres":
            self._postgres(away)
            return
        process = self._process(kind)
        command, folder, environment = process.cmdline(), process.cwd(), process.environ()
        process.kill()
        process.wait(START_SECONDS)
        time.sleep(away)
        if kind == "redis":  # it changes its own command line
            self.again.append(redis.start(Path(folder), sa.make_url(os.environ["BRAIN_BROKER"]).port or 0))
            return
        with Path(folder, "log").open("ab") as log:
            self.again.append(subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log))

    def close(self) -> None:
        """End what was started again, but for PostgreSQL, which its own block ends."""
        for process in self.again:
            process.kill()
            process.wait()

    def _process(self, kind: str) -> psutil.Process:
        for pid in children_of(os.getpid()):
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if process.name().startswith(PROGRAMS[kind]) and process.status() != psutil.STATUS_ZOMBIE:
                    return process
        raise ServerError(f"no process of {kind} runs")

    def _postgres(self, away: float) -> None:
        folder = self.found.folder / "postgres"
        server = int(Path(folder, "data", "postmaster.pid").read_text().split("\n")[0])
        for pid in [server, *children_of(server)]:  # the server first, which would start the others again
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(away)
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                postgres.start(folder, int(os.environ["PGPORT"]))
                return
            except ServerError:  # its shared memory is released when the last of its processes has ended
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)
