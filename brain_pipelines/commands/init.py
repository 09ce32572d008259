"""The command `brain init`: a directory with the settings and the Dagster configuration of a new home."""

import json
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.templates import PLACES, read_template
from brain_retrieval.home import Home
from brain_retrieval.serve.cli import JsonOption, answers_errors

if TYPE_CHECKING:
    from brain_pipelines.ingest.repartition import Repartitioned


class Partitions(StrEnum):
    """What a partition of a user may be."""

    day = "day"
    month = "month"


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(init))


def init(
    directory: Annotated[Path, typer.Argument(help="The home to set up; made if it does not exist.")],
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since",
            formats=["%Y-%m-%d"],
            help="First day with a partition of its own; older items lie on it. Runs what lies elsewhere then.",
        ),
    ] = None,
    partitions: Annotated[
        Partitions | None,
        typer.Option("--partitions", help="Dagster's partitions: a day or a month of a user. Runs nothing again."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write brain.toml, workspace.yaml and dagster_home/ into a new home. Files that exist stay as they are."""
    home = directory.expanduser().resolve()
    changes = since is not None or partitions is not None
    # A home in use may have its Dagster instance elsewhere; a new dagster_home would take its place.
    written, kept = ([], []) if changes and (home / "users").is_dir() else set_up(home)
    changed = None
    if changes:
        changed = _repartition(home, since.date() if since else None, partitions, quiet=as_json)
    if as_json:
        found = {"home": str(home), "written": written, "kept": kept}
        typer.echo(json.dumps({**found, **(_to_json(changed) if changed else {})}, indent=2))
    else:
        _print(home, written, kept, changed)
    if changed and changed.failed:
        raise typer.Exit(1)


def _repartition(home: Path, since: date | None, unit: Partitions | None, *, quiet: bool) -> "Repartitioned":
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.repartition import repartition

    with progress_bars(Console(quiet=quiet, stderr=True)) as bars:
        return repartition(Home(home), since=since, unit=unit.value if unit else None, bars=bars)


def _to_json(changed: "Repartitioned") -> dict[str, Any]:
    after = changed.after
    return {
        "first_day": after.first_day.isoformat(),
        "partitions": after.unit,
        "partitions_per_asset": after.partitions,
        "partitions_per_asset_before": changed.before.partitions,
        "days_run": changed.days_run,
        "items_before_first_day": changed.clamped,
        "failed_users": changed.failed,
        "reload": changed.reload or None,
    }


def _print_partitions(changed: "Repartitioned", console: Console) -> None:
    before, after = changed.before, changed.after
    console.print(
        f"partitions: {after.users:,} users × {after.spans:,} {after.unit}s since {after.first_day} = "
        f"{after.partitions:,} an asset ({before.partitions:,} before)",
        soft_wrap=True,
    )
    console.print(f"{changed.days_run:,} days ran again; what lies as before was left alone", soft_wrap=True)
    if changed.clamped:
        console.print(f"{changed.clamped:,} older items lie on {after.first_day} and keep their time", soft_wrap=True)
    if changed.failed:
        console.print(f"[red]runs failed[/] of {', '.join(changed.failed)}; `brain status` says why", soft_wrap=True)
    if changed.reload:
        console.print(changed.reload, soft_wrap=True)


def _print(home: Path, written: list[str], kept: list[str], changed: "Repartitioned | None") -> None:
    console = Console(highlight=False)
    for name in written:
        console.print(f"wrote {escape(str(home / name))}", soft_wrap=True)
    for name in kept:
        console.print(f"kept {escape(str(home / name))}", soft_wrap=True)
    if changed:
        _print_partitions(changed, console)
    if not written:
        return
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
