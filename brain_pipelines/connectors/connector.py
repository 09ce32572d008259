"""The connector contract: a name, the inbox it fills, and a function that polls for new files. No transport code.

The polling state is kept in `<home>/users/<user>/connectors/<kind>-<name>.json`, shared by the sensor and the command
line. It is written only after a file is durable in the inbox, so a crash costs at most copying one file again under the
same name.
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

SAVE_SECONDS = 2.0  # minimum time between two writes of the state within one poll
LISTED_FAILURES = 20


class ConnectorError(BrainError):
    """A connector that cannot be polled; the message gives the reason, without secrets."""


@dataclass
class PollRun:
    """One poll: its limits and its results. `state` holds plain JSON values owned by the connector."""

    space: Space
    until: float  # deadline on the monotonic clock
    max_bytes: int  # limit for one file
    state: dict[str, Any]
    save: Callable[[dict[str, Any]], None]
    taken: int = 0
    removed: int = 0
    waiting: int = 0
    failures: list[str] = field(default_factory=list)
    more: bool = False  # stopped by a limit before everything was copied
    _saved: float = 0.0

    def time_is_up(self) -> bool:
        """Return whether to stop; if so, record that more is waiting."""
        self.more = self.more or time.monotonic() > self.until
        return self.more

    def count_taken(self, *, files: int = 1) -> None:
        """Count files that are now durable, and save the state every SAVE_SECONDS."""
        self.taken += files
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save(self.state)
            self._saved = time.monotonic()

    def add_failure(self, reason: str) -> None:
        """Record why something was not copied; only the first LISTED_FAILURES reasons are kept."""
        if len(self.failures) < LISTED_FAILURES:
            self.failures.append(reason[:300])

    def summary(self) -> str:
        """Return the result in one line."""
        parts = [f"{self.taken} taken"]
        parts += [f"{self.removed} removed"] if self.removed else []
        parts += [f"{self.waiting} still being written"] if self.waiting else []
        parts += ["more is waiting"] if self.more else []
        return ", ".join(parts) + "".join(f"; {reason}" for reason in self.failures)


@dataclass(frozen=True)
class Connector:
    """A configured connector. `place` is what it polls, without secrets."""

    kind: str
    name: str
    user: str
    source: str
    place: str
    interval_seconds: int
    poll: Callable[[PollRun], None]

    @property
    def key(self) -> str:
        """Return the unique name, such as `imap-work`."""
        return f"{self.kind}-{self.name}"

    def run(self, space: Space, *, seconds: float, max_bytes: int) -> PollRun:
        """Copy new files, for about `seconds` at most.

        Raises:
            ConnectorError: the place cannot be reached, or the configuration is wrong.
            WriterBusyError: another process is running this connector.
        """
        folder = space.root / "connectors"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{self.key}.json"
        with _exclusive_lock(path.with_suffix(".lock"), self.key):
            run = PollRun(space, time.monotonic() + seconds, max_bytes, _load(path), lambda state: _save(path, state))
            try:
                self.poll(run)
            except OSError as error:
                raise ConnectorError(f"{self.key}: {type(error).__name__}: {error.strerror or 'failed'}") from None
            finally:
                _save(path, run.state)
        return run


@contextmanager
def _exclusive_lock(path: Path, key: str) -> Iterator[None]:
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WriterBusyError(f"the connector {key} is at work in another process") from None
        yield


def _load(path: Path) -> dict[str, Any]:
    """Return the saved state; if it is damaged, an empty one, so that everything is copied again."""
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
