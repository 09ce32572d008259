"""The load of the kill storm: the processes of a home, and clients that send everything until it is acknowledged."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from multiprocessing import forkserver, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks.kill_storm_check import Journal
from brain_pipelines.commands.cells import parts
from brain_pipelines.commands.supervisor import read_state
from brain_pipelines.server.keys import Keys
from brain_retrieval.home import Home

USERS = ("alice", "bob")
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAYS = 12  # that the material is spread over
TEXT = "{who} leads project Phoenix {group}. The door code of house number {number} is {code}."
PEOPLE = ("Priya Raman", "Bob Lee", "Mei Tanaka")
SETTLE_SECONDS = 300.0
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
        """Start `brain up` and `brain serve` if they have ended, as systemd would."""
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

    def settle(self) -> int:
        """Let `brain up` work until no run goes on or waits; return how many still do after some minutes."""
        from dagster import DagsterRunStatus, RunsFilter

        from brain_pipelines.ingest.local_runs import open_instance

        ended = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
        until, quiet, left = time.monotonic() + SETTLE_SECONDS, 0, 0
        with open_instance(self.home.path) as instance:
            while time.monotonic() < until and quiet < 6:
                self.revive()
                time.sleep(5)
                with suppress(Exception):  # PostgreSQL may be starting
                    others = [one for one in DagsterRunStatus if one not in ended]
                    left = instance.get_runs_count(RunsFilter(statuses=others))
                quiet = 0 if left else quiet + 1
        return left


class Load:
    """Clients in threads, until `stop`; what is not acknowledged is sent again."""

    def __init__(self, processes: Processes, journal: Journal, seed: int) -> None:
        self.processes, self.journal = processes, journal
        self.done: Counter[str] = Counter()
        self.again: Counter[str] = Counter()
        self._chance = random.Random(seed + len(journal))
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._number = journal.begin_numbers()
        loops: Sequence[tuple[Callable[[str, int, str], None], float]] = (
            (self._post, 1.5), (self._drop, 4.0), (self._message, 2.0), (self._ingest, 4.0), (self._nightly, 6.0),
        )  # fmt: skip
        self._threads = [threading.Thread(target=self._loop, args=one, daemon=True) for one in loops]

    def start(self) -> None:
        """Start the clients."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let each client finish what it is sending."""
        self._ending.set()
        for thread in self._threads:
            while thread.is_alive():
                self.processes.revive()
                thread.join(1)

    def _loop(self, send: Callable[[str, int, str], None], pause: float) -> None:
        while not self._ending.wait(self._chance.uniform(0, pause)):
            with self._lock:
                self._number += 1
                number = self._number
            user, who = USERS[number % 2], PEOPLE[number % 3]
            text = TEXT.format(who=who, group=number % 5, number=number, code=7000 + number)
            send(user, number, text)
            self.done[send.__name__.strip("_")] += 1

    def _until(self, kind: str, attempt: Callable[[], int]) -> None:
        """Repeat an attempt until its code is 0; count the others by their code, -9 where it was killed."""
        while code := attempt():
            self.again[f"{kind} {code}"] += 1
            time.sleep(0.3)

    def _post(self, user: str, number: int, text: str) -> None:
        body = {"content": text, "at": _time(number).isoformat()}
        headers = {"Authorization": f"Bearer {self.processes.keys[user]}", "Content-Type": "application/json"}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.processes.port}/api/messages",
            json.dumps(body).encode(),
            headers | {"Idempotency-Key": f"storm-{number}"},
        )

        def post() -> int:
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return 0 if answer.status == 200 else answer.status
            except urllib.error.HTTPError as error:
                return error.code
            except OSError:
                return -9  # it is down

        self._until("post", post)
        self.journal.acknowledge(user, str(number), text)

    def _drop(self, user: str, number: int, text: str) -> None:
        name = f"{number // 12}-{number % 2}.md"  # some files are written over by a later version
        text += " It was painted blue." * (number % 4)
        folder = self.processes.home.inbox / user / "note"
        folder.mkdir(parents=True, exist_ok=True)
        new = folder.parent / f".{name}.new"
        new.write_text(text)
        _date(new, number // 12)
        new.replace(folder / name)
        self.journal.acknowledge(user, f"note/{name}", text)

    def _message(self, user: str, number: int, text: str) -> None:
        self._command("message", ["message", text, "--user", user, "--at", _time(number).isoformat()])
        self.journal.acknowledge(user, str(number), text)

    def _ingest(self, user: str, number: int, text: str) -> None:
        file = self.processes.folder / "files" / f"storm-{number}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        _date(file, number)
        self._command("ingest", ["ingest", str(file), "--user", user, "--source", "note"])
        self.journal.acknowledge(user, str(number), text)

    def _nightly(self, user: str, number: int, text: str) -> None:
        del number, text
        self._command("nightly", ["nightly", "--user", user, "--day", datetime.now(UTC).date().isoformat()])

    def _command(self, kind: str, arguments: list[str]) -> None:
        self._until(kind, lambda: self.processes.command(arguments))


def _kind(command: str) -> str:
    if command.startswith("tail ") or "watch_orphans" in command:
        return FOLLOWER
    return "worker of a run" if "multiprocessing.forkserver" in command else "reader"


def _time(number: int) -> datetime:
    return START + timedelta(days=number % DAYS, seconds=number)


def _date(file: Path, number: int) -> None:
    at = _time(number).timestamp()
    os.utime(file, (at, at))


def _parents() -> dict[int, int]:
    """Return the parent of each process."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                fields: list[Any] = (entry / "stat").read_text().rpartition(")")[2].split()
                found[int(entry.name)] = int(fields[1])
    return found
