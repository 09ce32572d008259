"""The commands `brain estimate` and `brain costs`: expected and actual chat model costs, computed in `estimate.py`."""

import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

_COUNTS = {"requests": "asked", "cached": "cached", "input_tokens": "input", "output_tokens": "output"}
_TOTALS = ("requests", "input_tokens", "output_tokens")


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    app.command()(answers_errors(estimate))
    app.command()(answers_errors(costs))


def estimate(
    user: UserOption,
    source: Annotated[
        str | None,
        typer.Option("--source", "-s", autocompletion=complete.kinds, help="One source type (default: all)."),
    ] = None,
    start: Annotated[str | None, typer.Option("--from", help="First day, YYYY-MM-DD.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Last day, YYYY-MM-DD.")] = None,
    stage: Annotated[
        Literal["extractions", "enrichments", "all"], typer.Option("--stage", help="Stage to estimate.")
    ] = "all",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate requests, tokens and cost of processing a user's texts with a chat model. No model is called."""
    from brain_pipelines.commands import estimate as estimation
    from brain_pipelines.ingest.console import progress_bars
    from brain_retrieval.settings import load_settings

    where = _home(home)
    stages = estimation.STAGES if stage == "all" else (stage,)
    days = {"start": _day(start), "end": _day(end)}
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        found = estimation.estimate(where, user=user, source=source, stages=stages, bars=bars, **days)
    settings = load_settings(where.path)
    models = {stage: settings.llm.for_task(task).model for stage, task in estimation.TASKS.items() if stage in stages}
    totals: dict[str, Any] = {name: sum(getattr(one, name) for one in found) for name in _TOTALS}
    priced = [one.money for one in found if one.money is not None]
    totals["money"] = sum(priced) if priced else None
    if as_json:
        _print_json({"user": user, "models": models, "estimates": [e.to_json() for e in found], "total": totals})
        return
    named = ", ".join(sorted({model for model in models.values() if model})) or "no model is set"
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), title=f"{user}: {named}")
    table.add_column("", no_wrap=True)
    for column in ("words", "cached", "asked", "input", "output", *(("money", "a 10k") if priced else ())):
        table.add_column(column, justify="right", no_wrap=True)
    for one in found:
        counts = (one.words, one.cached, one.requests, one.input_tokens, one.output_tokens)
        money = map(_money, (one.money, one.per_10k_words)) if priced else ()
        table.add_row(f"{one.source} {one.stage}", *(f"{n:,}" for n in counts), *money)
    console = Console()
    console.print(table)
    tokens = f"{totals['input_tokens']:,} tokens in, {totals['output_tokens']:,} out"
    money = f", {_money(totals['money'])}" if priced else "; set llm.input_price and llm.output_price to see money"
    console.print(f"In all {totals['requests']:,} requests, {tokens}{money}. What is in the cache costs nothing.")


def costs(
    user: UserOption,
    month: Annotated[str | None, typer.Option("--month", help="YYYY-MM, in UTC (default: this month).")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a user's chat model costs in a month by source, stage, task and model, and what is left of the budget."""
    from brain_pipelines.commands.estimate import costs as spent

    if month is not None and not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
        raise typer.BadParameter(f"{month!r} is not a month like 2026-01", param_hint="--month")
    report = spent(_home(home), user=user, month=month)
    if as_json:
        _print_json(report)
        return
    table = Table(box=SIMPLE_HEAD, title=f"{user}: {report['month']}")
    table.add_column("", no_wrap=True)
    priced = bool(report["total"]["money"])
    for column in (*_COUNTS.values(), *(("money",) if priced else ())):
        table.add_column(column, justify="right")
    for by in ("source", "stage", "task", "model"):
        for name, sums in report[by].items():
            table.add_row(f"{by} {name}", *_cells(sums, priced))
        table.add_section()
    table.add_row("all", *_cells(report["total"], priced))
    console = Console()
    console.print(table)
    if report["total"]["requests"] and not priced:
        console.print("No price was set when these were asked: set llm.input_price and llm.output_price to see money.")
    free = [name for name, sums in report["model"].items() if sums["requests"] and not sums["money"]]
    if priced and free:
        console.print(f"No price, or one of 0, was set when these models were asked: {', '.join(free)}.")
    for name, budget in report["budget"].items():
        if budget["limit"] is not None:
            shown = _money if name == "money" else "{:,}".format
            console.print(f"Budget of {name}: {shown(budget['left'])} of {shown(budget['limit'])} left this month.")


def _cells(sums: Mapping[str, Any], priced: bool) -> list[str]:
    # What has cost nothing had no price: 0.0000 beside it would be taken for one.
    return [*(f"{sums[name]:,}" for name in _COUNTS), *([_money(sums["money"] or None)] if priced else [])]


def _money(value: float | None) -> str:
    return "" if value is None else f"{value:,.4f}"


def _day(text: str | None) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if text else None
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day like 2026-01-31") from None


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())
