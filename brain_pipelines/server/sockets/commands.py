"""The socket in the home by which commands of the same home and owner are answered: `<home>/serve.sock`.

A process that has the libraries and the model loaded answers in a fraction of the time of one that starts. The socket
is open to the owner of the process alone. One message each way: four bytes of length, then JSON. A request that this
server would answer differently than a process of its own is declined, and the command then runs as without a server.
"""

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from brain_pipelines.server.line import Asker
from brain_pipelines.server.log import log, log_failure
from brain_pipelines.server.reading import Task, as_json
from brain_pipelines.server.sockets.owner import (
    LENGTH,
    MOST_BYTES,
    MOST_PATH,
    SECONDS,
    framed,
    is_owner,
    listening_at,
    remove,
)
from brain_pipelines.server.state import ServerState
from brain_pipelines.server.writer import Place, Write
from brain_pipelines.stages.remembered import REMEMBERED
from brain_retrieval.home import SERVE_SOCKET

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
        if not self._server.readers.wanted or len(os.fsencode(self.path)) > MOST_PATH or await self._is_served():
            return
        try:
            self._listening = await asyncio.start_unix_server(self._answer, sock=listening_at(self.path))
            self._inode = self.path.stat().st_ino
        except OSError as error:
            log_failure({}, error)

    async def stop(self) -> None:
        """End, and remove the socket if it is still this server's."""
        if self._listening is None:
            return
        self._listening.close()
        remove(self.path, self._inode)

    async def _is_served(self) -> bool:
        """Return whether another server listens there. A process that only stays after a command is asked to end."""
        body = as_json({"home": str(self._server.home.path), "end": True})
        try:
            async with asyncio.timeout(SECONDS):
                reader, writer = await asyncio.open_unix_connection(str(self.path))
                writer.write(framed(body))
                size = LENGTH.unpack(await reader.readexactly(LENGTH.size))[0]
                found = json.loads(await reader.readexactly(size))
                writer.close()
        except TimeoutError:
            return True
        except (OSError, ValueError, asyncio.IncompleteReadError):
            return False
        return not found.get("ended")

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            body = as_json(DECLINED)
            if is_owner(writer.get_extra_info("socket")):
                async with asyncio.timeout(SECONDS):
                    size = LENGTH.unpack(await reader.readexactly(LENGTH.size))[0]
                    asked = json.loads(await reader.readexactly(size)) if size <= MOST_BYTES else {}
                body = await self._run(asked)
            writer.write(framed(body))
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
