"""The command `brain up`: Dagster's web server, daemon and code server over one home, each restarted if it ends."""

import fcntl
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from brain_pipelines.commands.supervisor import Part, Supervisor, read_state
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import JsonOption, answers_errors

DEFINITIONS = "brain_pipelines.definitions"
LOOPBACK = "127.0.0.1"


class AlreadyUpError(BrainError):
    """Another `brain up` supervises this Dagster instance."""


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(up))


def up(
    port: Annotated[int, typer.Option("--port", help="Port of the web server.", min=1, max=65_535)] = 3000,
    host: Annotated[
        str, typer.Option("--host", help="Address of the web server, which asks for no password.")
    ] = LOOPBACK,
    show_status: Annotated[bool, typer.Option("--status", help="Show what runs, and stop.")] = False,
    reload: Annotated[bool, typer.Option("--reload", help="Restart the code server: new settings, new code.")] = False,
    home: Annotated[Path | None, typer.Option("--home", envvar="BRAIN_HOME", help="Home directory.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run Dagster's UI, sensors and schedules over a home until Ctrl-C; a part that ends is started again."""
    from brain_pipelines.ingest.local_runs import dagster_home

    path = Home((home or default_home()).expanduser().resolve()).path
    instance = dagster_home(path)
    folder = instance / "up"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    console = Console(stderr=True, highlight=False)
    if show_status or reload:
        _of_running(folder, console, reload=reload, as_json=as_json)
        return
    with _only_one(folder):
        code_port = _code_port(folder)
        environment = {**os.environ, "BRAIN_HOME": str(path), "DAGSTER_HOME": str(instance)}
        environment |= {"DAGSTER_DISABLE_TELEMETRY": "yes", "PYTHONUNBUFFERED": "1"}
        parts = build_parts(folder, host=host, port=port, code_port=code_port)
        supervisor = Supervisor(parts, folder, environment, lambda line: console.print(line, soft_wrap=True))
        console.print(f"Dagster over {path}: http://{host}:{port} (logs in {folder}). Ctrl-C stops it.", soft_wrap=True)
        with _signals_of(supervisor, console):
            supervisor.run()
    console.print("Stopped. What was not finished goes on with the next start.")


def build_parts(folder: Path, *, host: str, port: int, code_port: int) -> list[Part]:
    """Return the parts in the order in which they start, and write the workspace that names the code server."""
    workspace = folder / "workspace.yaml"
    # The name of the location is that of workspace.yaml: switches and positions of sensors are stored under it.
    server = {"host": LOOPBACK, "port": code_port, "location_name": "brain"}
    workspace.write_text(json.dumps({"load_from": [{"grpc_server": server}]}), "utf-8")

    def serves_code() -> bool:
        # A daemon that starts before would give up the retries of runs that were lost with the machine.
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((LOOPBACK, code_port)) == 0

    quiet = [sys.executable, "-W", "ignore", "-m"]
    code = ["dagster", "api", "grpc", "--module-name", DEFINITIONS, "--host", LOOPBACK, "--port", str(code_port)]
    return [
        Part("code-server", [*quiet, *code, "--location-name", "brain"]),
        Part(
            "webserver", [*quiet, "dagster_webserver", "-w", str(workspace), "-h", host, "-p", str(port)], serves_code
        ),
        Part("daemon", [*quiet, "dagster._daemon", "run", "-w", str(workspace)], serves_code),
    ]


def _code_port(folder: Path) -> int:
    """Return the port of the last code server if it is free, else any: runs remember where their server was."""
    try:
        (location,) = json.loads((folder / "workspace.yaml").read_text("utf-8"))["load_from"]
        return free_port(location["grpc_server"]["port"])
    except (OSError, ValueError, KeyError):
        return free_port()


def free_port(wanted: int = 0) -> int:
    """Return `wanted`, or any port of the loopback interface for 0, if no process listens there.

    Raises:
        OSError: if one does.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((LOOPBACK, wanted))
        return probe.getsockname()[1]


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyUpError(f"already running, process {read_state(folder).get('pid')}: {folder}") from None
        yield


@contextmanager
def _signals_of(supervisor: Supervisor, console: Console) -> Iterator[None]:
    """Stop at SIGINT and SIGTERM, restart the code server at SIGHUP."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        console.print("Stopping…")
        supervisor.stop()

    def restart(_number: int, _frame: FrameType | None) -> None:
        console.print("The code server is restarted; runs go on.")
        supervisor.restart("code-server")

    handlers = {signal.SIGINT: stop, signal.SIGTERM: stop, signal.SIGHUP: restart}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _of_running(folder: Path, console: Console, *, reload: bool, as_json: bool) -> None:
    """Show the state of a running supervisor, or have it restart its code server."""
    try:
        with _only_one(folder):
            state = {}
    except AlreadyUpError:
        state = read_state(folder)
    if reload and state:
        os.kill(state["pid"], signal.SIGHUP)
    if as_json:
        typer.echo(json.dumps({"running": bool(state), **state}, indent=2))
    elif not state:
        console.print("Not running.")
    else:
        for name, part in state["parts"].items():
            began = part["since"] and time.time() - datetime.fromisoformat(part["since"]).timestamp()
            line = f"runs for {began:.0f} s, process {part['pid']}" if part["pid"] else "is being started"
            console.print(f"{name}: {line}, restarts {part['restarts']}, log {part['log']}", soft_wrap=True)
    if not state:
        raise typer.Exit(1)
