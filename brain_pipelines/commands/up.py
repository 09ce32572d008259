"""The command `brain up`: Dagster's web server, daemon and code server over one home, each restarted if it ends."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from brain_pipelines.commands.cells.parts import (
    CODE_SERVER,
    LOCATION,
    LOOPBACK,
    PATIENT_BACKFILLS,
    address_of,
    build_parts,
    code_part,
    page_parts,
    servers_of_cells,
)
from brain_pipelines.commands.supervisor import Supervisor, read_state
from brain_retrieval.errors import BrainError, InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import JsonOption, answers_errors


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
    code_server: Annotated[
        str,
        typer.Option(
            "--code-server",
            metavar="HOST:PORT",
            help="Only the code server, there: one of several cells.",
        ),
    ] = "",
    cells: Annotated[
        bool, typer.Option("--cells", help="Web server and daemon over all cells of `brain cells list`.")
    ] = False,
    show_status: Annotated[bool, typer.Option("--status", help="Show what runs, and stop.")] = False,
    reload: Annotated[bool, typer.Option("--reload", help="Restart the code server: new settings, new code.")] = False,
    home: Annotated[Path | None, typer.Option("--home", envvar="BRAIN_HOME", help="Home directory.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run Dagster's UI, sensors and schedules over a home until Ctrl-C; a part that ends is started again."""
    from brain_pipelines.ingest.instance_folder import dagster_home
    from brain_pipelines.orchestration.days.reload import folder_of
    from brain_retrieval.settings import load_settings

    path = Home((home or default_home()).expanduser().resolve()).path
    if cells and reload:
        raise InvalidQueryError("each cell restarts its own code server: `brain up --reload` where it runs")
    instance = dagster_home(path)
    settings = load_settings(path)
    folder = folder_of(instance, "cells" if cells else settings.cells.name)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    console = Console(stderr=True, highlight=False)
    if show_status or reload:
        _of_running(folder, console, reload=reload, as_json=as_json)
        return
    with _only_one(folder):
        environment = {**os.environ, "BRAIN_HOME": str(path), "DAGSTER_HOME": str(instance)}
        environment |= PATIENT_BACKFILLS | {"DAGSTER_DISABLE_TELEMETRY": "yes", "PYTHONUNBUFFERED": "1"}
        if code_server:
            parts = [code_part(*address_of(code_server), settings.cells.name or LOCATION)]
        elif cells:
            parts = [*page_parts(folder, servers_of_cells(settings.cells), host=host, port=port)]
        else:
            parts = build_parts(folder, host=host, port=port, name=settings.cells.name or LOCATION)
        supervisor = Supervisor(parts, folder, environment, lambda line: console.print(line, soft_wrap=True))
        what = f"Code server of {path}: {code_server}" if code_server else f"Dagster over {path}: http://{host}:{port}"
        console.print(f"{what} (logs in {folder}). Ctrl-C stops it.", soft_wrap=True)
        with _signals_of(supervisor, console):
            supervisor.run()
    console.print("Stopped. What was not finished goes on with the next start.")


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
    """Stop at SIGINT and SIGTERM, restart the code server, if there is one, at SIGHUP."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        console.print("Stopping…")
        supervisor.stop()

    def restart(_number: int, _frame: FrameType | None) -> None:
        if any(part.name == CODE_SERVER for part in supervisor.parts):  # --cells has none
            console.print("The code server is restarted; runs go on.")
            supervisor.restart(CODE_SERVER)

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
