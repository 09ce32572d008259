"""A process that stays for some minutes after a command in a terminal, and answers the next ones of the same home.

    python -m brain_pipelines.commands.shell.resident HOME MINUTES

`warm.py` starts it for a command that reads, and has it run that command too: the libraries and the model are loaded
once, and the next command finds them loaded. It listens where `brain serve` would, to its owner alone, and reads only.
It ends after MINUTES without a command; when a command comes that it would answer differently than a process of its
own (other files of Brain, another environment); when something is forgotten, since it has read it; when `brain serve`
starts; and when the home or the socket is gone.
"""

import fcntl
import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from brain_pipelines.commands.shell.warm import same_answers
from brain_pipelines.server.sockets.owner import (
    MOST_BYTES,
    MOST_PATH,
    SECONDS,
    framed,
    is_owner,
    listening_at,
    received,
    remove,
)
from brain_retrieval.home import SERVE_SOCKET

LOOK_SECONDS = 5.0  # between two looks whether the socket is still there
WAITING = 16  # commands that wait while one is answered
COLLECT_AFTER = 50_000  # allocations between two collections of garbage, instead of 700
END_REQUESTS = ("end", "drop_remembered")  # of `brain serve` that starts, of forgetting


class Resident:
    """Answers commands of one home, one after the other."""

    def __init__(self, home: Path, seconds: float) -> None:
        self._home, self._seconds = home, seconds
        self._same = same_answers()
        self._loaded = False

    def run(self) -> None:
        """Listen until it is to end. Nothing happens if another process listens already, or the socket cannot be."""
        path = self._home / SERVE_SOCKET
        if (listening := _claimed(path)) is None:
            return
        inode = path.stat().st_ino
        try:
            self._listen(listening, path, inode)
        finally:
            remove(path, inode)
            listening.close()

    def _listen(self, listening: socket.socket, path: Path, inode: int) -> None:
        listening.settimeout(LOOK_SECONDS)
        last = time.monotonic()
        while time.monotonic() < last + self._seconds and _is_there(path, inode):
            try:
                one, _ = listening.accept()
            except TimeoutError:
                continue
            with one:
                goes_on = self._answered(one)
            if not goes_on:
                return
            last = time.monotonic()

    def _answered(self, one: socket.socket) -> bool:
        """Answer one request; return whether to go on."""
        value: Mapping[str, Any] = {"declined": True}
        goes_on = True
        try:
            one.settimeout(SECONDS)
            if is_owner(one):
                asked = json.loads(received(one, most=MOST_BYTES))
                value, goes_on = self._answer(asked)
            one.sendall(framed(json.dumps(value).encode("utf-8", "replace")))
        except (OSError, ValueError):
            pass  # the command runs by itself
        self._keep_loaded()
        return goes_on

    def _answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
        if asked.get("home") != str(self._home):
            return {"declined": True}, True
        if any(asked.get(name) for name in END_REQUESTS):
            return {"ended": True}, False
        if asked.get("same") != self._same:
            return {"declined": True}, False
        try:
            from brain_pipelines.commands.app import main
            from brain_pipelines.commands.shell.running import run_command

            return run_command(main, asked), True
        except Exception:  # the command shows it when it runs by itself
            return {"declined": True}, False

    def _keep_loaded(self) -> None:
        """Let the collection of garbage pass over what the first command has loaded."""
        if not self._loaded:
            self._loaded = True
            gc.collect()
            gc.freeze()


def _claimed(path: Path) -> socket.socket | None:
    """Return a socket that listens there; None if another process does, or if it cannot be.

    Two commands that start at once may each start a process: the lock lets one of them look and listen first.
    """
    if len(os.fsencode(path)) > MOST_PATH:
        return None
    try:
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with suppress(OSError), socket.socket(socket.AF_UNIX) as other:
            other.settimeout(SECONDS)
            other.connect(str(path))
            return None
        made = listening_at(path)
        made.listen(WAITING)
        return made
    except OSError:
        return None
    finally:
        os.close(folder)


def _is_there(path: Path, inode: int) -> bool:
    try:
        return path.stat().st_ino == inode
    except OSError:
        return False


def _end(*_: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal that started it
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    Resident(Path(sys.argv[1]), 60.0 * float(sys.argv[2])).run()
