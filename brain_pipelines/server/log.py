"""The log: one JSON object a line on standard error, without texts, queries, names of files or secrets.

A thread writes it: where standard error is a pipe that is read slowly, or not at all, lines are dropped and counted,
and requests are answered none the less.
"""

import json
import queue
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

FRAMES = 5
MOST_WAITING = 10_000  # lines
_lines: queue.Queue[str] = queue.Queue(MOST_WAITING)
_lock = threading.Lock()
_state = {"dropped": 0, "started": 0}


def log(event: str, **fields: Any) -> None:
    """Write one line."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    try:
        _lines.put_nowait(json.dumps({"at": at, "event": event, **fields}))
    except queue.Full:
        _state["dropped"] += 1
    with _lock:
        if not _state["started"]:
            _state["started"] = 1
            threading.Thread(target=_write, name="log", daemon=True).start()


def flush(seconds: float = 2.0) -> None:
    """Wait until the lines so far are written, or for some time."""
    end = time.monotonic() + seconds
    while _lines.unfinished_tasks and time.monotonic() < end:
        time.sleep(0.005)


def _write() -> None:
    while True:
        line = _lines.get()
        try:
            dropped, _state["dropped"] = _state["dropped"], 0
            more = f'{{"event": "log", "dropped": {dropped}}}\n' if dropped else ""
            sys.stderr.write(f"{more}{line}\n")
            sys.stderr.flush()
        except (OSError, ValueError):  # it was closed
            continue
        finally:
            _lines.task_done()


def log_request(scope: Mapping[str, Any], *, status: int, milliseconds: float, received: int) -> None:
    """Write the line of an answered request: its route as a template, because a path may contain a name."""
    route = getattr(scope.get("route"), "path", None) or ("/mcp" if scope["path"].startswith("/mcp") else "none")
    caller = scope["state"].get("caller")
    log(
        "request",
        id=scope["state"].get("request_id"),
        method=scope["method"],
        route=route,
        status=status,
        ms=round(milliseconds, 1),
        received=received,
        user=caller.user if caller else None,
        key=caller.key_id if caller else None,
    )


def log_failure(scope: Mapping[str, Any], error: BaseException) -> None:
    """Write the type of an unexpected error and where it happened; its message may contain text of a source."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    places = [
        f"{frame.filename.rpartition('site-packages/')[2].split('/brain_')[-1]}:{frame.lineno}" for frame in frames
    ]
    log("failure", id=scope.get("state", {}).get("request_id"), error=type(error).__name__, at_lines=places)
