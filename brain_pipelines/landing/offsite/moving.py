"""Move of a user to another home of this machine: marked, backed up for the last time, restored there, removed here.

Killed at any point, the same call goes on where it was. From the mark on nothing is written here; until the user has
arrived there, the data here is whole and can be read, and the move can be cancelled.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_pipelines.landing.archive.manifest import INBOX
from brain_pipelines.landing.inbox import list_files, to_path
from brain_pipelines.landing.offsite.backing_up import Made, back_up_user
from brain_pipelines.landing.offsite.heads import Head, heads_of, manifest_of
from brain_pipelines.landing.offsite.objects import Objects, open_objects
from brain_pipelines.landing.offsite.restoring import restore_user
from brain_pipelines.landing.offsite.state import read_state
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import sync_folder, write_bytes
from brain_retrieval.stores.locking import writer_lock

PASSING = ".moving"  # in the other home: the backup of a move without a destination, removed at its end
LOCK_SECONDS = 3600.0
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Mark:
    """`<home>/moved/<user>.json`, which stays: where the user went. `arrived` once the data there is whole."""

    to: str
    at: str  # UTC, ISO 8601
    arrived: bool = False
    backup: int = 0


@dataclass(frozen=True)
class Move:
    """What a move did. `left` are files that came into the old inbox meanwhile, and lie there still."""

    user: str
    to: str
    files: int
    bytes: int
    left: tuple[str, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_mark(space: Space) -> Mark | None:
    """Return where a user was moved; None if the user was not."""
    try:
        return Mark(**json.loads(space.moved.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def move_user(
    home: Home,
    other: Home,
    settings: Settings,
    there: Settings,
    user: str,
    *,
    report: Report = lambda _done, _total: None,
) -> Move:
    """Move a user to another home; repeatable.

    Args:
        there: the settings of the other home.
        report: called with files done, of how many, for the backup and again for the restore.

    Raises:
        InvalidQueryError: the user is being moved to another home than this, or both are the same.
        UserHasDataError: there is a user of that name already; the move is cancelled.
        DestinationError: the destination of backups fails; the same call again goes on.
    """
    space, target = home.space(user), other.space(user)
    if other.path.resolve() == home.path.resolve():
        raise InvalidQueryError("both homes are the same")
    mark = _marked(home, other, user)
    with _passage(settings, other, user) as objects:
        if not mark.arrived:
            mark = _bring(home, other, settings, there, user, objects, mark, report)
        head = next((one for one in heads_of(objects, user) if one.number == mark.backup), None)
        left = _leave(space, objects, head)
    notes = ["API keys of `brain serve` are not moved: create them there"]
    return Move(user, str(target.home), head.files if head else 0, head.bytes if head else 0, left, tuple(notes))


def cancel_move(home: Home, user: str) -> None:
    """Undo the mark of a move that has not arrived.

    Raises:
        InvalidQueryError: no move of this user was begun, or it has arrived.
    """
    space = home.space(user)
    mark = read_mark(space)
    if mark is None:
        raise InvalidQueryError(f"no move of {user!r} was begun")
    if mark.arrived or not space.root.is_dir() or _has_arrived(Home(Path(mark.to)).space(user), mark):
        raise InvalidQueryError(f"{user!r} has arrived in {mark.to}; move the user back from there")
    space.moved.unlink()


def _marked(home: Home, other: Home, user: str) -> Mark:
    """Return the mark of this move; from now on nothing is written here."""
    space = home.space(user)
    mark = read_mark(space)
    if mark is not None:
        if Path(mark.to) != other.path.resolve():
            raise InvalidQueryError(f"{user!r} is being moved to {mark.to}; go on with that, or --cancel")
        return mark
    home.existing_space(user)
    if other.space(user).root.exists():
        raise InvalidQueryError(f"{user!r} has data in {other.path} already; nothing was changed")
    mark = Mark(str(other.path.resolve()), datetime.now(UTC).isoformat(timespec="seconds"))
    with writer_lock(space, timeout=LOCK_SECONDS):  # what is being written now is finished first
        _store(space, mark)
    return mark


def _bring(
    home: Home,
    other: Home,
    settings: Settings,
    there: Settings,
    user: str,
    objects: Objects,
    mark: Mark,
    report: Report,
) -> Mark:
    """Make the last backup and restore it in the other home, unless that was done before."""
    target = other.space(user)
    if not _has_arrived(target, mark):
        made: Made = back_up_user(home.space(user), settings, objects, final=True, report=report)
        mark = replace(mark, backup=made.head.number)
        _store(home.space(user), mark)
        restore_user(other, there, objects, user, at=str(mark.backup), report=report)
    mark = replace(mark, arrived=True)
    _store(home.space(user), mark)
    return mark


def _has_arrived(target: Space, mark: Mark) -> bool:
    """Return whether the other home has the user as of the last backup of this move, or later."""
    return bool(mark.backup) and target.landing.is_file() and read_state(target).number >= mark.backup


def _leave(space: Space, objects: Objects, head: Head | None) -> tuple[str, ...]:
    """Remove what has arrived in the other home; return the inbox files that are not part of it."""
    inbox = list(list_files(space.inbox))
    brought = set()
    if head is not None and inbox:
        files = manifest_of(objects, head).files
        brought = {(one.path, one.bytes, one.mtime_ns) for one in files if one.path.startswith(f"{INBOX}/")}
    left = []
    for file in inbox:
        place = to_path(space.inbox, file.uri)
        path = f"{INBOX}/{place.relative_to(space.inbox).as_posix()}"
        if (path, file.size, file.mtime_ns) in brought:
            place.unlink(missing_ok=True)
        else:
            left.append(str(place))
    if not left:
        shutil.rmtree(space.inbox, ignore_errors=True)
    if space.root.is_dir():
        with writer_lock(space, timeout=LOCK_SECONDS, moved=True):
            shutil.rmtree(space.root)
        sync_folder(space.root.parent)
    return tuple(left)


def _store(space: Space, mark: Mark) -> None:
    write_bytes(space.moved, json.dumps(asdict(mark), sort_keys=True).encode())


@contextmanager
def _passage(settings: Settings, other: Home, user: str) -> Iterator[Objects]:
    """Yield what a move goes through: the destination of the settings, else a directory in the other home meanwhile."""
    if settings.backup.destination:
        yield open_objects(settings.backup)
        return
    folder = other.path.resolve() / f"{PASSING}-{user}"
    yield open_objects(settings.backup, folder.as_uri())
    shutil.rmtree(folder, ignore_errors=True)  # not after an error: the same call again needs it
