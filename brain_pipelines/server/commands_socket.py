"""The socket in the home by which commands of the same home and owner are answered: `<home>/serve.sock`.

A process that has the libraries and the model loaded answers in a fraction of the time of one that starts. The socket
is open to the owner of the process alone. One message each way: four bytes of length, then JSON. A request that this
server would answer differently than a process of its own is declined, and the command then runs as without a server.
"""

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain_pipelines.server.line import Asker
from brain_pipelines.server.log import log, log_failure
from brain_pipelines.server.reading import Task, as_json
from brain_pipelines.server.state import ServerState
from brain_pipelines.server.writer import Place, Write
from brain_pipelines.stages.remembered import REMEMBERED
from brain_retrieval.home import SERVE_SOCKET

MOST_BYTES = 1 << 20  # of a request
MOST_PATH = 100  # bytes of a socket's path that every system takes
SECONDS = 5.0  # until a request has arrived
ASKER = Asker("", "commands")
DECLINED: Mapping[str, Any] = {"declined": True}


@dataclass(frozen=True)
class Commands:
    """How commands are run: `run` gets a request, in a reader; `same` is what a request must equal to be answered."""

    run: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    same: str


class CommandsSocket:
    """Listens from `start` to `stop`, if there are to be readers and no other server of the home does."""

    def __init__(self, server: ServerState, commands: Commands) -> None:
        self._server, self._commands = server, commands
        self.path = server.home.path / SERVE_SOCKET
        self._listening: asyncio.Server | None = None
        self._inode = 0

    async def start(self) -> None:
        """Begin. A failure is logged: commands run without it."""
        if not self._server.readers.wanted or len(os.fsencode(self.path)) > MOST_PATH or await _is_served(self.path):
            return
        try:
            self._listening = await asyncio.start_unix_server(self._answer, sock=_listening_at(self.path))
            self._inode = self.path.stat().st_ino
        except OSError as error:
            log_failure({}, error)

    async def stop(self) -> None:
        """End, and remove the socket if it is still this server's."""
        if self._listening is None:
            return
        self._listening.close()
        with suppress(OSError):
            if self.path.stat().st_ino == self._inode:
                self.path.unlink()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            body = as_json(DECLINED)
            if _is_owner(writer.get_extra_info("socket")):
                async with asyncio.timeout(SECONDS):
                    size = struct.unpack(">I", await reader.readexactly(4))[0]
                    asked = json.loads(await reader.readexactly(size)) if size <= MOST_BYTES else {}
                body = await self._run(asked)
            writer.write(struct.pack(">I", len(body)) + body)
            await writer.drain()
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            pass  # the command runs by itself
        except Exception as error:
            log_failure({}, error)
        finally:
            writer.close()

    async def _run(self, asked: Mapping[str, Any]) -> bytes:
        if asked.get("home") != str(self._server.home.path):
            return as_json(DECLINED)
        if asked.get("drop_remembered"):  # something was forgotten by another process
            REMEMBERED.forget_all()
            if self._server.writer.running():
                job = Write("", drop_remembered, at_once=True)
                await self._server.work.file(lambda: self._server.writer.run(job))
            return as_json({"dropped": True})
        if asked.get("same") != self._commands.same or not self._server.readers.ready:
            return as_json(DECLINED)
        found = await self._server.readers.read(ASKER, Task(self._commands.run, (asked,)))
        if found is None or found.failed:
            return as_json(DECLINED)
        log("command", name=str(asked.get("arguments", [""])[0])[:20])
        return found.body


def drop_remembered(_: Place) -> None:
    """Drop the results that this process keeps of texts."""
    REMEMBERED.forget_all()


def _listening_at(path: Path) -> socket.socket:
    """Return a socket that listens at a path, open to its owner alone; what a killed server left there is replaced."""
    made = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)  # or it would be open to others until its mode is changed
    try:
        path.unlink(missing_ok=True)
        made.bind(str(path))
    except OSError:
        made.close()
        raise
    finally:
        os.umask(before)
    return made


async def _is_served(path: Path) -> bool:
    """Return whether a server listens there already."""
    try:
        _, writer = await asyncio.open_unix_connection(str(path))
    except OSError:
        return False
    writer.close()
    return True


def _is_owner(one: socket.socket) -> bool:
    """Return whether the other end runs as the same owner; where that cannot be asked, the mode decides."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return uid == os.geteuid()
