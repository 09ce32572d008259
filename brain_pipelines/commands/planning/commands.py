"""The commands `brain plan` and `brain apply`: what is not up to date and why, and running just that."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, answers_errors

if TYPE_CHECKING:
    from brain_pipelines.commands.planning.costing import Cost
    from brain_pipelines.commands.planning.plan import Group, Plan
    from brain_pipelines.ingest.apply import ApplyReport
    from brain_pipelines.ingest.stale import Stale

AnyUserOption = Annotated[str | None, typer.Option("--user", "-u", help="One user (default: all).")]
StageOption = Annotated[str | None, typer.Option("--stage", help="One stage (default: all).")]


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    app.command("plan")(answers_errors(show_plan))
    app.command("apply")(answers_errors(handles_sigterm(apply_plan)))


def show_plan(user: AnyUserOption = None, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show which days of which stages are not up to date, why, and what running them costs. No model is called."""
    from brain_pipelines.commands.planning.plan import plan

    plans = plan(_home(home), user=user)
    if as_json:
        _print_json({"users": [one.to_json() for one in plans]})
        return
    console = Console(highlight=False)
    if not plans:
        console.print("no users yet; try: brain ingest FILE --user NAME")
    for one in plans:
        print_plan(one, console)


def apply_plan(
    user: AnyUserOption = None, stage: StageOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Run what `brain plan` lists, and nothing else, through Dagster; the same command again continues."""
    from brain_pipelines.ingest.apply import apply
    from brain_pipelines.ingest.console import progress_bars

    where, reports = _home(home), []
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        for name in [user] if user is not None else where.users():
            reports.append(apply(where, user=name, stage=stage, bars=bars))
    if as_json:
        _print_json({"users": [one.to_json() for one in reports]})
    else:
        for one in reports:
            print_applied(one, Console(highlight=False))
    if not all(one.success for one in reports):
        raise typer.Exit(1)


def print_plan(plan: "Plan", console: Console) -> None:
    """Print one table: a line for each stage and reason, with its cost; then the whole."""
    if not plan.groups:
        console.print(f"[bold]{plan.user}[/]: every day is up to date")
    else:
        asks = any(group.cost.requests for group in plan.groups)
        paid = any(group.cost.money is not None for group in plan.groups)
        heads = ("days", "min", *(("calls", "tokens") if asks else ()), *(("money",) if paid else ()))
        table = Table("stage", "why", title=f"[bold]{plan.user}[/]", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for head in heads:
            table.add_column(head, justify="right", no_wrap=True)
        for group in plan.groups:
            table.add_row(group.stage, _why(group), *_figures(len(group.partitions), group.cost, asks=asks, paid=paid))
        console.print(table)
        _print_sum(plan, console)
    if plan.snapshot_due:
        console.print(f"The snapshot is due: it is made tonight, or by `brain nightly --user {plan.user}`.")


def _print_sum(plan: "Plan", console: Console) -> None:
    total, most = plan.total(), plan.total(follows=True)
    if plan.partitions:
        console.print(
            f"{plan.partitions:,} partitions to run, about {_said(total)}; `brain apply --user {plan.user}` runs them.",
            soft_wrap=True,
        )
    if (most.seconds, most.requests) != (total.seconds, total.requests):
        console.print(f"With all that may follow, at most {_said(most)}.", soft_wrap=True)
    if most.unread:
        console.print(f"{most.unread:,} of these days have not been read yet; their requests are not counted.")


def _why(group: "Group") -> str:
    from brain_pipelines.ingest.stale import FOLLOWS

    said = f"if {group.detail} changes" if group.reason == FOLLOWS else group.reason
    detail = f": {group.detail}" if group.detail and group.reason != FOLLOWS else ""
    sources = ", ".join(f"{name} {count}" for name, count in group.sources.items())
    return escape(f"{said}{detail}\n{sources}")


def _figures(days: int, cost: "Cost", *, asks: bool, paid: bool) -> list[str]:
    tokens = cost.input_tokens + cost.output_tokens
    calls = [f"{cost.requests:,}" if cost.requests else "", f"{tokens:,}" if tokens else ""] if asks else []
    money = ["" if cost.money is None else f"{cost.money:,.4f}"] if paid else []
    return [f"{days:,}", _minutes(cost.seconds), *calls, *money]


def _said(cost: "Cost") -> str:
    parts = [f"{_minutes(cost.seconds)} min"]
    if cost.requests:
        parts += [f"{cost.requests:,} requests", f"{cost.input_tokens:,} tokens in, {cost.output_tokens:,} out"]
    if cost.money is not None:
        parts.append(f"{cost.money:,.4f} in money")
    return ", ".join(parts)


def _minutes(seconds: float) -> str:
    minutes = seconds / 60
    return f"{minutes:,.0f}" if minutes >= 10 else f"{minutes:.1f}"


def print_applied(report: "ApplyReport", console: Console) -> None:
    """Print what was done, and the reasons of what was not."""
    if not report.planned:
        console.print(f"[bold]{report.user}[/]: nothing to run")
        return
    done = report.planned - len(report.left)
    text = f"{done:,} of {report.planned:,} partitions are up to date, {len(report.runs)} runs, {report.seconds:.1f} s"
    console.print(f"[bold]{report.user}[/]: {text}")
    for run in report.runs:
        if not run["success"]:
            said = escape(f"{run['source']} {run['from']}…{run['to']}: {run['error']}")
            console.print(f"[red]run failed[/] {said}", soft_wrap=True)
    reasons: dict[str, list[str]] = {}
    for one in report.left:
        reasons.setdefault(f"{one.source}/{one.stage}", []).append(_left(one))
    for asset, said in reasons.items():
        days = f"{len(said):,} {'day' if len(said) == 1 else 'days'}"
        console.print(f"[yellow]not up to date[/] {asset}, {days}: {escape(said[-1])}", soft_wrap=True)


def _left(one: "Stale") -> str:
    """Return why a partition is not up to date after a run: the error of the run, if there was one."""
    return one.row.error if one.row is not None and one.row.error else f"{one.reason} {one.detail}".strip()


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())
