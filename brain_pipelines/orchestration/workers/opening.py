"""Which users a tick of the inbox sensor works on, where workers compute them: those with something new.

A user that a worker works on is left for a later tick. All locks of a tick are released at its end, when what it landed
is committed and before its runs are submitted.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from dagster import DagsterInstance

from brain_pipelines.landing.inbox import has_own_inbox, list_files
from brain_pipelines.orchestration.workers.fence import Copy, Fence, address_of
from brain_pipelines.orchestration.workers.forgotten import waits
from brain_pipelines.orchestration.workers.local_files import read_state
from brain_pipelines.orchestration.workers.session import is_shared, session
from brain_retrieval.errors import InvalidSettingsError, WriterBusyError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

WAIT_SECONDS = 0.05


class Opened(Protocol):
    """The users that a tick may write."""

    def enter(self, user: str) -> bool:
        """Open a user until the end of the tick; return False if there is nothing to do, or a worker is at it."""
        ...


class _All:
    def enter(self, user: str) -> bool:
        return True


@dataclass
class _Sessions:
    home: Home
    settings: Settings
    fence: Fence
    address: str
    stack: ExitStack
    copies: dict[str, Copy] = field(default_factory=dict)

    def enter(self, user: str) -> bool:
        space = self.home.space(user)
        if read_state(space).version == self._version(user) and is_quiet(space) and not waits(space):
            return False
        one = session(self.home, self.settings, self.address, [user], fence=self.fence, seconds=WAIT_SECONDS)
        try:
            self.stack.enter_context(one)
        except WriterBusyError:
            return False
        return True

    def _version(self, user: str) -> int:
        return self.copies[user].version if user in self.copies else 0


@contextmanager
def opening(home: Home, settings: Settings, instance: DagsterInstance | None) -> Iterator[Opened]:
    """Yield what opens users for a tick; without workers every user is open.

    Raises:
        LostLockError: PostgreSQL does not answer; what the tick landed is not committed; a later one lands it again.
    """
    if not is_shared(settings):
        yield _All()
        return
    if instance is None:
        raise InvalidSettingsError("the users of this home are computed by workers: its inbox is read by the sensor")
    address = address_of(instance)
    with Fence(address) as fence, ExitStack() as stack:
        yield _Sessions(home, settings, fence, address, stack, fence.copies())


def is_quiet(space: Space) -> bool:
    """Return whether the inbox holds just what has landed, and no day waits for a run."""
    if not space.landing.is_file():
        return not has_own_inbox(space)
    try:
        with closing(sqlite3.connect(f"{space.landing.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            landed = {row[0]: row[1:] for row in connection.execute("SELECT uri, size, mtime_ns FROM delivery")}
            waits = connection.execute("SELECT EXISTS (SELECT 1 FROM dirty)").fetchone()[0]
    except sqlite3.DatabaseError:
        return False
    if waits or not has_own_inbox(space):
        return not waits
    return {file.uri: (file.size, file.mtime_ns) for file in list_files(space.inbox)} == landed
