"""MCP over standard input and output: one process, one user, one client; it ends when the client closes the pipe."""

import logging
import sys
import threading
import uuid
from typing import Any

import anyio

from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.mcp.server import build_server
from brain_retrieval.home import Home

WARM_AFTER = 0.2  # seconds after the first message, so that loading does not delay its answer


def serve_stdio(home: Home, user: str, *, read_only: bool, forgets: bool = False) -> None:
    """Serve one client until it closes standard input; `forgets` offers memory_forget.

    While serving, everything else that is written to standard output goes to standard error.

    Raises:
        InvalidUserError: if the user id is malformed.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    memory = UserMemory(home, user, session=f"mcp-{uuid.uuid4().hex[:12]}")
    asked = threading.Event()

    def memory_of(_ctx: Any) -> UserMemory:
        if not asked.is_set():
            asked.set()
            timer = threading.Timer(WARM_AFTER, memory.warm_up, kwargs={"writes": not read_only})
            timer.daemon = True
            timer.start()
        return memory

    server = build_server(memory_of, writes=not read_only, forgets=forgets)
    try:
        anyio.run(server.run_stdio_async)
    finally:
        memory.close()
