"""What a home knows of the backups of a user: who writes them, the last one, and what is still to be removed."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta

from brain_retrieval.home import Space
from brain_retrieval.stores.durable import make_folder, write_bytes

NAME = "backup-state.json"
LOCK = "backup.lock"


@dataclass(frozen=True)
class State:
    """Stored beside the user's data, and not part of a backup.

    Args:
        writer: random id of this copy of the user.
        destination: that the rest is about.
        number: of the newest backup that this copy made or was restored from; 0 if there is none.
        at: when the destination last held everything, ISO 8601 UTC; "" if never.
        replace: earlier backups hold what was forgotten here, and go after the next one is made.
    """

    writer: str = field(default_factory=lambda: os.urandom(8).hex())
    destination: str = ""
    number: int = 0
    at: str = ""
    replace: bool = False

    def age(self, now: datetime | None = None) -> timedelta | None:
        """Return how long ago the destination held everything; None if it never did."""
        return (now or datetime.now(UTC)) - datetime.fromisoformat(self.at) if self.at else None


def read_state(space: Space, destination: str | None = None) -> State:
    """Return the stored state; a new one if there is none, it cannot be read, or it is about another destination."""
    try:
        found = State(**json.loads((space.root / NAME).read_bytes()))
    except (OSError, ValueError, TypeError):
        found = State()
    if destination is None or found.destination == destination:
        return found
    return State(writer=found.writer, destination=destination)


def store_state(space: Space, state: State) -> None:
    """Store the state of a user."""
    write_bytes(space.root / NAME, json.dumps(asdict(state), sort_keys=True).encode())


def ask_to_replace(space: Space) -> None:
    """Note that all earlier backups of a user go when the next one has been made; nothing if there are none."""
    state = read_state(space)
    if state.number:
        store_state(space, replace(state, replace=True))


@contextmanager
def backing_up(space: Space) -> Iterator[None]:
    """Hold the lock of this home's backups of a user: one at a time. Waits; always taken before the writer lock."""
    make_folder(space.root)
    descriptor = os.open(space.root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            os.close(descriptor)
