"""The commands `brain export` and `brain import`; see `landing/archive/`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings

EvenForgotten = Annotated[bool, typer.Option("--even-forgotten", help="Also a user that was forgotten here since.")]


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    app.command(name="export")(answers_errors(handles_sigterm(export)))
    app.command(name="import")(answers_errors(handles_sigterm(import_)))


def export(
    file: Annotated[Path, typer.Argument(help="Archive to write: NAME.tar.zst or NAME.tar.gz.", dir_okay=False)],
    user: UserOption,
    derived: Annotated[
        bool, typer.Option("--derived", help="With lake, index and snapshots, which can be computed again.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write all that cannot be computed again of a user into one archive. It is not encrypted."""
    from brain_pipelines.ingest.console import working
    from brain_pipelines.landing.archive.writing import export_user

    where = Home(((home or default_home()).expanduser()).resolve())
    settings = load_settings(where.path)
    with working(f"writing {file.name}", quiet=as_json):
        manifest = export_user(where.existing_space(user), settings, file, derived=derived)
    total = sum(one.bytes for one in manifest.files)
    done = {"user": user, "file": str(file), "files": len(manifest.files), "bytes": total, "size": file.stat().st_size}
    if as_json:
        typer.echo(json.dumps(done, ensure_ascii=False, indent=2))
    else:
        text = f"{done['files']:,} files, {total / 1e6:.1f} MB, in {escape(str(file))} ({done['size'] / 1e6:.1f} MB)"
        Console(highlight=False).print(text, soft_wrap=True)


def import_(
    file: Annotated[Path, typer.Argument(help="Archive made by `brain export`.", exists=True, dir_okay=False)],
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="Id of the new user (default: that of the archive).")
    ] = None,
    even_forgotten: EvenForgotten = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a user from an archive; a user that has data is never overwritten."""
    from brain_pipelines.engine.healing import queue_everything
    from brain_pipelines.ingest.console import working
    from brain_pipelines.knowledge.forgetting.receipts import receipts
    from brain_pipelines.landing.archive.importing import import_user
    from brain_pipelines.landing.landing import open_landing

    where = Home(((home or default_home()).expanduser()).resolve())
    settings = load_settings(where.path)

    def forgotten(name: str) -> str | None:
        found = [] if even_forgotten else [one["done_at"] for one in receipts(where, name) if one["kind"] == "user"]
        return max(found, default=None)

    with working(f"reading {file.name}", quiet=as_json):
        done = import_user(where, settings, file, user=user, forgotten=forgotten)
        with open_landing(where.space(done.user), settings) as landing:
            queue_everything(landing)
    if as_json:
        typer.echo(json.dumps(done.to_json(), ensure_ascii=False, indent=2))
        return
    console = Console(highlight=False)
    console.print(
        f"{done.files:,} files, {done.items:,} items, {done.bytes / 1e6:.1f} MB; `brain rerun --user {done.user}`"
        " computes what is derived",
        soft_wrap=True,
    )
    if done.forgotten:
        console.print(f"{done.forgotten} were forgotten here and left out")
    if done.settings:
        console.print(f"added to brain.toml: {escape(', '.join(done.settings))}")
    for note in done.notes:
        console.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
