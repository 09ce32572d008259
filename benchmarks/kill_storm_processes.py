"""The processes of the kill storm: `brain up`, `brain serve`, commands, and PostgreSQL, which are started again."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import forkserver, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from brain_pipelines.commands.cells import parts
from brain_pipelines.commands.supervisor import read_state
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.behind import not_done
from brain_pipelines.orchestration.workers.opening import is_quiet
from brain_pipelines.server.keys import Keys
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from tests.servers.neo4j_launch import ServerError
from tests.servers.postgres import start

USERS = ("alice", "bob")
SERVER_SECONDS = 120.0  # for PostgreSQL to take connections
POSTGRES = "process of PostgreSQL"
CODE_SERVER = f"up: {parts.CODE_SERVER}"
FOLLOWER = "follower of a log"  # Dagster copies the output of a run with `tail`
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["benchmarks.kill_storm_imports"])


def run_command(arguments: list[str], log: str) -> None:
    """Run `brain` with arguments in this forked process, its output in a file."""
    from brain_pipelines.commands.entry import main

    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["brain", *arguments]
    main()


class Processes:
    """`brain up`, `brain serve` and commands over a home; everything ends with the block."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.database = Database(folder / "postgres") if (folder / "postgres").is_dir() else None
        self.port, self.page = parts.free_port(), parts.free_port()
        self.keys: dict[str, str] = {}
        self.commands: dict[int, str] = {}
        self.up: subprocess.Popen[bytes] | None = None
        self.server: BaseProcess | None = None
        self.left: list[str] = []  # processes that outlived `brain up`, after the block

    def __enter__(self) -> "Processes":
        self.keys = {user: Keys(self.home).create(user, ("read", "write"))[0] for user in USERS}
        self.revive()
        return self

    def __exit__(self, *error: object) -> None:
        del error
        if self.up is not None:
            self.up.send_signal(signal.SIGINT)
            self.up.wait(90)
        if self.server is not None:
            self.server.kill()
            self.server.join()
        others = [one for one in self._found() if one[1] != POSTGRES]
        self.left = [what for _, what in others]
        for pid, _ in others:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def revive(self) -> None:
        """Start `brain up`, `brain serve` and PostgreSQL if they have ended, as systemd would."""
        if self.database is not None:
            self.database.revive()
        if self.up is None or self.up.poll() is not None:
            command = [sys.executable, "-m", "brain_pipelines.commands.entry", "up", "--port", str(self.page)]
            with (self.folder / "up.log").open("ab") as log:
                self.up = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        if self.server is None or not self.server.is_alive():
            self.server = self._fork(["serve", "--port", str(self.port)])

    def _fork(self, arguments: list[str]) -> BaseProcess:
        process = FORKS.Process(target=run_command, args=(arguments, str(self.folder / "commands.log")))
        process.start()
        self.commands[process.pid or 0] = arguments[0]
        return process

    def command(self, arguments: list[str]) -> int:
        """Run a command of `brain`; return its exit code, negative if it was killed."""
        process = self._fork(arguments)
        process.join()
        self.commands.pop(process.pid or 0, None)
        return process.exitcode or 0

    def running(self) -> list[tuple[int, str]]:
        """Return (pid, kind) of every process of the home that works, without this one and what it forks from."""
        return [one for one in self._found() if one[1] != FOLLOWER]

    def _found(self) -> list[tuple[int, str]]:
        mark = f"BRAIN_HOME={self.home.path}\0".encode()
        parents = _parents()
        state = read_state(self.home.path / "dagster_home" / "up").get("parts", {})
        named = {part["pid"]: f"up: {name}" for name, part in state.items() if part["pid"]} | self.commands
        if self.up is not None and self.up.poll() is None:
            named[self.up.pid] = "up: supervisor"
        server = self._postgres()
        kept_alive = {os.getpid(), forkserver._forkserver._forkserver_pid}  # pyright: ignore  # it has no public name
        found = []
        for pid in parents:
            try:
                belongs = mark in Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if pid in kept_alive or not command or "resource_tracker" in command:
                continue
            if pid == server or parents[pid] == server:
                found += [(pid, POSTGRES)] * (pid != server)
                continue
            if pid in named:
                found.append((pid, named[pid]))
            elif named.get(parents[pid]) == CODE_SERVER and "multiprocessing.forkserver" in command:
                found.append((pid, "process that runs are forked from"))
            elif belongs or parents[pid] in named:
                found.append((pid, _kind(command)))
        return found

    def _postgres(self) -> int:
        """Return the process of the PostgreSQL server, which restarts its others; -1 if there is none."""
        try:
            return int((self.folder / "postgres" / "data" / "postmaster.pid").read_text().split("\n")[0])
        except OSError:
            return -1

    def settle(self, seconds: float) -> str:
        """Let `brain up` alone work until no run goes on or waits and no day is open; say what is left at the end."""
        began, quiet = time.monotonic(), 0
        runs = days = -1  # not known
        while quiet < 3 and time.monotonic() - began < seconds:
            self.revive()
            time.sleep(5)
            with suppress(Exception):  # PostgreSQL may be starting, a store may be locked
                runs, days = self._unfinished(), sum(self._open_days(user) for user in USERS)
                quiet = 0 if runs or days else quiet + 1
        took = time.monotonic() - began
        return f"`brain up` alone: {runs} runs and {days} days left after {took:.0f} s of at most {seconds:.0f}"

    def _unfinished(self) -> int:
        from dagster import DagsterRunStatus, RunsFilter

        from brain_pipelines.ingest.local_runs import open_instance

        ended = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
        with open_instance(self.home.path) as instance:
            return instance.get_runs_count(RunsFilter(statuses=[one for one in DagsterRunStatus if one not in ended]))

    def _open_days(self, user: str) -> int:
        """Return how many days of a user are not done; 1 more if files have not landed."""
        space = self.home.space(user)
        with open_landing(space, load_settings(self.home.path)) as landing, Catalog(space) as catalog:
            return len(not_done(landing, catalog)) + (not is_quiet(space))


class Database:
    """The PostgreSQL server of a storm. A kill of its startup process ends it as a whole."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.starts, self.away = folder, 0, 0.0

    def is_up(self) -> bool:
        """Return whether it takes connections; address and password are in the environment, as Dagster has them."""
        import psycopg2

        try:
            psycopg2.connect(connect_timeout=2).close()
        except psycopg2.OperationalError:
            return False
        return True

    def revive(self) -> None:
        """Start the server if it has ended."""
        try:
            pid = int((self.folder / "data" / "postmaster.pid").read_text().split("\n")[0])
            os.kill(pid, 0)
        except (OSError, ValueError):
            self.starts += 1
            with suppress(ServerError):
                start(self.folder, int(os.environ["PGPORT"]))

    def wait(self) -> None:
        """Wait until it takes connections, so that the next kill does not fall into its absence.

        Raises:
            SystemExit: after two minutes.
        """
        began = time.monotonic()
        while not self.is_up():
            if time.monotonic() - began > SERVER_SECONDS:
                raise SystemExit(f"PostgreSQL takes no connections; see {self.folder / 'log'}")
            self.revive()
            time.sleep(0.5)
        self.away += time.monotonic() - began


def _kind(command: str) -> str:
    if command.startswith("tail ") or "watch_orphans" in command:
        return FOLLOWER
    return "worker of a run" if "multiprocessing.forkserver" in command else "reader"


def _parents() -> dict[int, int]:
    """Return the parent of each process."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                fields: list[Any] = (entry / "stat").read_text().rpartition(")")[2].split()
                found[int(entry.name)] = int(fields[1])
    return found
