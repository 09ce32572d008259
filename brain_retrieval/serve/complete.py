"""What a shell may complete an option with: users, kinds of sources, teams and recipes of the home."""

from collections.abc import Iterable
from pathlib import Path

import typer

from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, default_home


def users(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the users whose ids begin so."""
    return _beginning(_home(ctx).users(), incomplete)


def kinds(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the kinds of sources that the user named on the line has, those of all users without one."""
    home, user = _home(ctx), ctx.params.get("user")
    found: set[str] = set()
    for name in home.users() if user is None else [user]:
        try:
            found |= _kinds_of(home, name)
        except BrainError:  # an unknown user, or a damaged store: nothing is proposed
            continue
    return _beginning(found, incomplete)


def _kinds_of(home: Home, user: str) -> set[str]:
    from brain_retrieval.stores.catalog import Catalog

    space = home.existing_space(user)
    inbox = {path.name for path in space.inbox.iterdir() if path.is_dir()} if space.inbox.is_dir() else set()
    if not space.catalog.is_file():
        return inbox
    with Catalog(space) as catalog:
        return inbox | {source for (source,) in catalog.rows("SELECT DISTINCT source FROM ledger")}


def teams(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the teams of the settings."""
    from brain_retrieval.settings import load_settings

    try:
        return _beginning(load_settings(_home(ctx).path).teams, incomplete)
    except BrainError:
        return []


def recipes(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the recipes, those of the settings included."""
    from brain_retrieval.settings import load_settings

    try:
        return _beginning(load_settings(_home(ctx).path).retrieval.recipe_names, incomplete)
    except BrainError:
        return []


def _home(ctx: typer.Context) -> Home:
    """Return the home that the line names, else that of the process."""
    named = ctx.params.get("home") or (ctx.parent.params.get("home") if ctx.parent else None)
    return Home((Path(named) if named else default_home()).expanduser())


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete) and not name.startswith("."))
