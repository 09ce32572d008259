"""The commands `brain connect list` and `brain connect run NAME`. The connectors are in `brain_pipelines/connectors`.

Exit codes: 0 success, 1 the connector could not be polled or could not copy a file, 2 invalid settings.
"""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import answers_errors
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_pipelines.connectors.connector import PollRun

app = typer.Typer(name="connect", no_args_is_help=True)
RUN_SECONDS = 600.0
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.command("list")
@answers_errors
def list_connectors(as_json: AsJson = False) -> None:
    """List the configured connectors and the place each one polls."""
    from brain_pipelines.connectors.registry import build_connectors

    rows = [
        {"name": c.key, "user": c.user, "source": c.source, "place": c.place, "interval_seconds": c.interval_seconds}
        for c in build_connectors(load_settings(default_home()))
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    if not rows:
        typer.echo("no connector is configured; each is a section of brain.toml, such as [connectors.folder.papers]")
        return
    table = Table("name", "user", "source", "place", box=None)
    for row in rows:
        table.add_row(*(str(row[key]) for key in ("name", "user", "source", "place")))
    Console().print(table)


@app.command()
@answers_errors
def run(
    name: Annotated[str, typer.Argument(help="The connector, such as imap-work.")],
    as_json: AsJson = False,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Stop copying after about this many seconds.")
    ] = RUN_SECONDS,
) -> None:
    """Poll once and copy new files into the inbox. The inbox sensor, or `brain rerun`, then processes them."""
    from brain_pipelines.connectors.registry import find_connector
    from brain_pipelines.ingest.console import working

    home = Home(default_home())
    settings = load_settings(home.path)
    connector = find_connector(settings, name)
    with working(f"copying from {connector.key}", quiet=as_json):
        result = connector.run(home.space(connector.user), seconds=seconds, max_bytes=settings.limits.max_media_bytes)
    if as_json:
        typer.echo(json.dumps({"name": connector.key, **_figures(result)}, indent=2))
    else:
        typer.echo(f"{connector.key}: {result.summary()}")
    if result.failures:
        raise typer.Exit(1)


def _figures(run: "PollRun") -> dict[str, object]:
    kept = ("taken", "removed", "waiting", "more", "failures")
    return {key: value for key, value in vars(run).items() if key in kept}
