"""The command `brain init`: a directory with the settings and the Dagster configuration of a new home."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.templates import PLACES, read_template
from brain_retrieval.serve.cli import JsonOption, answers_errors


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(init))


def init(
    directory: Annotated[Path, typer.Argument(help="The home to set up; made if it does not exist.")],
    as_json: JsonOption = False,
) -> None:
    """Write brain.toml, workspace.yaml and dagster_home/ into a new home. Files that exist stay as they are."""
    home = directory.expanduser().resolve()
    written, kept = set_up(home)
    if as_json:
        typer.echo(json.dumps({"home": str(home), "written": written, "kept": kept}, indent=2))
        return
    console = Console(highlight=False)
    for name in written:
        console.print(f"wrote {escape(str(home / name))}", soft_wrap=True)
    for name in kept:
        console.print(f"kept {escape(str(home / name))}", soft_wrap=True)
    console.print(
        f"Next: [bold]export BRAIN_HOME={escape(str(home))} DAGSTER_HOME={escape(str(home / 'dagster_home'))}[/], then "
        f"[bold]brain ingest FILES --user NAME[/] or [bold]brain up[/]",
        soft_wrap=True,
    )


def set_up(home: Path) -> tuple[list[str], list[str]]:
    """Write the templates that a home lacks; return the paths written and those that were there already."""
    written: list[str] = []
    kept: list[str] = []
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for template, place in PLACES.items():
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            kept.append(place)
            continue
        path.touch(mode=0o600)  # it may hold passwords
        path.write_text(read_template(template), "utf-8")
        written.append(place)
    return written, kept
