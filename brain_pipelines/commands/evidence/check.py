"""The command `check`: of what is known, and with `--online` also of what a search for it finds."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

Online = Annotated[bool, typer.Option("--online", help="Search the web for what is missing (see the settings).")]
Again = Annotated[bool, typer.Option("--again", help="With --online: search although memory has an answer.")]
Rounds = Annotated[int | None, typer.Option("--rounds", help="With --online: most rounds, of one query each.")]
Queries = Annotated[int | None, typer.Option("--max-queries", help="Most requests to search providers.")]
Addresses = Annotated[int | None, typer.Option("--max-addresses", help="Most pages requested.")]
Seconds = Annotated[float | None, typer.Option("--max-seconds", help="Most seconds of the search.")]
Bytes = Annotated[int | None, typer.Option("--max-bytes", help="Most bytes received.")]
Tokens = Annotated[int | None, typer.Option("--max-tokens", help="Most tokens of the chat model, for queries.")]


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("check")(answers_errors(handles_sigterm(check)))


def check(
    claim: Annotated[str, typer.Argument(help="A statement: “The launch is on 1 April.”")],
    user: UserOption,
    as_of: Annotated[str | None, typer.Option("--as-of", help="The time asked about (ISO 8601 date or time).")] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="Only what had been received by then.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Evidence shown for each statement.")] = 10,
    online: Online = False,
    again: Again = False,
    rounds: Rounds = None,
    max_queries: Queries = None,
    max_addresses: Addresses = None,
    max_seconds: Seconds = None,
    max_bytes: Bytes = None,
    max_tokens: Tokens = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Weigh a claim: what supports it, what contradicts it, what is unknown, with sources and trust.

    Without --online nothing leaves the machine.
    """
    names = ("max_rounds", "max_queries", "max_addresses", "max_seconds", "max_bytes", "max_model_tokens")
    given = (rounds, max_queries, max_addresses, max_seconds, max_bytes, max_tokens)
    limits: dict[str, int | float | None] = dict(zip(names, given, strict=True))
    if not online:
        if again or any(value is not None for value in given):
            raise InvalidQueryError("--again and limits of the search need --online")
        _check_known(claim, user, as_of, known_at, limit, home, as_json=as_json)
        return
    if known_at is not None:
        raise InvalidQueryError("--known-at asks what was known; it cannot be combined with --online")
    _check_online(claim, user, as_of, limit, again, limits, home, as_json=as_json)


def _check_known(
    claim: str, user: str, as_of: str | None, known_at: str | None, limit: int, home: Path | None, *, as_json: bool
) -> None:
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        report = brain.evidence(claim, as_of=as_of, known_at=known_at, limit=limit)
    if as_json:
        typer.echo(json.dumps({"user": user, **report.to_json()}, ensure_ascii=False, indent=2))
    else:
        from brain_retrieval.serve.check_print import print_report

        print_report(report, Console(highlight=False))


def _check_online(
    claim: str,
    user: str,
    as_of: str | None,
    limit: int,
    again: bool,
    limits: dict[str, int | float | None],
    home: Path | None,
    *,
    as_json: bool,
) -> None:
    from brain_pipelines.ingest.evidence.online import check_online

    root = Home((home or default_home()).expanduser().resolve())
    report = check_online(root, user, claim, as_of=as_of, limit=limit, again=again, limits=limits, report_runs=True)
    if as_json:
        typer.echo(json.dumps({"user": user, **report.to_json()}, ensure_ascii=False, indent=2))
        return
    from brain_pipelines.commands.evidence.online_print import print_online
    from brain_retrieval.serve.check_print import print_report

    output = Console(highlight=False)
    print_report(report.evidence, output)
    print_online(report.online, output)
