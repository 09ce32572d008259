"""The commands `brain confirm-deletions` and `brain restore`; see `ingest/deletions.py`."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    app.command(name="confirm-deletions")(answers_errors(handles_sigterm(confirm_deletions)))
    app.command()(answers_errors(handles_sigterm(restore)))


def confirm_deletions(
    user: UserOption,
    yes: Annotated[bool, typer.Option("--yes", help="Delete what waits; otherwise it is only listed.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the deletions that wait because so many files are missing from the inbox; --yes carries them out."""
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.deletions import confirm, list_waiting

    where = Home(((home or default_home()).expanduser()).resolve())
    waiting = list_waiting(where, user)
    console = Console(highlight=False)
    if not yes:
        if as_json:
            typer.echo(json.dumps({"waiting": [one.to_json() for one in waiting]}, ensure_ascii=False, indent=2))
            return
        for one in waiting[:SHOWN]:
            console.print(f"{escape(one.uri)} missing since {one.since[:16]}", soft_wrap=True)
        if len(waiting) > SHOWN:
            console.print(f"… and {len(waiting) - SHOWN} more; --json lists all")
        ends = f"; without it they are deleted from {min(one.until for one in waiting)[:10]} on" if waiting else ""
        console.print(f"{len(waiting)} deletions wait" + (f"; --yes deletes{ends}" if waiting else ""), soft_wrap=True)
        return
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        deleted, report = confirm(where, user, [one.uri for one in waiting], bars=bars)
    if as_json:
        typer.echo(json.dumps({"deleted": deleted, **report.to_json()}, ensure_ascii=False, indent=2))
    else:
        back = f", {len(report.skipped)} are in the inbox again" if report.skipped else ""
        console.print(f"{len(deleted)} files deleted{back}; `brain restore` brings one back while its bytes are kept")
        for run in report.runs:
            if not run["success"]:
                console.print(f"[red]run failed[/] {escape(run['error'])}", soft_wrap=True)
    if not report.success:
        raise typer.Exit(1)


def restore(
    user: UserOption,
    sources: Annotated[
        list[str] | None, typer.Argument(help="Uris, paths below the inbox or source ids of deleted sources.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All files whose deletion waits.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring deleted sources back, with the times at which they were received; without a name: list what can be."""
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.deletions import restorable
    from brain_pipelines.ingest.deletions import restore as bring_back

    if everything and sources:
        raise InvalidQueryError("give either names or --all")
    where = Home(((home or default_home()).expanduser()).resolve())
    if not sources and not everything:
        rows = [{"uri": one.uri, "removed_at": one.removed_at} for one in restorable(where, user)]
        if as_json:
            typer.echo(json.dumps({"restorable": rows}, ensure_ascii=False, indent=2))
            return
        for row in rows:
            Console(highlight=False).print(f"{escape(row['uri'])} deleted {row['removed_at'][:16]}", soft_wrap=True)
        Console(highlight=False).print(f"{len(rows)} deleted sources can be restored")
        return
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        report = bring_back(where, user, sources or [], bars=bars)
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        report.print(Console())
    if not report.success:
        raise typer.Exit(1)
