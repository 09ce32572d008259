"""The commands `brain models list | pull | verify`. What they do lives in `brain_retrieval.models`.

Exit codes: 0 success, 2 unknown name or invalid setting, 4 weights missing, damaged or not available.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.extras import is_installed as is_extra_installed
from brain_retrieval.home import default_home
from brain_retrieval.serve.cli import answers_errors
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_retrieval.models.weights.manifest import ModelEntry

app = typer.Typer(name="models", help="List, download and verify model weights.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(help="Entries of the manifest; default: the default set.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one document.")]
FromFolder = Annotated[
    list[Path] | None, typer.Option("--from", help="Look in this folder first, e.g. another machine's models.")
]


@app.command("list")
@answers_errors
def list_models(as_json: AsJson = False) -> None:
    """List the known models with licence and whether they are installed."""
    from brain_retrieval.models.weights.manifest import manifest
    from brain_retrieval.models.weights.weights import is_installed

    models_dir = _models_dir()
    rows = [_row(entry, "installed" if is_installed(entry, models_dir) else "missing") for entry in manifest().values()]
    _show(rows, as_json, models_dir)


@app.command()
@answers_errors
def pull(names: Names = None, as_json: AsJson = False, folders: FromFolder = None) -> None:
    """Download models and check their hashes. Installed models are skipped."""
    models_dir = _models_dir()

    def one(entry: "ModelEntry") -> str:
        return "pulled" if _pull_with_bar(entry, models_dir, folders or (), quiet=as_json) else "installed"

    _for_each(_chosen(names), one, as_json, models_dir)


@app.command()
@answers_errors
def verify(names: Names = None, as_json: AsJson = False) -> None:
    """Rehash installed models and compare them with the manifest."""
    from brain_retrieval.models.weights.weights import locate

    models_dir = _models_dir()

    def one(entry: "ModelEntry") -> str:
        locate(entry, models_dir, rehash=True)
        return "verified"

    _for_each(_chosen(names), one, as_json, models_dir)


def _for_each(
    entries: "Sequence[ModelEntry]", one: "Callable[[ModelEntry], str]", as_json: bool, models_dir: Path
) -> None:
    """Run `one` for every entry, even if some fail, then print all results; exit with 4 if one failed."""
    rows = []
    for entry in entries:
        try:
            rows.append(_row(entry, one(entry)))
        except ModelMissingError as error:
            rows.append(_row(entry, "failed", str(error)))
    _show(rows, as_json, models_dir)
    reasons = [row["reason"] for row in rows if row["state"] == "failed"]
    for reason in reasons:
        Console(stderr=True).print(f"[red]error:[/] {escape(str(reason))}", soft_wrap=True)
    if reasons:
        raise typer.Exit(ModelMissingError.exit_code)


def _models_dir() -> Path:
    return load_settings(default_home()).models_dir


def _chosen(names: Sequence[str] | None) -> "list[ModelEntry]":
    from brain_retrieval.models.weights.manifest import find_entry, manifest

    if not names:
        # By default, skip weights whose library is not installed; an entry given by name is always fetched.
        entries = [entry for entry in manifest().values() if entry.default]
        return [entry for entry in entries if entry.extra is None or is_extra_installed(entry.extra)]
    chosen = {name: find_entry(name) for name in names}
    # An embedder needs its tokenizer.
    needed = {entry.tokenizer: find_entry(entry.tokenizer) for entry in chosen.values() if entry.tokenizer}
    return list({**chosen, **needed}.values())


def _pull_with_bar(entry: "ModelEntry", models_dir: Path, folders: Sequence[Path], *, quiet: bool) -> bool:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from brain_retrieval.models.weights.download import pull as pull_entry

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quiet, transient=True) as bar:
        task = bar.add_task(entry.name, total=entry.size)
        return pull_entry(entry, models_dir, folders=folders, progress=lambda _file, size: bar.advance(task, size))


def _row(entry: "ModelEntry", state: str, reason: str = "") -> dict[str, str | int | bool]:
    return {
        "name": entry.name,
        "state": state,
        "reason": reason,
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
