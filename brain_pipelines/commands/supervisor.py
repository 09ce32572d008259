"""Supervision of Dagster's parts as processes of their own: code server, web server and daemon.

A part that ends is started again, at once at first and then with growing pauses; the others go on. A run goes on when
its code server ends (`run_workers.py`). The parts end with the supervisor, also when it is killed. This module does not
import Dagster: it stays small and starts in a moment.
"""

import ctypes
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before a part is started again
STEADY = 60.0  # a part that ran so long begins again with the first pause
STOP_SECONDS = 20.0
LOG_BYTES, LOG_FILES = 5_000_000, 2
_TO_PARENT_DEATH = 1  # PR_SET_PDEATHSIG


@dataclass
class Part:
    """A process to keep alive. It is started once `needs` holds."""

    name: str
    command: Sequence[str]
    needs: Callable[[], bool] = lambda: True
    process: subprocess.Popen[bytes] | None = None
    since: float = 0.0  # monotonic
    began: str = ""
    pause: float = FIRST_PAUSE
    due: float = 0.0  # monotonic time of the next start
    restarts: int = 0


@dataclass
class Supervisor:
    """Keeps parts alive until `stop` is called.

    Args:
        folder: for the logs of the parts and `up.json`, their state.
        say: shows a line to the operator.
    """

    parts: list[Part]
    folder: Path
    environment: Mapping[str, str]
    say: Callable[[str], None]
    _stopping: threading.Event = field(default_factory=threading.Event)
    _readers: list[threading.Thread] = field(default_factory=list)

    def run(self) -> None:
        """Start all parts and keep them alive; return when they have ended after `stop`."""
        try:
            while not self._stopping.is_set():
                self.step()
                self._stopping.wait(0.2)
        finally:
            self._end()

    def step(self) -> None:
        """Start what is due, and note what has ended."""
        now = time.monotonic()
        for part in self.parts:
            if part.process is not None:
                code = part.process.poll()
                if code is None:
                    continue
                self._note_end(part, code, now)
            if now >= part.due and part.needs():
                self._start(part)

    def stop(self) -> None:
        """Ask `run` to end all parts and to return."""
        self._stopping.set()

    def restart(self, name: str) -> None:
        """End one part; `run` starts it again. Processes that it has started go on."""
        part = next(part for part in self.parts if part.name == name)
        if part.process is not None:
            part.process.terminate()
            try:
                part.process.wait(3)
            except subprocess.TimeoutExpired:
                part.process.kill()

    def _start(self, part: Part) -> None:
        part.process = subprocess.Popen(
            list(part.command),
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in the terminal reaches the supervisor only
            preexec_fn=_end_with_parent,  # one system call; it needs no lock of this process
        )
        part.since, part.began = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        reader = threading.Thread(target=self._copy, args=(part.name, part.process), daemon=True)
        reader.start()
        self._readers = [*(one for one in self._readers if one.is_alive()), reader]
        self._write_state()

    def _note_end(self, part: Part, code: int, now: float) -> None:
        part.pause = FIRST_PAUSE if now - part.since >= STEADY else min(part.pause * 2, LONGEST_PAUSE)
        part.due = now + part.pause
        part.restarts += 1
        self.say(f"{part.name} {_how_it_ended(code)}; it starts again in {part.pause:g} s")
        part.process = None
        self._write_state()

    def _end(self) -> None:
        """End the parts in reverse order, each with the processes that it has started."""
        for part in reversed(self.parts):
            if part.process is None:
                continue
            _signal_group(part.process.pid, signal.SIGTERM)
            try:
                part.process.wait(STOP_SECONDS)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                _signal_group(part.process.pid, signal.SIGKILL)
                part.process.wait()
            part.process = None
        self._write_state()

    def _copy(self, name: str, process: "subprocess.Popen[bytes]") -> None:
        log = log_file(self.folder, name)
        for line in process.stdout or ():
            log.emit(logging.makeLogRecord({"msg": line.decode("utf-8", "replace").rstrip()}))
        log.close()

    def _write_state(self) -> None:
        state = {
            "pid": os.getpid(),
            "parts": {
                part.name: {
                    "pid": part.process.pid if part.process else None,
                    "since": part.began if part.process else None,
                    "restarts": part.restarts,
                    "log": str(self.folder / f"{part.name}.log"),
                }
                for part in self.parts
            },
        }
        new = self.folder / "up.json.new"
        new.write_text(json.dumps(state, indent=2), "utf-8")
        new.replace(self.folder / "up.json")


def log_file(folder: Path, name: str) -> RotatingFileHandler:
    """Return the log of a part, which takes at most LOG_FILES + 1 times LOG_BYTES."""
    return RotatingFileHandler(folder / f"{name}.log", maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")


def read_state(folder: Path) -> dict[str, Any]:
    """Return what the supervisor wrote last; {} if there is none."""
    try:
        return json.loads((folder / "up.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)  # each part leads a session of its own


def _end_with_parent() -> None:
    if _PRCTL is not None:
        _PRCTL(_TO_PARENT_DEATH, signal.SIGTERM, 0, 0, 0)


_PRCTL = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
