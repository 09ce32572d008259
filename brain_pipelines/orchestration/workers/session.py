"""Working on users whose newest files are in object storage: lock, fetch, work, publish, commit.

One connection to PostgreSQL holds the locks for the whole time and makes the commit. A process that is killed, or loses
the connection, has changed nothing but its own copy.
"""

import json
import logging
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal

from brain_pipelines.landing.offsite.heads import blob_key
from brain_pipelines.landing.offsite.objects import Objects, open_objects
from brain_pipelines.orchestration.workers.copying import Published, Traffic, UserCopy
from brain_pipelines.orchestration.workers.fence import Fence
from brain_pipelines.orchestration.workers.forgotten import purge, sweep
from brain_retrieval.errors import BrainError, InvalidSettingsError
from brain_retrieval.home import USER_PATTERN, Home
from brain_retrieval.settings import Settings
from brain_retrieval.stores.durable import write_bytes
from brain_retrieval.stores.locking import SHARED, in_session

LOCK_SECONDS = 3600.0
# A worker that lost its lock may still be reading or removing: contents go when they were not needed for so long.
UNUSED_FOR = timedelta(hours=1)
UNCOMMITTED_FOR = timedelta(days=1)  # then what a run stored without committing it goes, with the nightly upkeep
LOGGER = logging.getLogger(__name__)
Role = Literal["home", "worker"]


@dataclass
class Session:
    """What one session moved, by user."""

    users: tuple[str, ...]
    fetched: dict[str, Traffic] = field(default_factory=dict)
    published: dict[str, Traffic] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)


def is_shared(settings: Settings) -> bool:
    """Return whether workers compute the users of this home."""
    return settings.workers.destination is not None


def role_of(home: Path) -> Role:
    """Return what this machine's directory is: the home, or the scratch copy of a worker."""
    try:
        return "worker" if json.loads((home / SHARED).read_bytes())["role"] == "worker" else "home"
    except FileNotFoundError:
        return "home"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidSettingsError(f"cannot read {home / SHARED}: {error}") from None


def share(home: Path, role: Role) -> None:
    """Mark a directory, so that nothing of a user is written there outside a session."""
    path = home / SHARED
    if path.is_file() and role_of(home) == role:
        return
    if role == "worker" and (home / "users").is_dir() and not path.is_file():
        raise InvalidSettingsError(f"{home} is a home with users; a worker needs an empty directory of its own")
    write_bytes(path, json.dumps({"role": role}).encode())


def concerned(settings: Settings, users: Iterable[str]) -> tuple[str, ...]:
    """Return users and the teams whose sources they read."""
    named = set(users)
    teams = {team for team, one in settings.teams.items() if named.intersection(one.members)}
    return tuple(sorted(named | teams))


@contextmanager
def session(
    home: Home, settings: Settings, address: str, users: Iterable[str], *, run_id: str | None = None,
    fence: Fence | None = None, seconds: float = LOCK_SECONDS, sweeping: bool = False,
) -> Iterator[Session]:  # fmt: skip
    """Hold the locks of users, with their newest files here; what the block changed is committed at its end.

    If the block raises, nothing is published: the next session of this machine brings its copy back to the newest one.

    Args:
        address: of the PostgreSQL database.
        run_id: recorded with the commit.
        fence: a connection that has the mark of the run already.
        seconds: to wait for another worker.
        sweeping: at the end, remove what runs that were never committed have left in the object storage.

    Raises:
        WriterBusyError: another worker holds a lock for longer.
        LostLockError: the lock was lost meanwhile; nothing was committed.
        DestinationError: the object storage fails.
    """
    share(home.path, role_of(home.path))
    objects = open_objects(settings.backup, settings.workers.destination)
    is_home = role_of(home.path) == "home"
    names = concerned(settings, users)
    found = Session(names)
    own = fence or Fence(address)
    try:
        own.lock(names, seconds=seconds)
        copies = {name: UserCopy(home.space(name), settings, objects, is_home) for name in names}
        for name, copy in copies.items():
            found.fetched[name] = copy.fetch(own.copy(name))
        with in_session([copy.space for copy in copies.values()]):
            yield found
            _commit(own, copies, found, run_id)
        _tidy(own, objects, names, home if is_home else None, sweeping=sweeping)
    finally:
        if fence is None:
            own.close()
        else:
            own.unlock(names)


def _commit(fence: Fence, copies: dict[str, UserCopy], found: Session, run_id: str | None) -> None:
    published: dict[str, Published] = {name: copy.publish() for name, copy in copies.items()}
    done = fence.commit(
        {name: (copies[name].base, one.manifest) for name, one in published.items()},
        run_id=run_id,
        unused={name: one.unused for name, one in published.items()},
    )
    for name, copy in done.items():
        copies[name].committed(published[name], copy)
        found.published[name] = published[name].traffic
        found.versions[name] = copy.version if copy is not None else 0


def _tidy(fence: Fence, objects: Objects, users: tuple[str, ...], home: Home | None, *, sweeping: bool) -> None:
    """Remove contents that nothing needs; what cannot be removed now is tried again in the next session."""
    try:
        for user in users:
            if fence.copy(user) is None:
                fence.check()
                objects.delete([one.key for one in objects.under(user)])
            elif unused := fence.unused(user, before=UNUSED_FOR):
                fence.check()
                objects.delete([blob_key(user, one) for one in unused])
                fence.removed(user, unused)
            if sweeping:
                sweep(fence, objects, user, fence.copy(user), older_than=UNCOMMITTED_FOR)
        if home is not None:
            purge(home, fence, objects, users)
    except BrainError as error:
        LOGGER.warning("contents that are no longer needed were not removed: %s", error)


def bring_all(home: Home, settings: Settings, address: str) -> dict[str, int]:
    """Bring the newest files of every user here; return the version of each."""
    with Fence(address) as fence:
        users = sorted({*fence.copies(), *home.users()})
    found: dict[str, int] = {}
    for user in users:
        if USER_PATTERN.fullmatch(user):
            with session(home, settings, address, [user]) as done:
                pass
            found[user] = done.versions.get(user, 0)
    return found


def leave(home: Home) -> None:
    """Take the mark off a home whose users are computed in it again; of a worker, remove its copies."""
    if role_of(home.path) == "worker":
        shutil.rmtree(home.path / "users", ignore_errors=True)
    (home.path / SHARED).unlink(missing_ok=True)
