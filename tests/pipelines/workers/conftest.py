"""A home and two workers without a common directory: they share PostgreSQL and a destination of contents."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from brain_pipelines.orchestration.workers.fence import Fence
from brain_pipelines.orchestration.workers.session import session, share
from brain_retrieval.home import Home
from tests.pipelines.cells.conftest import database, postgres  # noqa: F401 - fixtures
from tests.pipelines.conftest import Bench


@dataclass(frozen=True)
class Machines:
    """The home, the scratch directories of workers, and what they share."""

    home: Bench
    first: Bench
    second: Bench
    database: str
    store: Path

    def session(self, bench: Bench, users: Sequence[str] = ("alice",), **options: Any) -> AbstractContextManager[Any]:
        return session(bench.home, bench.settings, self.database, users, **options)

    def fence(self) -> Fence:
        return Fence(self.database)

    def run(self, bench: Bench, user: str = "alice", *, run_id: str = "test") -> None:
        """Run a user's notes as a worker does."""
        with self.session(bench, [user], run_id=run_id):
            bench.run(user, run_id=run_id)

    def land(self, name: str, text: str, *, user: str = "alice", day: str = "2026-01-05") -> None:
        """Land a note in the home."""
        path = self.home.drop(user, "note", name, text, day=day)
        with self.session(self.home, [user]):
            self.home.land(path, user)


def write_settings(home: Path, models_dir: Path, destination: str, more: str = "") -> Home:
    """Make a home directory whose users are computed by workers."""
    home.mkdir(parents=True)
    settings = f'models_dir = "{models_dir}"\nfirst_day = 2026-01-01\n[workers]\ndestination = "{destination}"\n{more}'
    (home / "brain.toml").write_text(settings)
    os.chmod(home / "brain.toml", 0o600)
    return Home(home)


@pytest.fixture
def machines(tmp_path: Path, database: str, models_dir: Path) -> Machines:  # noqa: F811 - the fixture
    """A home without users, and two workers."""
    store = tmp_path / "store"
    homes = [
        write_settings(tmp_path / "machines" / name, models_dir, f"file://{store}")
        for name in ("home", "first", "second")
    ]
    for one in homes[1:]:
        share(one.path, "worker")
    home, first, second = (Bench(one) for one in homes)
    return Machines(home, first, second, database, store)
