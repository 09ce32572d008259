"""Asking another process of the same home to answer a command, so that no library and no model is loaded.

That is a running `brain serve`, or in a terminal a process that stays for some minutes (`resident.py`), which is
started if there is none. Only for commands that read, and only if it would print the same: the same files of Brain,
environment and owner. Otherwise, and if anything fails, the command runs in its own process. Nothing but the standard
library and `home.py` is imported here, since that is what it saves.
"""

import hashlib
import json
import os
import socket
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from brain_pipelines.server.sockets.owner import framed, received
from brain_retrieval import __version__
from brain_retrieval.home import READY_MINUTES, SERVE_SOCKET, default_home, project_root

COMMANDS = ("ask", "audit", "context", "entity", "facts", "overview", "relations", "search", "source", "status")
COMMANDS += ("costs", "entities", "sql", "storylines", "why")
RESIDENT = "brain_pipelines.commands.shell.resident"
PACKAGES = ("brain_pipelines", "brain_retrieval")
# What printing depends on. Other variables must be those of the server, or it declines.
TERMINAL = ("COLORTERM", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "LINES", "NO_COLOR", "PY_COLORS", "TERM")
TERMINAL += ("TERMINAL_WIDTH", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
_MEANT = ("BRAIN_", "HF_", "OPENAI_")
_ALSO = ("HOME", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
NOT_STARTED_FOR = frozenset({"status"})  # which loads little
CONNECT_SECONDS, ANSWER_SECONDS = 0.5, 60.0
START_SECONDS, LOOK_SECONDS = 3.0, 0.01
# Read or written in the command's own directory, not text, or not worth it.
BY_ITSELF = ("--image", "--audio", "--csv", "--parquet", "--help")


def answered_by_server(arguments: Sequence[str]) -> int | None:
    """Print what a server answers and return the exit code; None, with nothing printed, if none does."""
    given, home = without_home(arguments)
    if not given or given[0] not in COMMANDS or "-" in given or any(one.startswith(BY_ITSELF) for one in given):
        return None
    try:
        place = (Path(home).expanduser().resolve() if home is not None else default_home().resolve()) / SERVE_SOCKET
        value = _asked(place, given)
    except (OSError, ValueError, RuntimeError):
        return None
    if "code" not in value:
        return None
    for stream, text in value["printed"]:
        (sys.stdout if stream == 1 else sys.stderr).write(text)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing more can be written, also at the exit
        return 1
    return int(value["code"])


def same_answers() -> str:
    """Return a hash of what the answers of a process depend on beside the home: Brain's files and the environment."""
    meant = sorted((name, value) for name, value in os.environ.items() if _is_meant(name.upper()))
    parts = [__version__, str(project_root()), sys.prefix, sys.version, *_newest(), *map(list, meant)]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogateescape")).hexdigest()


def without_home(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the arguments without `--home X`, and X, the last one; None if it is not given."""
    left, home, rest = list[str](), None, iter(arguments)
    for one in rest:
        if one == "--":
            return [*left, one, *rest], home
        if one == "--home":
            home = next(rest, None)
        elif one.startswith("--home="):
            home = one.removeprefix("--home=")
        else:
            left.append(one)
    return left, home


def _asked(place: Path, arguments: Sequence[str]) -> Mapping[str, Any]:
    streams = (sys.stdout, sys.stderr)
    if any(one is None or (one.encoding or "").lower() != "utf-8" for one in streams):
        return {}
    size = _size()
    terminal = {name: os.environ[name] for name in TERMINAL if name in os.environ}
    asked = {
        "home": str(place.parent),
        "same": same_answers(),
        "arguments": list(arguments),
        "terminal": {**terminal, "COLUMNS": str(size.columns), "LINES": str(size.lines)},
        "interactive": [one.isatty() for one in streams],
    }
    body = json.dumps(asked).encode()
    try:
        connected = _connected(place)
    except (FileNotFoundError, ConnectionRefusedError):
        if arguments[0] in NOT_STARTED_FOR or (connected := _started(place)) is None:
            return {}
    with connected as one:
        one.settimeout(ANSWER_SECONDS)
        one.sendall(framed(body))
        return json.loads(received(one))


def _connected(place: Path) -> socket.socket:
    """Return a socket that is connected to a process of this owner.

    Raises:
        OSError: if there is none.
    """
    found = place.stat()
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{SERVE_SOCKET} is not a socket of this owner")
    one = socket.socket(socket.AF_UNIX)
    try:
        one.settimeout(CONNECT_SECONDS)
        one.connect(str(place))
    except OSError:
        one.close()
        raise
    return one


def _started(place: Path) -> socket.socket | None:
    """Start a process that stays and answers, if this is a terminal; return a connection, None if there is none."""
    if not sys.stderr.isatty() or not (minutes := _ready_minutes(place.parent)):
        return None
    import subprocess

    command = [sys.executable, "-m", RESIDENT, str(place.parent), f"{minutes:g}"]
    nothing, beside = subprocess.DEVNULL, str(project_root())
    started = subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=nothing, cwd=beside, start_new_session=True
    )
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        ended = started.poll() is not None  # another process may have been first
        with suppress(FileNotFoundError, ConnectionRefusedError):
            return _connected(place)
        if ended:
            break
        time.sleep(LOOK_SECONDS)
    return None


def _ready_minutes(home: Path) -> float:
    """Return `server.ready_minutes`, read without the library of the settings; 0 if it, or all answering, is off."""
    import tomllib

    given = os.environ.get("BRAIN_SERVER__READY_MINUTES")
    try:
        section = tomllib.loads((home / "brain.toml").read_text("utf-8")).get("server", {})
    except FileNotFoundError:
        section = {}
    answers = os.environ.get("BRAIN_SERVER__ANSWER_COMMANDS", str(section.get("answer_commands", True)))
    if answers.lower() in ("false", "0", "no", "off") or not (home / "users").is_dir():
        return 0.0
    return float(given if given is not None else section.get("ready_minutes", READY_MINUTES))


def _size() -> os.terminal_size:
    """Return the size that the libraries which print would find: the variables, else that of the first terminal."""
    columns, lines = 80, 25
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown") and sys.stdout.isatty()
    for number in () if dumb else (0, 1, 2):
        with suppress(OSError):
            columns, lines = os.get_terminal_size(number)
            break
    named = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    columns, lines = (
        int(name) if name.isdigit() else found for name, found in zip(named, (columns, lines), strict=True)
    )
    return os.terminal_size((columns or 80, lines or 25))


def _is_meant(name: str) -> bool:
    return name != "BRAIN_HOME" and (name.startswith(_MEANT) or name in _ALSO)


def _newest() -> tuple[int, int]:
    """Return how many files the packages have, and when the newest was written: code that has changed since."""
    times = [time for name in PACKAGES for time in _times(str(project_root() / name))]
    return len(times), max(times, default=0)


def _times(folder: str) -> Iterator[int]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _times(entry.path)
            else:
                yield entry.stat().st_mtime_ns
