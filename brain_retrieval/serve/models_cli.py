"""The commands `brain models list | pull | verify`. What they do lives in `brain_retrieval.models`.

Exit codes: 0 all is well, 2 an unknown name or a bad setting, 4 weights that are missing, damaged or not to be had.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from brain_retrieval.errors import BrainError, ModelMissingError
from brain_retrieval.models.download import pull as pull_entry
from brain_retrieval.models.manifest import ModelEntry, find_entry, manifest
from brain_retrieval.models.weights import is_installed, locate
from brain_retrieval.settings import load_settings

MISSING = ModelMissingError.exit_code

app = typer.Typer(name="models", help="Weights on this machine: list, pull and verify.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(help="Entries of the manifest; none: the default set.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one document.")]
FromFolder = Annotated[
    list[Path] | None, typer.Option("--from", help="Look in this folder first, e.g. another machine's models.")
]


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """Show the known models, their licences and whether they are here."""
    models_dir = _models_dir()
    rows = [_row(entry, "installed" if is_installed(entry, models_dir) else "missing") for entry in manifest().values()]
    _show(rows, as_json, models_dir)


@app.command()
def pull(names: Names = None, as_json: AsJson = False, folders: FromFolder = None) -> None:
    """Fetch models and check their hashes. What is already here is not fetched again."""
    models_dir = _models_dir()
    rows, failures = [], []
    for entry in _chosen(names):
        try:
            state = "pulled" if _pull_with_bar(entry, models_dir, folders or (), quiet=as_json) else "installed"
        except ModelMissingError as error:
            state = "failed"
            failures.append(str(error))
        rows.append(_row(entry, state))
    _show(rows, as_json, models_dir)
    _exit_with(failures)


@app.command()
def verify(names: Names = None, as_json: AsJson = False) -> None:
    """Read every byte of the models and compare it with the manifest."""
    models_dir = _models_dir()
    rows, failures = [], []
    for entry in _chosen(names):
        state = "verified"
        try:
            locate(entry, models_dir, rehash=True)
        except ModelMissingError as error:
            state = "failed"
            failures.append(str(error))
        rows.append(_row(entry, state))
    _show(rows, as_json, models_dir)
    _exit_with(failures)


def _models_dir() -> Path:
    try:
        return load_settings().models_dir
    except BrainError as error:
        raise _stop(error) from None


def _chosen(names: Sequence[str] | None) -> list[ModelEntry]:
    if not names:
        return [entry for entry in manifest().values() if entry.default]
    try:
        chosen = {name: find_entry(name) for name in names}
        # An embedder is of no use without its tokenizer.
        needed = {entry.tokenizer: find_entry(entry.tokenizer) for entry in chosen.values() if entry.tokenizer}
    except BrainError as error:
        raise _stop(error) from None
    return list({**chosen, **needed}.values())


def _stop(error: BrainError) -> typer.Exit:
    Console(stderr=True).print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
    return typer.Exit(error.exit_code)


def _exit_with(failures: Sequence[str]) -> None:
    for failure in failures:
        _stop(ModelMissingError(failure))
    if failures:
        raise typer.Exit(MISSING)


def _pull_with_bar(entry: ModelEntry, models_dir: Path, folders: Sequence[Path], *, quiet: bool) -> bool:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet, transient=True) as bar:
        task = bar.add_task(entry.name, total=entry.size)
        return pull_entry(entry, models_dir, folders=folders, progress=lambda _file, size: bar.advance(task, size))


def _row(entry: ModelEntry, state: str) -> dict[str, str | int | bool]:
    return {
        "name": entry.name,
        "state": state,
        "kind": entry.kind,
        "bytes": entry.size,
        "licence": entry.licence,
        "default": entry.default,
        "title": entry.title,
    }


def _show(rows: Sequence[dict[str, str | int | bool]], as_json: bool, models_dir: Path) -> None:
    if as_json:
        typer.echo(json.dumps({"models_dir": str(models_dir), "models": rows}, indent=2))
        return
    table = Table("name", "state", "kind", "MB", "licence", "title", caption=str(models_dir), box=None)
    for row in rows:
        size = f"{int(row['bytes']) / 1e6:.1f}"
        table.add_row(
            *(str(row[key]) for key in ("name", "state", "kind")), size, str(row["licence"]), str(row["title"])
        )
    Console().print(table)


if __name__ == "__main__":
    app()
