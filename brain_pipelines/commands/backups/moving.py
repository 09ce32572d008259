"""The command `brain move`: a user goes to another home."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands.backups.reporting import counting, size
from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_pipelines.landing.offsite.moving import Move
    from brain_retrieval.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(handles_sigterm(move)))


def move(
    user: UserOption,
    to: Annotated[Path | None, typer.Option("--to", help="The other home, on this machine.", file_okay=False)] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Undo a move that was begun and has not arrived.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move a user to another home: a last backup, restored and checked there, then removed here.

    Interrupted, the same command goes on. From its beginning nothing is written here for the user.
    """
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.landing.offsite.moving import cancel_move, move_user
    from brain_pipelines.orchestration.cells.names import Names
    from brain_pipelines.orchestration.forgetting_job import forget_runs

    here = Home(((home or default_home()).expanduser()).resolve())
    if (to is None) != cancel:
        raise InvalidQueryError("name the other home with --to, or --cancel")
    if to is None:
        cancel_move(here, user)
        cancelled = f"the move of {user} is cancelled; nothing has left this home"
        typer.echo(json.dumps({"user": user, "cancelled": True}, indent=2) if as_json else cancelled)
        return
    other = Home(to.expanduser().resolve())
    settings, there = load_settings(here.path), load_settings(other.path)
    with counting("moving", quiet=as_json) as bar:
        moved = move_user(here, other, settings, there, user, report=lambda *step: bar(user, *step))
    _enter_cell(there, user)
    with open_instance(here.path) as instance:  # Dagster here no longer offers the user
        forget_runs(instance, user, Names.of(settings))
    if as_json:
        typer.echo(json.dumps(moved.to_json(), ensure_ascii=False, indent=2))
    else:
        _print(moved, Console(highlight=False))


def _enter_cell(there: "Settings", user: str) -> None:
    """Record that a user lives in the other home, if it is a cell; after the data is there, and repeatable."""
    if not there.cells.name or not there.cells.directory:
        return
    from brain_retrieval.stores.cells import CellDirectory

    directory = CellDirectory(there.cells)
    try:
        place = directory.place(user)
        if place is None or place.cell != there.cells.name:
            directory.assign(user, there.cells.name, seen=place.version if place else None)
    finally:
        directory.close()


def _print(moved: "Move", console: Console) -> None:
    text = f"{moved.files:,} files, {size(moved.bytes)}"
    console.print(f"{moved.user} is in {escape(moved.to)}: {text}", soft_wrap=True)
    for path in moved.left:
        console.print(f"[yellow]not moved[/], came in meanwhile: {escape(path)}", soft_wrap=True)
    for note in moved.notes:
        console.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
