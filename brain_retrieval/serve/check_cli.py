"""The command `check`. It prints what `Brain.evidence` returns."""

import json
from typing import Annotated

import typer
from rich.console import Console

from brain_retrieval.home import default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(check))


def check(
    claim: Annotated[str, typer.Argument(help="A statement: “The launch is on 1 April.”")],
    user: UserOption,
    as_of: Annotated[str | None, typer.Option("--as-of", help="The time asked about (ISO 8601 date or time).")] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="Only what had been received by then.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Evidence shown for each statement.")] = 10,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Weigh a claim: what supports it, what contradicts it, what is unknown, with sources and trust."""
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        report = brain.evidence(claim, as_of=as_of, known_at=known_at, limit=limit)
    if as_json:
        typer.echo(json.dumps({"user": user, **report.to_json()}, ensure_ascii=False, indent=2))
    else:
        from brain_retrieval.serve.check_print import print_report

        print_report(report, Console(highlight=False))
