"""The command `why`. It prints what `Brain.why` returns."""

import json
from typing import Annotated

import typer
from rich.console import Console

from brain_retrieval.home import default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(why))


def why(
    asked: Annotated[
        str, typer.Argument(metavar="ID", help="Any id, uri, “uri [first:last]”, address, hash or name that was shown.")
    ],
    user: UserOption,
    depth: Annotated[int, typer.Option("--depth", min=0, max=20, help="Levels below it.")] = 8,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Things listed at each level.")] = 5,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what something is made of, down to its bytes and how they arrived, and what depends on it."""
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        found = brain.why(asked, depth=depth, limit=limit)
    if as_json:
        typer.echo(json.dumps({"user": user, **found.to_json()}, ensure_ascii=False, indent=2))
    else:
        from brain_retrieval.serve.why_print import print_why

        print_why(found, Console(highlight=False))
