"""The command `brain nightly`: build the snapshot of a day now. The Dagster job `nightly` runs the stages."""

import json
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.interrupts import handles_sigterm, on_interrupt
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, Space, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_pipelines.ingest.local_runs import RunOutcome
    from brain_retrieval.settings import Settings

# The tables whose rows a reader meets, and what one and several are called.
COUNTED = {
    "known_entities": ("entity", "entities"),
    "known_facts": ("relation", "relations"),
    "notes": ("note", "notes"),
    "storylines": ("storyline", "storylines"),
    "topics": ("topic", "topics"),
}


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(handles_sigterm(nightly)))


def nightly(
    user: UserOption,
    day: Annotated[str | None, typer.Option("--day", help="The knowledge day, YYYY-MM-DD (default: today).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Recompute unchanged data too.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build the snapshot of a day: entities, facts, storylines, salience and graph as known at its end."""
    where = _home(home)
    where.existing_space(user)
    report = run_snapshot(
        where,
        user,
        None if day is None else _day(day, load_settings(where.path)),
        force=force,
        console=Console(stderr=True, quiet=as_json),
    )
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        print_snapshot(report, Console(highlight=False))
    if not report["success"]:
        raise typer.Exit(1)


def run_snapshot(
    home: Home, user: str, day: str | None = None, *, force: bool = False, console: Console | None = None
) -> dict[str, Any]:
    """Run the consolidation job of a user for a day (default: today); return the `brain nightly --json` document.

    If nothing has changed there is no run, except of a user who has or had golden questions: each run asks them again,
    and says in Dagster that there are none any more.
    """
    from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
    from brain_pipelines.knowledge.run_snapshot import is_current
    from brain_retrieval.serve.evaluation.golden_file import find_golden
    from brain_retrieval.serve.evaluation.history import past

    settings, space = load_settings(home.path), home.space(user)
    chosen = day or datetime.now(settings.zone).date().isoformat()
    asked = find_golden(space) is not None or past(space)
    if not force and not asked and is_current(SNAPSHOT_STAGES, space, chosen, settings=settings):
        return _report(home, user, chosen, None)
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.local_runs import launch, open_instance  # Dagster takes a second to load
    from brain_pipelines.landing.run_planning import SpanRequest
    from brain_pipelines.orchestration.snapshot_assets import NIGHTLY

    request = SpanRequest(user, NIGHTLY, chosen, chosen, (chosen,), "nightly")
    stopped = f"interrupted: the snapshot of {chosen} is not finished; run the same command again to finish it"
    with on_interrupt(lambda: stopped), progress_bars(console or Console(quiet=True)) as bars:
        bars.total(f"snapshot of {chosen}", len(SNAPSHOT_STAGES))
        with open_instance(home.path) as instance:
            [outcome] = launch(home, instance, [request], force=force)
    return _report(home, user, chosen, outcome)


def _report(home: Home, user: str, day: str, outcome: "RunOutcome | None") -> dict[str, Any]:
    """Return the document of a run, or of none because the snapshot is as it would be."""
    from brain_pipelines.knowledge.snapshot_gate import blocked
    from brain_retrieval.stores.snapshots import SnapshotStore

    store = SnapshotStore(home.space(user))
    if outcome is None:
        report = {"user": user, "day": day, "success": True, "run_id": "", "error": ""}
    else:
        stopped = "" if outcome.success else blocked(store, day)
        report = {"user": user, "day": day, "success": outcome.success, "run_id": outcome.run_id}
        report["error"] = f"{stopped}; readers keep what they had" if stopped else outcome.error
    rows = {name: table.rows for name, table in sorted(store.manifest(day).items())} if day in store.days() else {}
    golden = _golden(home.space(user), day)
    return {**report, "rows": rows, "golden": golden, "quality": store.read_stage(day, "quality", "quality").to_dicts()}


def _golden(space: Space, day: str) -> dict[str, Any] | None:
    """Return the measures of the user's golden questions on a day; {} if they could not be asked, None without any."""
    from brain_retrieval.serve.evaluation.golden_file import find_golden
    from brain_retrieval.serve.evaluation.history import past

    return None if find_golden(space) is None else dict(past(space).get(day, {}))


def print_snapshot(report: dict[str, Any], output: Console) -> None:
    """Print what the snapshot holds and which checks of its quality failed; `--json` has all counts and values."""
    done = "done" if report["run_id"] else "up to date"
    state = done if report["success"] else "[red]failed[/]"
    sizes = ((report["rows"].get(table, 0), names) for table, names in COUNTED.items())
    counts = ", ".join(f"{count:,} {one if count == 1 else many}" for count, (one, many) in sizes if count)
    output.print(f"snapshot of {report['day']}: {state}; {counts or 'nothing is known yet'}", soft_wrap=True)
    failed = [row for row in report["quality"] if not row["passed"]]
    for row in failed:
        name = row["metric"].replace("_", " ")
        output.print(f"  [yellow]{name}: {row['value']:.3f}[/], at most {row['limit']:g} is expected", soft_wrap=True)
    if report["quality"] and not failed:
        output.print("  all checks of its quality passed")
    if report["golden"] is not None:
        output.print(f"  golden questions: {_verdict(report['golden'], report['user'])}", soft_wrap=True)
    if report["error"]:
        output.print(f"[red]error:[/] {escape(report['error'])}", soft_wrap=True)


def _verdict(golden: dict[str, Any], user: str) -> str:
    if not golden:
        return f"[red]not asked[/]; `brain eval --user {user}` shows the reason"
    recall, least = golden["recall_all"], golden["least_recall"]
    mark = "[green]ok[/]" if recall >= least else f"[red]too low[/]; `brain eval --user {user}` shows which"
    return f"recall {recall:.3f} (at least {least:g}) {mark}"


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())


def _day(text: str, settings: "Settings") -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InvalidQueryError(f"--day: {text!r:.40} is not a day like 2026-01-31") from None
    today = datetime.now(settings.zone).date()
    if not settings.first_day <= day <= today:  # readers use the newest snapshot, so a future one would hide today's
        raise InvalidQueryError(f"--day: {day} is not between the first day, {settings.first_day}, and today, {today}")
    return day.isoformat()
