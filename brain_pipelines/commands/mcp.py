"""The command `brain mcp`: the memory of one user for an agent, by the Model Context Protocol. See docs/mcp.md.

The entry point runs it without the other commands, whose imports take longer than the answer to `initialize` may.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from brain_retrieval.errors import BrainError
from brain_retrieval.extras import naming_the_extra
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(mcp)


def mcp(
    user: Annotated[
        str, typer.Option("--user", "-u", autocompletion=complete.users, help="User id: 1–40 of a–z, 0–9 and '-'.")
    ],
    home: Annotated[
        Path | None,
        typer.Option("--home", envvar="BRAIN_HOME", help="Home directory (default: BRAIN_HOME, else data/home)."),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tool that writes or fetches.")] = False,
    allow_forget: Annotated[
        bool, typer.Option("--allow-forget", help="Offer memory_forget, which removes a source after a preview.")
    ] = False,
) -> None:
    """Serve a user's memory to an agent over standard input and output (Model Context Protocol)."""
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
    try:
        with naming_the_extra():
            from brain_pipelines.server.mcp.stdio import serve_stdio

        where = Home((home or default_home()).expanduser().resolve())
        serve_stdio(where, user, read_only=read_only, forgets=allow_forget)
    except BrainError as error:
        sys.stderr.write(f"error: {error}\n")
        raise typer.Exit(error.exit_code) from None


def main() -> None:
    """Run `brain mcp` alone."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    register(app)
    sys.argv = [sys.argv[0], *sys.argv[2:]]
    app(prog_name="brain mcp")
