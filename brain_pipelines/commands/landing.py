"""The commands `brain landing backup`, `backups` and `restore`; see `landing/backup.py`."""

import json
from typing import Annotated

import typer
from rich.console import Console

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.settings import load_settings

app = typer.Typer(no_args_is_help=True)
DATABASES = ("landing", "access", "requests")


class NoBackupError(BrainError, LookupError):
    """There is no backup to restore from, or none of this time."""

    exit_code = 3


@app.command()
@answers_errors
@handles_sigterm
def backup(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Back up now what cannot be computed again; the nightly maintenance does it too."""
    from brain_pipelines.landing.backup import back_up

    where = _home(home)
    made = back_up(where.existing_space(user), kept=load_settings(where.path).backup.kept)
    if made is None:
        raise NoBackupError(f"nothing of {user!r} has landed yet")
    if as_json:
        typer.echo(json.dumps(made.to_json(), indent=2))
    else:
        Console(highlight=False).print(f"backed up {made.items} items: {made.folder}", soft_wrap=True)


@app.command()
@answers_errors
def backups(user: UserOption, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the backups, newest first, and whether each is as it was made."""
    from brain_pipelines.landing.backup import backups as found

    rows = [one.to_json() for one in found(_home(home).existing_space(user))]
    if as_json:
        typer.echo(json.dumps({"backups": rows}, indent=2))
        return
    for row in rows:
        state = "" if row["sound"] else "  [red]damaged[/]"
        megabytes = sum(row["bytes"].values()) / 1e6
        text = f"{row['made_at'][:19]}  {row['items']:,} items  {', '.join(row['files'])}  {megabytes:.1f} MB{state}"
        Console(highlight=False).print(text, soft_wrap=True)
    if not rows:
        Console().print("no backup yet; `brain landing backup` makes one, and so does the nightly maintenance")


@app.command()
@answers_errors
@handles_sigterm
def restore(
    user: UserOption,
    made_at: Annotated[
        str | None, typer.Option("--from", help="The backup of this time, as `backups` shows it (default: newest).")
    ] = None,
    database: Annotated[str, typer.Option(help="landing, access or requests.")] = "landing",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore a database from a backup; what landed since then is taken from the lake and the inbox."""
    from brain_pipelines.engine.landing_recovery import recover
    from brain_pipelines.ingest.files import rerun
    from brain_pipelines.landing.backup import backups as found
    from brain_pipelines.landing.backup import put_back
    from brain_retrieval.stores.locking import writer_lock

    if database not in DATABASES:
        raise typer.BadParameter(f"{database!r} is none of {', '.join(DATABASES)}", param_hint="--database")
    where, name = _home(home), f"{database}.sqlite"
    space = where.existing_space(user)
    fitting = [one for one in found(space) if one.is_sound(name) and one.made_at.startswith(made_at or "")]
    if not fitting and (made_at or database != "landing"):
        raise NoBackupError(f"no sound backup of {name}" + (f" of {made_at}" if made_at else ""))
    if database != "landing":
        with writer_lock(space):
            put_back(space, fitting[0], name)
        said = {"database": name, "backup": fitting[0].made_at}
        sentence, success = f"{name} is that of {fitting[0].made_at[:19]}", True
    else:
        recovery = recover(space, load_settings(where.path), fitting[0] if fitting else None)
        report = rerun(where, user=user)
        said = {"database": name, "sentence": recovery.sentence(), "report": report.to_json()}
        sentence, success = recovery.sentence(), report.success
    if as_json:
        typer.echo(json.dumps(said, ensure_ascii=False, indent=2))
    else:
        Console(highlight=False).print(sentence, soft_wrap=True)
    if not success:
        raise typer.Exit(1)


def _home(path: HomeOption) -> Home:
    return Home(((path or default_home()).expanduser()).resolve())
