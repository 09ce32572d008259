"""What a connector is: a name, whose inbox it fills, and a look that takes what is new. No transport lives here.

Every look remembers where it was in `<home>/users/<user>/connectors/<kind>-<name>.json`, which the sensor and the
command line share. It is written after a file is durable in the inbox, never before, so a crash costs at most one
file that is taken twice, under the same name.
"""

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brain_retrieval.errors import BrainError, WriterBusyError
from brain_retrieval.home import Space

SAVE_SECONDS = 2.0  # between two writings of the state within a look
LISTED_FAILURES = 20


class ConnectorError(BrainError):
    """A connector that cannot look: the message says why, without secrets."""


@dataclass
class Look:
    """One look: what it may take, what it took. `state` holds plain JSON values and is the connector's own."""

    space: Space
    until: float  # monotonic
    max_bytes: int  # of one file
    state: dict[str, Any]
    save: Callable[[dict[str, Any]], None]
    taken: int = 0
    removed: int = 0
    waiting: int = 0
    failures: list[str] = field(default_factory=list)
    more: bool = False  # the time was up before everything was taken
    _saved: float = 0.0

    def time_is_up(self) -> bool:
        """Tell whether to stop, and remember that there is more."""
        self.more = self.more or time.monotonic() > self.until
        return self.more

    def took(self, *, files: int = 1) -> None:
        """Count files that are durable now, and save the state from time to time."""
        self.taken += files
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save(self.state)
            self._saved = time.monotonic()

    def failed(self, reason: str) -> None:
        """Note what could not be taken; the first reasons are kept."""
        if len(self.failures) < LISTED_FAILURES:
            self.failures.append(reason[:300])

    def summary(self) -> str:
        """Return the look in words."""
        parts = [f"{self.taken} taken"]
        parts += [f"{self.removed} removed"] if self.removed else []
        parts += [f"{self.waiting} still being written"] if self.waiting else []
        parts += ["more is waiting"] if self.more else []
        return ", ".join(parts) + "".join(f"; {reason}" for reason in self.failures)


@dataclass(frozen=True)
class Connector:
    """A configured connector. `place` is where it looks, without secrets."""

    kind: str
    name: str
    user: str
    source: str
    place: str
    interval_seconds: int
    look: Callable[[Look], None]

    @property
    def key(self) -> str:
        """Return the unique name, such as `imap-work`."""
        return f"{self.kind}-{self.name}"

    def run(self, space: Space, *, seconds: float, max_bytes: int) -> Look:
        """Take what is new, for at most about `seconds`.

        Raises:
            ConnectorError: it cannot be reached, or is set up wrongly.
            WriterBusyError: another process is at it.
        """
        folder = space.root / "connectors"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{self.key}.json"
        with _alone(path.with_suffix(".lock"), self.key):
            look = Look(space, time.monotonic() + seconds, max_bytes, _load(path), lambda state: _save(path, state))
            try:
                self.look(look)
            except OSError as error:
                raise ConnectorError(f"{self.key}: {type(error).__name__}: {error.strerror or 'failed'}") from None
            finally:
                _save(path, look.state)
        return look


@contextmanager
def _alone(path: Path, key: str) -> Iterator[None]:
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WriterBusyError(f"the connector {key} is at work in another process") from None
        yield


def _load(path: Path) -> dict[str, Any]:
    """Return the remembered state; a damaged one is forgotten, and everything is taken once more."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _save(path: Path, state: dict[str, Any]) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(state, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
