"""The commands `brain keys create|list|revoke`: keys with which applications ask `brain serve` as a user."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

app = typer.Typer(no_args_is_help=True)


@app.command()
@answers_errors
def create(
    user: UserOption,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="read, write, forget or admin; may be repeated (default: read)."),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="What it is for.")] = "",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and show it; it is stored as a hash and cannot be shown again."""
    from brain_pipelines.server.keys import Keys

    key, stored = Keys(_home(home)).create(user, tuple(scope or ["read"]), label)
    if as_json:
        typer.echo(json.dumps({"key": key, "user": user, **stored.to_json()}, ensure_ascii=False, indent=2))
        return
    typer.echo(key)
    scopes = ", ".join(stored.scopes)
    typer.echo(f"key {stored.key_id} of {user} ({scopes}); it is not shown again", err=True)


@app.command("list")
@answers_errors
def list_keys(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the keys of a user, without their secrets."""
    from brain_pipelines.server.keys import Keys

    where = _home(home)
    where.existing_space(user)
    found = [one.to_json() for one in Keys(where).list(user)]
    if as_json:
        typer.echo(json.dumps({"user": user, "keys": found}, ensure_ascii=False, indent=2))
        return
    for stored in Keys(where).list(user):
        line = f"{stored.key_id}  {stored.created_at[:10]}  {', '.join(stored.scopes)}  {stored.label}"
        Console(highlight=False).print(escape(line), soft_wrap=True)
    if not found:
        typer.echo(f"no keys; `brain keys create --user {user}` makes one", err=True)


@app.command()
@answers_errors
def revoke(
    key_id: Annotated[str, typer.Argument(help="Id of the key, as `brain keys list` shows it.")],
    user: UserOption,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Revoke a key; a running server refuses it from the next request on."""
    from brain_pipelines.server.keys import Keys

    Keys(_home(home)).revoke(user, key_id)
    typer.echo(json.dumps({"user": user, "revoked": key_id}) if as_json else f"revoked {key_id}")


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())
