"""The command `brain forget`: preview what goes, then remove it from every store and print the receipt."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.ingest.interrupts import handles_sigterm, on_interrupt
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_pipelines.knowledge.forgetting.plan import Plan, Scope
    from brain_pipelines.landing.redaction.file_names import FileNames

app = typer.Typer(no_args_is_help=True)
YesOption = Annotated[bool, typer.Option("--yes", help="Forget without asking.")]
SHOWN = 20  # items listed by the preview
STOPPED = "interrupted: `brain forget resume --user {user}` finishes it"


@app.command()
@answers_errors
@handles_sigterm
def source(
    name: Annotated[str, typer.Argument(help="Id or uri of a source, as `brain search` shows it.")],
    user: UserOption,
    yes: YesOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget one source: a file, or one item of a file with several."""
    _forget(home, user, _scope("source", name), yes=yes, as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def day(
    date: Annotated[str, typer.Argument(help="Day of the events, YYYY-MM-DD.")],
    user: UserOption,
    of: Annotated[
        str | None,
        typer.Option("--source", "-s", autocompletion=complete.kinds, help="One source type (default: all)."),
    ] = None,
    yes: YesOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget everything that happened on a day."""
    _forget(home, user, _scope("day", date, of), yes=yes, as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def mentions(
    name: Annotated[str, typer.Argument(help="Name or entity id of a person.")],
    user: UserOption,
    yes: YesOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget every source that mentions a person."""
    _forget(home, user, _scope("mentions", name), yes=yes, as_json=as_json)


@app.command("user")
@answers_errors
@handles_sigterm
def whole_user(user: UserOption, yes: YesOption = False, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Forget a user: all files, all that was derived, and the runs in Dagster."""
    _forget(home, user, _scope("user", ""), yes=yes, as_json=as_json)


@app.command()
@answers_errors
@handles_sigterm
def resume(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Finish a forgetting that was interrupted."""
    from brain_pipelines.knowledge.forgetting.plan import NothingToForgetError, Plan

    where = _home(home)
    plan = Plan.unfinished(where.space(user))
    if plan is None:
        raise NothingToForgetError(f"no forgetting of {user!r} was interrupted")
    _conclude(_do(where, plan, quiet=as_json), as_json=as_json)


@app.command()
@answers_errors
def receipts(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the receipts of what was forgotten."""
    from brain_pipelines.knowledge.forgetting.receipts import receipts as stored

    found = stored(_home(home), user)
    if as_json:
        typer.echo(json.dumps({"user": user, "receipts": found}, indent=2))
        return
    for one in found:
        print_receipt(one, Console(highlight=False))


def _forget(home: Path | None, user: str, scope: "Scope", *, yes: bool, as_json: bool) -> None:
    from brain_pipelines.knowledge.forgetting.forget import preview
    from brain_pipelines.knowledge.forgetting.plan import Plan
    from brain_pipelines.landing.redaction.file_names import FileNames

    where = _home(home)
    if (begun := Plan.unfinished(where.space(user))) is not None:
        _do(where, begun, quiet=as_json)
    with _holding(where, [user] if user in where.users() else []):  # brings the newest files here
        plan = preview(where, user, scope, command="brain forget")
    names = FileNames(load_settings(where.path))
    if not as_json:
        print_preview(plan, names, Console(highlight=False))
    if not yes and not (not as_json and _is_confirmed(plan)):
        if as_json:
            typer.echo(json.dumps(preview_json(plan, names), ensure_ascii=False, indent=2))
        return
    _conclude(_do(where, plan, quiet=as_json), as_json=as_json)


def _is_confirmed(plan: "Plan") -> bool:
    """Ask for a word on a terminal; without one nothing is forgotten."""
    word = plan.user if plan.kind == "user" else "forget"
    if not sys.stdin.isatty():
        typer.echo("nothing was forgotten; --yes does it")
        return False
    if typer.prompt(f"This cannot be undone. Type {word} to go on", default="", show_default=False) == word:
        return True
    typer.echo("nothing was forgotten")
    raise typer.Exit(1)


def _do(home: Home, plan: "Plan", *, quiet: bool) -> dict[str, Any]:
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.instance_folder import dagster_home
    from brain_pipelines.knowledge.forgetting.forget import forget
    from brain_pipelines.knowledge.forgetting.receipts import receipts as receipts_of

    console = Console(stderr=True, quiet=quiet)
    with on_interrupt(lambda: STOPPED.format(user=plan.user)), progress_bars(console):
        if plan.kind == "user":
            _forget_runs(home, plan.user)
        with _holding(home, home.users()):
            receipt = forget(home, plan, elsewhere=[dagster_home(home.path)])
    stored = {one["receipt_id"]: one for one in receipts_of(home, plan.user)}
    return stored.get(receipt["receipt_id"], receipt)  # completed once the users of workers were committed


def _forget_runs(home: Home, user: str) -> None:
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.orchestration.cells.names import Names
    from brain_pipelines.orchestration.forgetting_job import forget_runs

    with open_instance(home.path) as instance:
        forget_runs(instance, user, Names.of(load_settings(home.path)))


@contextmanager
def _holding(home: Home, users: Sequence[str]) -> Iterator[None]:
    """Hold the newest files of users where workers compute them, and commit what the block has done."""
    settings = load_settings(home.path)
    if settings.workers.destination is None:
        yield
        return
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.orchestration.workers.fence import address_of
    from brain_pipelines.orchestration.workers.session import session

    with open_instance(home.path) as instance:
        address = address_of(instance)
    with session(home, settings, address, users):
        yield


def _conclude(receipt: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"done": True, "receipt": receipt}, indent=2))
    else:
        print_receipt(receipt, Console(highlight=False))
    if not receipt["complete"]:
        raise typer.Exit(1)


def preview_json(plan: "Plan", names: "FileNames") -> dict[str, Any]:
    """Return the document of a preview."""
    items = [{"source_id": one.source_id, "uri": names.uri(one.uri), "day": one.day} for one in plan.targets]
    copies = [names.uri(uri) for uri in plan.copies]
    found = {"done": False, "user": plan.user, "kind": plan.kind, "items": items, "stores": plan.counts}
    return {**found, "copies": copies}


def print_preview(plan: "Plan", names: "FileNames", console: Console) -> None:
    """Print the items and what each store holds of them."""
    files = _counted(len({one.file for one in plan.targets}), "file")
    items = _counted(len(plan.targets), "item")
    console.print(f"[bold]{escape(plan.user)}[/]: {items} in {files} would be forgotten")
    for one in plan.targets[:SHOWN]:
        console.print(f"  {one.day} {escape(names.uri(one.uri))}", soft_wrap=True)
    if len(plan.targets) > SHOWN:
        console.print(f"  … and {len(plan.targets) - SHOWN:,} more (--json lists all)")
    for space, counts in plan.counts.items():
        held = ", ".join(f"{count:,} {store}" for store, count in counts.items() if count)
        console.print(f"{'stored of it' if space == 'own' else space}: {held or 'nothing'}", soft_wrap=True)
    for uri in plan.copies[:SHOWN]:
        console.print(f"[yellow]the same content stays in[/] {escape(names.uri(uri))}", soft_wrap=True)
    if len(plan.copies) > SHOWN:
        console.print(f"[yellow]and in {len(plan.copies) - SHOWN:,} more[/] (--json lists all)")


def print_receipt(receipt: dict[str, Any], console: Console) -> None:
    """Print a receipt in a few lines."""
    check = receipt["check"]
    items = _counted(len(receipt["items"]), "item")
    console.print(
        f"{receipt['receipt_id']}  {receipt['done_at']}  {receipt['kind']}: {items} forgotten", soft_wrap=True
    )
    for space, stores in receipt["stores"].items():
        said = ", ".join(f"{name} {n['before']:,} → {n['after']:,}" for name, n in stores.items() if n["before"])
        console.print(f"  {'stored' if space == 'own' else space}: {said or 'nothing'}", soft_wrap=True)
    searched = f"{check['words']:,} words, {check['phrases']:,} phrases and {check['ids']:,} ids"
    console.print(f"  searched for {searched} in {check['files']:,} files, {check['bytes'] / 1e6:.1f} MB")
    if backups := receipt.get("removed_backups"):
        console.print(f"  {_counted(backups, 'backup')} removed at the destination")
    if removed := receipt.get("removed_at_workers"):
        console.print(f"  {_counted(removed, 'content')} removed from the object storage of the workers")
    for place, removal in receipt.get("waiting", {}).items():
        console.print(f"  [yellow]still in[/] {escape(place)}: {escape(removal)}", soft_wrap=True)
    for place, found in check["remaining"].items():
        console.print(f"  [red]still found[/] in {escape(place)}: {found:,}")
    if receipt["to_run_again"]:
        console.print(f"  [yellow]to run again[/]: {escape(', '.join(receipt['to_run_again']))}", soft_wrap=True)
    if receipt["complete"]:
        rest = " elsewhere" if receipt.get("waiting") else ""
        console.print(f"  [green]nothing of it is left{rest}[/]")


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def _scope(kind: Any, value: str, of: str | None = None) -> "Scope":
    from brain_pipelines.knowledge.forgetting.plan import Scope

    return Scope(kind, value, of)


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())
