"""The command `brain doctor`: check the stores of users against each other, and compute again what is damaged."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands.backups.reporting import backup_status, print_backup_warning
from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.cli import HomeOption, JsonOption, answers_errors
from brain_retrieval.settings import load_settings

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(handles_sigterm(doctor)))


def doctor(
    user: Annotated[
        str | None, typer.Option("--user", "-u", autocompletion=complete.users, help="One user (default: all).")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only look; change nothing.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check bytes, lake, index and snapshots against each other; compute again what is damaged."""
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.orchestration.doctor import check_up

    where = Home(((home or default_home()).expanduser()).resolve())
    settings = load_settings(where.path)
    spaces = [where.existing_space(user)] if user is not None else [where.space(name) for name in where.users()]
    reports = {}
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        bars.total("checking users", len(spaces))
        for space in spaces:
            reports[space.user] = check_up(space, settings, heal=not check).to_json()
            bars.advance()
    if as_json:
        typer.echo(json.dumps({"users": reports}, ensure_ascii=False, indent=2))
    else:
        console = Console(highlight=False)
        for name, report in reports.items():
            _print(name, report, console, checked_only=check)
            print_backup_warning(backup_status(where.space(name), settings), name, console)
    if any(report["remaining"] for report in reports.values()):
        raise typer.Exit(1)


def _print(user: str, report: dict[str, Any], console: Console, *, checked_only: bool) -> None:
    healed, remaining = report["healed"], report["remaining"]
    state = "sound" if not healed and not remaining else f"{len(healed)} healed, {len(remaining)} remain"
    if checked_only and remaining:
        state = f"{len(remaining)} found, nothing was changed"
    console.print(f"[bold]{escape(user)}[/] {state}, {report['seconds']:.1f} s")
    for colour, mark, findings in (("green", "healed", healed), ("red", "damaged", remaining)):
        for one in findings[:SHOWN]:
            console.print(f"[{colour}]{mark}[/] {escape(one['place'])}: {escape(one['what'])}", soft_wrap=True)
        if len(findings) > SHOWN:
            console.print(f"… and {len(findings) - SHOWN} more; --json lists all")
