"""The commands `brain team list` and `brain team request`: team membership, and batch requests for team sources."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from brain_pipelines.ingest.interrupts import handles_sigterm, on_interrupt
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings
from brain_retrieval.teams import teams_of

app = typer.Typer(no_args_is_help=True)


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())


@app.command("list")
@answers_errors
def list_teams(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the teams of a user, and the shared sources that still await extraction for this user."""
    from brain_pipelines.knowledge.team_extraction import pending, wanted_days

    where = _home(home)
    settings = load_settings(where.path)
    waiting = pending(where, user, settings)
    asked = wanted_days(where.space(user), settings)
    rows = [
        {
            "team": team,
            "members": list(settings.teams[team].members),
            "extraction": settings.teams[team].extraction,
            "sources_asked_for": sum(len(day.source_ids) for day in asked if day.team == team),
            "days_pending": sum(day.team == team for day in waiting),
        }
        for team in teams_of(settings, user)
    ]
    if as_json:
        typer.echo(json.dumps({"user": user, "teams": rows}, ensure_ascii=False, indent=2))
        return
    for row in rows:
        Console(highlight=False).print(
            f"[bold]{row['team']}[/]  {', '.join(row['members'])}  {row['extraction']}  "
            f"{row['sources_asked_for']} sources asked for, {row['days_pending']} days pending"
        )
    if not rows:
        Console(stderr=True).print(f"{user} is a member of no team; brain.toml lists members under \\[teams]")


@app.command()
@answers_errors
@handles_sigterm
def request(
    team: Annotated[str, typer.Argument(help="The team whose sources are requested.")],
    user: UserOption,
    source: Annotated[
        str | None,
        typer.Option("--source", "-s", autocompletion=complete.kinds, help="One source type (default: all)."),
    ] = None,
    start: Annotated[str | None, typer.Option("--from", help="First day, YYYY-MM-DD.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Last day, YYYY-MM-DD.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Request a team's sources as a batch and extract everything pending for this user now."""
    from brain_pipelines.ingest.local_runs import launch, open_instance
    from brain_pipelines.knowledge.team_extraction import pending, request_batch
    from brain_pipelines.landing.run_planning import SpanRequest, spans
    from brain_pipelines.orchestration.team_assets import TEAM

    where = _home(home)
    settings = load_settings(where.path)
    new = request_batch(where, user, team, settings, source=source, start=start, end=end)
    due = spans({day.day for day in pending(where, user, settings)})
    requests = [SpanRequest(user, TEAM, span[0], span[-1], tuple(span), "team") for span in due]
    again = "interrupted: run the same command again to extract the rest"
    with on_interrupt(lambda: again), open_instance(where.path) as instance:
        outcomes = list(launch(where, instance, requests))
    failed = [outcome.error for outcome in outcomes if not outcome.success]
    if as_json:
        typer.echo(json.dumps({"new": new, "runs": len(outcomes), "errors": failed}, ensure_ascii=False, indent=2))
    else:
        Console(highlight=False).print(f"{new} sources asked for, {len(outcomes)} runs, {len(failed)} failed")
        for error in failed:
            Console(stderr=True).print(f"[red]error:[/] {error}")
    if failed:
        raise typer.Exit(1)
