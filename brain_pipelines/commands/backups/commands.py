"""The commands `brain backup …`: users backed up at a destination, listed, checked, removed and restored."""

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands.archive import EvenForgotten
from brain_pipelines.commands.backups.reporting import counting, size
from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings

if TYPE_CHECKING:
    from brain_pipelines.landing.offsite.all_users import Result
    from brain_pipelines.landing.offsite.cleaning import Removed

app = typer.Typer(invoke_without_command=True)
AnyUserOption = Annotated[
    str | None, typer.Option("--user", "-u", autocompletion=complete.users, help="One user; or --all.")
]
SHOWN = 20


@app.callback()
@answers_errors
@handles_sigterm
def backup(
    context: typer.Context,
    user: AnyUserOption = None,
    everyone: Annotated[bool, typer.Option("--all", help="All users of the home.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Store every content again, to replace damaged ones.")] = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Go on after a backup that another home has made.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Back up users at `backup.destination`: only what changed is stored. Old backups are removed afterwards."""
    if context.invoked_subcommand is not None:
        return
    if (user is None) != everyone:
        raise InvalidQueryError("name one user with --user, or --all")
    from brain_pipelines.knowledge.forgetting.backups import forgotten_users
    from brain_pipelines.landing.offsite.all_users import back_up_users
    from brain_pipelines.landing.offsite.objects import open_objects

    where = _home(home)
    settings = load_settings(where.path)
    users = where.users() if user is None else [where.existing_space(user).user]
    objects = open_objects(settings.backup)
    with counting("backing up", quiet=as_json) as bar:
        result = back_up_users(
            where,
            settings,
            objects,
            users,
            forgotten=forgotten_users(where) if everyone else {},
            full=full,
            take_over=take_over,
            report=bar,
        )
    if as_json:
        _print_json({"destination": objects.name, **result.to_json()})
    else:
        _print_result(objects.name, result, Console(highlight=False))
    if result.failed:
        raise typer.Exit(1)


@app.command("list")
@answers_errors
def list_(user: AnyUserOption = None, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the backups at the destination, newest first."""
    from brain_pipelines.landing.offsite.heads import heads_of
    from brain_pipelines.landing.offsite.objects import open_objects

    objects = open_objects(load_settings(_home(home).path).backup)
    users = objects.folders() if user is None else [user]
    found = {name: heads_of(objects, name)[::-1] for name in users}
    if as_json:
        rows = {name: [one.to_json() for one in heads] for name, heads in found.items()}
        _print_json({"destination": objects.name, "users": rows})
        return
    console = Console(highlight=False)
    for name, heads in found.items():
        for one in heads:
            kind = "" if one.derived else "  without what is derived"
            kind += "  the user moved with it" if one.final else ""
            text = f"{name}  {one.number}  {one.made_at[:19]}  {one.files:,} files  {size(one.bytes)}"
            console.print(f"{text}  ({size(one.added_bytes)} new){kind}", soft_wrap=True)
    if not any(found.values()):
        console.print(f"no backup at {escape(objects.name)}", soft_wrap=True)


@app.command()
@answers_errors
@handles_sigterm
def check(
    user: UserOption,
    at: Annotated[str | None, typer.Option("--at", help="Number or time of one backup (default: all).")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Compare sizes only; nothing is fetched and hashed.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch and hash every content of a user's backups; what is missing or damaged is named."""
    from brain_pipelines.landing.offsite.cleaning import check as check_backups
    from brain_pipelines.landing.offsite.heads import choose, heads_of
    from brain_pipelines.landing.offsite.objects import open_objects

    objects = open_objects(load_settings(_home(home).path).backup)
    heads = heads_of(objects, user)
    heads = [choose(heads, user, at)] if at or not heads else heads
    with counting("checking", quiet=as_json) as bar:
        faults = check_backups(objects, user, heads, quick=quick, report=lambda *step: bar(user, *step))
    if as_json:
        _print_json({"user": user, "backups": len(heads), "faults": [one.to_json() for one in faults]})
    else:
        console = Console(highlight=False)
        for one in faults[:SHOWN]:
            console.print(f"[red]backup {one.number}[/] {escape(one.path)}: {escape(one.what)}", soft_wrap=True)
        if len(faults) > SHOWN:
            console.print(f"… and {len(faults) - SHOWN} more; --json lists all")
        sound = "all as they were stored" if not faults else "`brain backup --full` stores what is still here again"
        count = "1 backup" if len(heads) == 1 else f"{len(heads)} backups"
        console.print(f"{count} of {user}: {sound}", soft_wrap=True)
    if faults:
        raise typer.Exit(1)


@app.command()
@answers_errors
@handles_sigterm
def prune(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Remove backups beyond `backup.keep_daily` and `backup.keep_weekly`, and contents that none needs."""
    from brain_pipelines.ingest.console import working
    from brain_pipelines.landing.offsite.cleaning import prune as remove_old
    from brain_pipelines.landing.offsite.objects import open_objects

    where = _home(home)
    settings = load_settings(where.path).backup
    with working("removing old backups", quiet=as_json):
        done = remove_old(open_objects(settings), where.existing_space(user), settings)
    if as_json:
        _print_json({"user": user, **done.to_json()})
    else:
        Console(highlight=False).print(_removal(done), soft_wrap=True)


@app.command()
@answers_errors
@handles_sigterm
def restore(
    user: UserOption,
    at: Annotated[
        str | None,
        typer.Option("--at", help="Number of a backup, or the last one of a day or time (default: newest)."),
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="Another home to restore into.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="In place of the user who is there.")] = False,
    derived: Annotated[
        bool, typer.Option("--derived/--no-derived", help="With lake, index and snapshots, or what cannot be computed.")
    ] = True,
    even_forgotten: EvenForgotten = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore a user from a backup; every content is checked by its hash before the user appears."""
    from brain_pipelines.engine.healing import queue_everything
    from brain_pipelines.knowledge.forgetting.backups import forgotten_users
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.offsite.objects import open_objects
    from brain_pipelines.landing.offsite.restoring import restore_user
    from brain_retrieval.ids import content_id

    here = _home(home)
    target = _home(to) if to is not None else here
    settings = load_settings(target.path)
    objects = open_objects(load_settings(here.path).backup)
    gone = {} if even_forgotten else forgotten_users(target)
    with counting("restoring", quiet=as_json) as bar:
        restored = restore_user(
            target,
            settings,
            objects,
            user,
            at=at,
            replacing=replace,
            derived=derived,
            forgotten=lambda name: gone.get(content_id("user", name)),
            report=lambda *step: bar(user, *step),
        )
        if not restored.whole:
            with open_landing(target.space(user), settings) as landing:
                queue_everything(landing)
    head, done = restored.head, restored.done
    if as_json:
        _print_json({"backup": head.to_json(), "home": str(target.path), **done.to_json()})
        return
    console = Console(highlight=False)
    text = f"{done.files:,} files, {done.items:,} items, {size(done.bytes)}, of {head.made_at[:19]}"
    console.print(f"{text}, in {escape(str(target.path))}", soft_wrap=True)
    if done.forgotten:
        console.print(f"{done.forgotten} were forgotten here and left out")
    for note in done.notes:
        console.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def _print_result(name: str, result: "Result", console: Console) -> None:
    for user, made in result.made.items():
        head, removed = made.head, result.removed.get(user)
        state = f"backup {head.number}: {made.files:,} new contents, {size(made.bytes)}"
        if not made.changed:
            state = f"nothing changed since backup {head.number} ({_local(head.made_at)})"
        text = f"{state}; {head.files:,} files, {size(head.bytes)}; {made.seconds:.1f} s"
        console.print(f"[bold]{user}[/] {text}", soft_wrap=True)
        if removed and (removed.backups or removed.contents):
            console.print(f"  {_removal(removed)}", soft_wrap=True)
        for path in made.damaged[:SHOWN]:
            console.print(
                f"  [yellow]damaged in this home[/] {escape(path)}; `brain doctor --user {user}`", soft_wrap=True
            )
        if user in result.late:
            console.print(f"  [yellow]not cleaned up[/]: {escape(result.late[user])}", soft_wrap=True)
    for user, reason in result.failed.items():
        console.print(f"[red]failed[/] {user}: {escape(reason)}", soft_wrap=True)
    for user in result.skipped:
        console.print(f"{user}: nothing has landed yet")
    if result.forgotten:
        console.print(f"backups of {result.forgotten} forgotten users removed")
    console.print(f"at {escape(name)}", soft_wrap=True)


def _removal(done: "Removed") -> str:
    backups = "1 old backup" if done.backups == 1 else f"{done.backups} old backups"
    return f"{backups} removed, and {done.contents:,} contents that none needs, {size(done.bytes)}"


def _local(made_at: str) -> str:
    return datetime.fromisoformat(made_at).astimezone().strftime("%Y-%m-%d %H:%M")


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())
