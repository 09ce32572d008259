"""The commands `brain cells list|add|remove|assign|move|serve`: homes on several machines, and who lives in which."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

if TYPE_CHECKING:
    from brain_retrieval.stores.cells import CellDirectory

app = typer.Typer(no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="Name of the cell: a–z, 0–9 and '_'.")]


@app.command("list")
@answers_errors
def list_cells(
    users: Annotated[bool, typer.Option("--users", help="Also who lives in each.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the cells, and how many users live in each."""
    with _directory(home) as directory:
        counts = directory.counts()
        found = directory.cells()
        living = {cell.name: directory.users(cell.name) for cell in found} if users else {}
    if as_json:
        rows = [
            {
                "name": cell.name,
                "users": counts[cell.name],
                "open": cell.open,
                "home": cell.home,
                "code": cell.code,
                "url": cell.url,
                **({"living": living[cell.name]} if users else {}),
            }
            for cell in found
        ]
        typer.echo(json.dumps({"cells": rows}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("cell", "users", "code server", "brain serve", "home"):
        table.add_column(column, justify="right" if column == "users" else "left", overflow="fold")
    for cell in found:
        name = cell.name if cell.open else f"{cell.name} (closed)"
        table.add_row(name, str(counts[cell.name]), cell.code or "-", cell.url or "-", cell.home or "-")
        for user in living.get(cell.name, ()):
            table.add_row(f"  {user}", "", "", "", "")
    console = Console(highlight=False)
    if found:
        console.print(table)
    else:
        typer.echo("no cells yet; `brain cells add NAME` in each home makes it one", err=True)


@app.command()
@answers_errors
def add(
    name: NameArgument,
    code: Annotated[str, typer.Option("--code", metavar="HOST:PORT", help="Where its code server is reached.")] = "",
    url: Annotated[str, typer.Option("--url", help="Where its `brain serve` is reached.")] = "",
    at: Annotated[str, typer.Option("--at", help="Its home, as a path on its machine.")] = "",
    closed: Annotated[bool, typer.Option("--closed", help="It takes no new users.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a cell, or change what is known of it: what is not given stays."""
    from brain_pipelines.commands.cells.parts import address_of
    from brain_retrieval.stores.cells import Cell, check_cell_name

    check_cell_name(name)
    if code:
        address_of(code)
    with _directory(home) as directory:
        known = next((cell for cell in directory.cells() if cell.name == name), Cell(name))
        cell = Cell(name, at or known.home, code or known.code, url.rstrip("/") or known.url, open=not closed)
        directory.add(cell)
    _say({"cell": name, "open": cell.open}, f"cell {name} is {'open' if cell.open else 'closed'}", as_json=as_json)


@app.command()
@answers_errors
def remove(name: NameArgument, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Remove a cell in which no user lives; its home stays as it is."""
    with _directory(home) as directory:
        directory.remove(name)
    _say({"removed": name}, f"removed {name}", as_json=as_json)


@app.command()
@answers_errors
def assign(
    user: UserOption,
    cell: Annotated[
        str, typer.Option("--cell", help="Where a new user shall live (default: the cell with the fewest users).")
    ] = "",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say in which cell a user lives who has no data yet, or whose home has just become a cell; no data is moved."""
    with _directory(home) as directory:
        place = directory.claim(user, cell or directory.emptiest().name)
        where = directory.cell(place.cell)
    found = {"user": user, "cell": where.name, "url": where.url, "home": where.home}
    _say(found, f"{user} lives in {where.name}" + (f", {where.url}" if where.url else ""), as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def move(
    user: UserOption,
    to: Annotated[str, typer.Option("--to", metavar="CELL", help="The cell, whose home is on this machine.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move a user from this home to another cell, as `brain move` does; interrupted, the same command goes on."""
    from brain_pipelines.commands.backups.moving import move as move_to
    from brain_retrieval.errors import CellError

    with _directory(home) as directory:
        cell = directory.cell(to)
    if not cell.home or not Path(cell.home).is_dir():
        raise CellError(f"the home of cell {to!r} is not on this machine; docs/cells.md says how to move a user there")
    move_to(user, to=Path(cell.home), home=home, as_json=as_json)


@app.command()
@answers_errors
def arrived(
    user: UserOption,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that a user lives in this cell now, after `brain backup restore` brought the data from another machine."""
    from brain_retrieval.settings import load_settings

    where = _home(home)
    Home(where).existing_space(user)
    name = load_settings(where).cells.name
    with _directory(home) as directory:
        place = directory.place(user)
        if place is None or place.cell != name:
            directory.assign(user, name, seen=place.version if place else None)
    _say({"user": user, "cell": name}, f"{user} lives in {name}", as_json=as_json)


@app.command()
@answers_errors
def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="Port.")] = 8764,
    home: HomeOption = None,
) -> None:
    """Pass each HTTP request on to the `brain serve` of the cell in which the user of its key lives."""
    from brain_pipelines.server.cells.router import serve as run
    from brain_retrieval.settings import load_settings

    run(load_settings(_home(home)), host=host, port=port)


@contextmanager
def _directory(home: Path | None) -> "Iterator[CellDirectory]":
    from brain_retrieval.settings import load_settings
    from brain_retrieval.stores.cells import CellDirectory

    directory = CellDirectory(load_settings(_home(home)).cells)
    try:
        yield directory
    finally:
        directory.close()


def _home(home: Path | None) -> Path:
    return (home or default_home()).expanduser().resolve()


def _say(found: Mapping[str, object], line: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(found) if as_json else line)
