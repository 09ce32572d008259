"""What commands say of backups: a bar of files done, sizes, and whether the newest is too old."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from brain_retrieval.home import Space
    from brain_retrieval.settings import Settings


@contextmanager
def counting(what: str, *, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Draw a bar on standard error; yields the function that sets it, of user, files done, and of how many."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True, quiet=quiet), transient=True) as display:
        task = display.add_task(what, total=None)

        def show(user: str, done: int, total: int) -> None:
            display.update(task, description=f"{what} {escape(user)}", completed=done, total=total)

        yield show


def size(count: int) -> str:
    """Return a number of bytes in megabytes, as other commands print it."""
    return f"{count / 1e6:,.1f} MB"


def backup_status(space: "Space", settings: "Settings") -> dict[str, Any] | None:
    """Return what this home knows of backups outside it, without asking the destination; None if none are wanted."""
    from brain_pipelines.landing.offsite.state import read_state

    wanted = settings.backup
    if wanted.destination is None:
        return None
    state = read_state(space, wanted.destination)
    age = state.age()
    return {
        "destination": wanted.destination,
        "newest": state.at or None,
        "number": state.number,
        "old": age is None or age.days >= wanted.warn_days,
        "holds_forgotten": state.replace,
    }


def backup_warning(status: dict[str, Any] | None, user: str) -> str:
    """Return what is wrong with the backups of a user and what to do; "" if nothing is."""
    if status is None:
        return ""
    command = f"`brain backup --user {user}`"
    if status["holds_forgotten"]:
        return f"backups at {status['destination']} still hold what was forgotten; {command} replaces them"
    if not status["old"]:
        return ""
    if status["newest"] is None:
        return f"there is none yet at {status['destination']}; {command} makes one"
    return f"the newest is of {status['newest'][:16]}, at {status['destination']}; {command} makes one"


def print_backup_warning(status: dict[str, Any] | None, user: str, console: Console) -> None:
    """Print `backup_warning`, if there is one."""
    if said := backup_warning(status, user):
        console.print(f"[yellow]backup[/] of {user}: {escape(said)}", soft_wrap=True, highlight=False)
