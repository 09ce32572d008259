"""The command `brain record`: live agent sessions from standard input, or one event of an agent framework's hook."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_pipelines.ingest.recording import DEFAULT_AGENT, LINE_BYTES, Recorded, Recording, hook_events
from brain_retrieval.errors import BadInputError, BrainError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

PIECE_BYTES = 1 << 16
FAILED = 1  # exit code of a hook: 2 would stop the agent


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(handles_sigterm(record)))


def record(
    user: UserOption,
    session: Annotated[str, typer.Option("--session", help="Session of lines that name none.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Agent of lines that name none.")] = DEFAULT_AGENT,
    hook: Annotated[
        bool, typer.Option("--hook", help="Read one JSON object of a hook; print nothing, and never stop the agent.")
    ] = False,
    deliver: Annotated[
        bool, typer.Option("--deliver/--no-deliver", help="At the end deliver also sessions that go on.")
    ] = True,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Record agent sessions from lines of JSON on standard input; each line is durable before the next is read.

    Delivered sessions lie in the inbox, from where `brain up` or `brain rerun` takes them.
    """
    where = Home((home or default_home()).expanduser().resolve())
    if hook:
        _hook(where, user, session, agent)
        return
    recording = Recording(where, user, session=session, agent=agent)
    try:
        for lines in arriving_lines(sys.stdin.fileno()) if _is_file() else [sys.stdin.buffer.read().splitlines()]:
            recording.add_text(lines)
    except KeyboardInterrupt:
        done = f"interrupted: {recording.result.recorded:,} lines are recorded; send the same lines again for the rest"
        raise KeyboardInterrupt(done) from None
    if deliver:
        recording.deliver()
    _conclude(recording.result, as_json=as_json)


def _hook(home: Home, user: str, session: str, agent: str) -> None:
    """Record the event of a hook. Standard output stays empty: some frameworks give it to the model."""
    try:
        text = sys.stdin.read(LINE_BYTES + 1)
        if len(text) > LINE_BYTES:
            raise BadInputError(f"the event has more than {LINE_BYTES:,} characters")
        try:
            payload = json.loads(text)
        except (ValueError, RecursionError):
            raise BadInputError("the event is not JSON; --hook reads one event of a hook") from None
        if not isinstance(payload, dict):
            raise BadInputError("the event is no JSON object")
        recording = Recording(home, user, session=session, agent=agent)
        recording.add(hook_events(payload))
        if recording.result.refused:
            raise BadInputError(recording.result.refused[0])
    except (BrainError, ValueError, OSError) as error:
        Console(stderr=True, highlight=False).print(f"[red]not recorded:[/] {escape(str(error))}", soft_wrap=True)
        raise typer.Exit(FAILED) from None


def _is_file() -> bool:
    try:
        sys.stdin.fileno()
    except (OSError, ValueError):  # a test's input
        return False
    return True


def arriving_lines(handle: int) -> Iterator[list[bytes]]:
    """Yield the lines of a file handle as soon as they have arrived whole; of one that is too long its beginning."""
    rest, skipping = b"", False
    while piece := os.read(handle, PIECE_BYTES):
        *lines, rest = (rest + piece).split(b"\n")
        if skipping and lines:  # the end of a line that was too long
            lines, skipping = lines[1:], False
        if skipping:
            rest = b""
        elif len(rest) > LINE_BYTES:  # it is refused, and what follows of it is passed over
            lines, rest, skipping = [*lines, rest], b"", True
        if lines:
            yield lines
    if rest:
        yield [rest]


def _conclude(result: Recorded, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result.to_json(), ensure_ascii=False, indent=2))
    else:
        console = Console(highlight=False)
        repeated = f", {result.repeated:,} known already" if result.repeated else ""
        sessions = f"{len(result.sessions):,} session{'' if len(result.sessions) == 1 else 's'}"
        console.print(
            f"{result.recorded:,} lines of {sessions} recorded{repeated}; {len(result.delivered):,} delivered"
        )
        for reason in result.refused:
            console.print(f"[red]refused[/] {escape(reason)}", soft_wrap=True)
        if result.refused_count > len(result.refused):
            console.print(f"and {result.refused_count - len(result.refused):,} more")
    if result.refused_count:
        raise typer.Exit(1)
