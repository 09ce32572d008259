"""The command `brain serve`: HTTP for applications and agents."""

from functools import partial
from typing import Annotated, Any

import typer

from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, answers_errors

LONG_COMMANDS = ("sql",)  # one would keep a reader from the requests of others for a minute


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(serve))


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on (default: 127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65_535, help="Port (default: 8765).")] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", help="Further name of this server; may be repeated.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=0, max=64, help="Processes that read (default: one a core; 0: threads only)."),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Serve all users of a home over HTTP until Ctrl-C; each needs a key of `brain keys create`."""
    from brain_pipelines.commands.shell.running import run_command
    from brain_pipelines.commands.shell.warm import same_answers
    from brain_pipelines.server.run import serve as run
    from brain_pipelines.server.sockets.commands import Commands
    from brain_retrieval.settings import load_settings

    where = (home or default_home()).expanduser().resolve()
    settings = load_settings(where)
    given: dict[str, Any] = {"host": host, "port": port, "allowed_hosts": tuple(allow_host) if allow_host else None}
    given["workers"] = workers
    changed = settings.server.model_copy(update={key: value for key, value in given.items() if value is not None})
    runs = partial(run_command, context.obj, declined=LONG_COMMANDS)
    commands = Commands(runs, same_answers()) if settings.server.answer_commands else None
    run(Home(where), settings.model_copy(update={"server": changed}), commands)
