"""The `brain` command: `ingest`, `rerun` and `status`, and registration of all other commands.

Each command is a thin wrapper: `ingest/files.py` lands files and runs their days, `commands/status.py` builds the
report; search, context, users and models come from `brain_retrieval`.

Exit codes: 0 done, 1 a run failed or nothing could be stored, 2 bad usage, 3 unknown user, 4 a model is missing,
5 a library of an extra is not installed, 6 the disk is full, 7 the home is read-only, 8 no permission, 130 stopped by
Ctrl-C or SIGTERM.
"""

import json
import logging
import os
import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands import (
    archive,
    consolidate,
    costs,
    crawl,
    deletions,
    doctor,
    init,
    mcp,
    message,
    notes,
    serve,
    up,
)
from brain_pipelines.commands.agents import record
from brain_pipelines.commands.backups import moving
from brain_pipelines.commands.backups.commands import app as backup_app
from brain_pipelines.commands.cells.commands import app as cells_app
from brain_pipelines.commands.connect import app as connect_app
from brain_pipelines.commands.evidence import check
from brain_pipelines.commands.forget import app as forget_app
from brain_pipelines.commands.keys import app as keys_app
from brain_pipelines.commands.landing import app as landing_app
from brain_pipelines.commands.planning import commands as planning
from brain_pipelines.commands.policy_options import Ephemeral, KeepForever, Sensitivity, policy_of
from brain_pipelines.commands.shell import completion
from brain_pipelines.commands.shell.group import BrainGroup, only
from brain_pipelines.commands.teams import app as team_app
from brain_pipelines.commands.trust.commands import app as trust_app
from brain_pipelines.commands.workers.commands import app as workers_app
from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval import __version__
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import (
    ask_cli,
    audit_cli,
    complete,
    eval_cli,
    habits_cli,
    knowledge_cli,
    source_cli,
    sql_cli,
    why_cli,
)
from brain_retrieval.serve import cli as retrieval_cli
from brain_retrieval.serve.cli import answers_errors
from brain_retrieval.serve.models_cli import app as models_app

if TYPE_CHECKING:
    from brain_pipelines.ingest.files import IngestReport

app = typer.Typer(
    name="brain",
    cls=BrainGroup,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
ask_cli.register(app)
retrieval_cli.register(app)
source_cli.register(app)
eval_cli.register(app)
sql_cli.register(app)
knowledge_cli.register(app)
audit_cli.register(app)
habits_cli.register(app)
why_cli.register(app)
check.register(app)
init.register(app)
consolidate.register(app)
message.register(app)
record.register(app)
crawl.register(app)
mcp.register(app)
notes.register(app)
costs.register(app)
doctor.register(app)
serve.register(app)
up.register(app)
deletions.register(app)
archive.register(app)
moving.register(app)
completion.register(app)
planning.register(app)
app.add_typer(models_app, name="models", help="Model weights: list, pull, verify.")
app.add_typer(keys_app, name="keys", help="Keys for `brain serve`: create, list, revoke.")
app.add_typer(team_app, name="team", help="Sources shared by a team: list, request.")
app.add_typer(forget_app, name="forget", help="Remove a source, a day, a person's mentions or a user from every store.")
app.add_typer(trust_app, name="trust", help="What is trusted: list what waits, approve, reject, status, history.")
app.add_typer(landing_app, name="landing", help="The record of what was received: back up, restore.")
app.add_typer(backup_app, name="backup", help="Users backed up outside the home: list, check, prune, restore.")
app.add_typer(cells_app, name="cells", help="Homes on several machines: list, add, move users, serve.")
app.add_typer(workers_app, name="worker", help="Runs on other machines: start, list, fetch, leave.")
app.add_typer(connect_app, name="connect", help="Connectors that fill inboxes: list, run.")

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home", envvar="BRAIN_HOME", readable=False, help="Home directory (default: BRAIN_HOME, else data/home)."
    ),
]
UserOption = Annotated[
    str,
    typer.Option("--user", "-u", autocompletion=complete.users, help="User id: 1–40 characters of a–z, 0–9 and '-'."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"brain {__version__}")
        raise typer.Exit


@app.callback()
@answers_errors
def choose_home(
    context: typer.Context,
    home: Annotated[Path | None, typer.Option("--home", help="Home directory for the command that follows.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Without a command: what is here, as JSON.")] = False,
    _version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_print_version)] = False,
) -> None:
    """A self-hosted second brain: asset graphs by user and day, and retrieval with citations and explanations."""
    if home is not None:
        os.environ["BRAIN_HOME"] = str(home.expanduser().resolve())
    context.obj = main  # what `brain serve` runs commands with
    if context.invoked_subcommand is None:
        from brain_pipelines.commands.shell.front_page import front_page

        front_page(as_json=as_json)


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


@app.command()
@answers_errors
@handles_sigterm
def ingest(
    paths: Annotated[list[str], typer.Argument(help="Files, directories or URLs to ingest; a .zip is unpacked.")],
    user: UserOption,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", "-s", autocompletion=complete.kinds, help="Source type (default: detected for each file)."
        ),
    ] = None,
    event_time: Annotated[
        str | None, typer.Option("--event-time", help="Event time (ISO 8601), if the files do not contain one.")
    ] = None,
    keep_forever: KeepForever = None,
    ephemeral: Ephemeral = None,
    sensitivity: Sensitivity = None,
    even_forgotten: Annotated[
        bool, typer.Option("--even-forgotten", help="Take files again that were forgotten.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy files into the user's inbox, run the days they touch through Dagster, and report the result per file."""
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.urls import ingest_named

    policy = policy_of(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity)
    console = Console(stderr=True, quiet=as_json)
    with progress_bars(console) as bars:
        report = ingest_named(
            _home(home),
            user=user,
            source=source,
            names=paths,
            event_time=_parse_time(event_time),
            policy=policy,
            even_forgotten=even_forgotten,
            bars=bars,
        )
    _conclude(report, as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def rerun(
    user: UserOption,
    source: Annotated[
        str | None,
        typer.Option("--source", "-s", autocompletion=complete.kinds, help="One source type (default: all)."),
    ] = None,
    start: Annotated[str | None, typer.Option("--from", help="First day, YYYY-MM-DD.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Last day, YYYY-MM-DD.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Recompute unchanged data too.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Scan the inbox and run a user's days again; unchanged data is skipped."""
    from brain_pipelines.ingest import files as ingestion
    from brain_pipelines.ingest.console import progress_bars

    console = Console(stderr=True, quiet=as_json)
    with progress_bars(console) as bars:
        report = ingestion.rerun(
            _home(home),
            user=user,
            source=source,
            start=_parse_day(start),
            end=_parse_day(end),
            force=force,
            bars=bars,
        )
    _conclude(report, as_json=as_json)


@app.command()
@answers_errors
def status(
    user: Annotated[
        str | None, typer.Option("--user", "-u", autocompletion=complete.users, help="One user (default: all).")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show partitions, failures and quarantined items with their reasons, index freshness and sizes."""
    from brain_pipelines.commands import status as reporting

    report = reporting.status(_home(home), user=user)
    if as_json:
        _print_json(report)
    else:
        reporting.print_status(report, Console())


def _conclude(report: "IngestReport", *, as_json: bool) -> None:
    if as_json:
        _print_json(report.to_json())
    else:
        report.print(Console())
    if not report.success:
        raise typer.Exit(1)


def _parse_time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not an ISO 8601 time", param_hint="--event-time") from None


def _parse_day(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day like 2026-01-31") from None


def main() -> None:
    """Run the command. An expected error is printed as one line on standard error and sets the exit code."""
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
    logging.captureWarnings(capture=True)
    logging.getLogger("py.warnings").setLevel(logging.ERROR)
    try:
        only(app, sys.argv[1:])()
    except BrainError as error:
        Console(stderr=True).print(f"[bold red]error:[/] {escape(str(error))}", highlight=False)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
