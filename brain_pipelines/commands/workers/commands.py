"""The commands `brain worker start|list|fetch|leave`: runs of users on machines that share no disk with the home."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.extras import naming_the_extra
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, answers_errors

if TYPE_CHECKING:
    from brain_retrieval.settings import Settings

app = typer.Typer(no_args_is_help=True)


@app.command()
@answers_errors
def start(
    runs: Annotated[int, typer.Option("--runs", help="Runs at once on this machine.", min=1, max=64)] = 1,
    home: HomeOption = None,
) -> None:
    """Take runs from the queue until Ctrl-C; the home directory holds this machine's copies, and `brain.toml`."""
    with _opened(home) as (place, _, instance), naming_the_extra():
        from brain_pipelines.orchestration.workers.app import build_app
        from brain_pipelines.orchestration.workers.session import share

        share(place.path, "worker")
        celery = build_app(instance)
        instance.dispose()
        os.environ["BRAIN_HOME"] = str(place.path)
        import_module("brain_pipelines.definitions")  # once, and not again in each process that executes runs
        name = f"--hostname={os.getpid()}@%h"
        options = ["--pool=prefork", f"--concurrency={runs}", name, "--loglevel=INFO", "--without-mingle"]
        celery.worker_main(["worker", "--queues=dagster", "--without-gossip", *options])


@app.command("list")
@answers_errors
def list_users(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List users with the version of their newest files, and that of the copy here."""
    from brain_pipelines.orchestration.workers.fence import Fence, address_of
    from brain_pipelines.orchestration.workers.local_files import read_state

    with _opened(home) as (place, _, instance):
        with Fence(address_of(instance)) as fence:
            copies, busy = fence.copies(), fence.busy()
        rows = [
            {"user": user, "version": copy.version, "here": read_state(place.space(user)).version, "busy": user in busy}
            for user, copy in sorted(copies.items())
        ]
    if as_json:
        typer.echo(json.dumps({"users": rows}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("user", "newest", "here", ""):
        table.add_column(column, justify="left" if column in ("user", "") else "right")
    for row in rows:
        table.add_row(row["user"], str(row["version"]), str(row["here"]), "in work" if row["busy"] else "")
    Console(highlight=False).print(table if rows else "no user has been computed by a worker yet")


@app.command()
@answers_errors
def fetch(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Bring the newest files of every user here, and store those that only this home has."""
    from brain_pipelines.orchestration.workers.fence import address_of
    from brain_pipelines.orchestration.workers.session import bring_all

    with _opened(home) as (place, settings, instance):
        versions = bring_all(place, settings, address_of(instance))
    typer.echo(json.dumps({"users": versions}, indent=2) if as_json else f"{len(versions)} users are up to date here")


@app.command()
@answers_errors
def leave(home: HomeOption = None) -> None:
    """Bring everything here and compute users in this home again; before it, stop the workers."""
    from brain_pipelines.orchestration.workers.fence import address_of
    from brain_pipelines.orchestration.workers.session import bring_all, role_of
    from brain_pipelines.orchestration.workers.session import leave as leave_home

    with _opened(home) as (place, settings, instance):
        if role_of(place.path) == "home":
            bring_all(place, settings, address_of(instance))
        leave_home(place)
    typer.echo("Now take [workers] out of brain.toml, and copy dagster.postgres.yaml over dagster.yaml.")


@contextmanager
def _opened(home: Path | None) -> Iterator[tuple[Home, "Settings", Any]]:
    """Yield the home, its settings and its Dagster instance."""
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.orchestration.workers.session import is_shared
    from brain_retrieval.settings import load_settings

    place = Home((home or default_home()).expanduser().resolve())
    settings = load_settings(place.path)
    if not is_shared(settings):
        raise InvalidSettingsError("workers.destination is not set: where workers find the newest files of users")
    with open_instance(place.path) as instance:
        yield place, settings, instance
