"""The command `brain message`: ingest one message, searchable when the command returns. See `ingest/message.py`."""

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from brain_pipelines.commands.policy_options import Ephemeral, KeepForever, Sensitivity, policy_of
from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(handles_sigterm(message)))


def message(
    text: Annotated[str, typer.Argument(help="The message; - reads standard input.")],
    user: UserOption,
    session: Annotated[str | None, typer.Option("--session", help="Id of the conversation it belongs to.")] = None,
    attach: Annotated[
        list[Path] | None,
        typer.Option("--attach", exists=True, dir_okay=False, readable=True, help="Attached file; may be repeated."),
    ] = None,
    at: Annotated[str | None, typer.Option("--at", help="Time of the message (ISO 8601; default: now).")] = None,
    keep_forever: KeepForever = None,
    ephemeral: Ephemeral = None,
    sensitivity: Sensitivity = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ingest one message immediately; it can be searched when the command returns."""
    from brain_pipelines.ingest.message import take_message

    try:
        timestamp = datetime.fromisoformat(at) if at else None
    except ValueError:
        raise typer.BadParameter(f"{at!r} is not an ISO 8601 time", param_hint="--at") from None
    report = take_message(
        Home((home or default_home()).expanduser().resolve()),
        user,
        sys.stdin.read() if text == "-" else text,
        session_id=session,
        timestamp=timestamp,
        attachments=attach or (),
        policy=policy_of(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity),
    )
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2, default=str))
    else:
        report.print(Console())
    if not report.success:
        raise typer.Exit(1)
