"""The command `brain nightly`: work out a night now. The stages are run by the job of the same name."""

import json
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(nightly))


def nightly(
    user: UserOption,
    day: Annotated[str | None, typer.Option("--day", help="The knowledge day, YYYY-MM-DD (default: today).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Compute also what is unchanged.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Work out what is known at the end of a day: entities, facts, storylines, salience, graph."""
    from brain_pipelines.console import progress_bars
    from brain_pipelines.night_stages import NIGHT_STAGES
    from brain_pipelines.nightly import NIGHTLY
    from brain_pipelines.orchestrate import launch, open_instance
    from brain_pipelines.plan import SpanRequest

    where = _home(home)
    settings = load_settings(where.path)
    where.existing_space(user)
    chosen = _day(day) if day else datetime.now(settings.zone).date().isoformat()
    request = SpanRequest(user, NIGHTLY, chosen, chosen, (chosen,), "nightly")
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars, open_instance(where.path) as instance:
        bars.total(f"night of {chosen}", len(NIGHT_STAGES))
        [outcome] = launch(where, instance, [request], force=force)
    report = _report(where, user, chosen, outcome)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print(report)
    if not outcome.success:
        raise typer.Exit(1)


def _report(home: Home, user: str, day: str, outcome: Any) -> dict[str, Any]:
    from brain_retrieval.knowledge.nights import NightStore

    store = NightStore(home.space(user))
    report = {"user": user, "day": day, "success": outcome.success, "run_id": outcome.run_id, "error": outcome.error}
    if day not in store.days():
        return {**report, "rows": {}, "quality": []}
    rows = {name: table.rows for name, table in sorted(store.manifest(day).items())}
    return {**report, "rows": rows, "quality": store.read(day, "quality").to_dicts()}


def _print(report: dict[str, Any]) -> None:
    output = Console(highlight=False)
    state = "done" if report["success"] else "[red]failed[/]"
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report["rows"].items() if count)
    output.print(f"night of {report['day']}: {state}; {counts}", soft_wrap=True)
    for row in report["quality"]:
        mark = "[green]ok[/]" if row["passed"] else "[yellow]high[/]"
        output.print(f"  {row['metric'].replace('_', ' ')}: {row['value']:.3f} (at most {row['limit']:g}) {mark}")
    if report["error"]:
        output.print(f"[red]error:[/] {escape(report['error'])}", soft_wrap=True)


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day like 2026-01-31", param_hint="--day") from None
