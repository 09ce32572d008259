"""Destinations of backups: a directory, and a bucket of a real S3 server."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_pipelines.landing.offsite.objects import Objects, open_objects
from brain_retrieval.home import Home
from brain_retrieval.settings import BackupSettings
from tests.once import built_once
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import snapshot
from tests.servers import s3

NOTES = {
    "lead.md": ("2026-01-07", "Priya Raman leads Phoenix. Phoenix depends on Kafka."),
    "gone.md": ("2026-02-03", "Wilhelmina Zwart brought the marzipan catalogue to Reykjavik. It costs 412 kroner."),
}
WORDS = ("wilhelmina", "zwart", "marzipan", "reykjavik")
REASON = "the S3 server is not built; `make s3-install` builds it (it needs Go)"


@pytest.fixture(scope="session")
def s3_server() -> Iterator[s3.Server]:
    if s3.installed() is None:
        if os.environ.get("BRAIN_TEST_S3") == "required":
            pytest.fail(REASON, pytrace=False)
        pytest.skip(REASON)
    with s3.serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The directory that is the destination of most tests."""
    return tmp_path / "backups"


@pytest.fixture
def objects(folder: Path) -> Objects:
    return open_objects(BackupSettings(destination=folder.as_uri()))


@pytest.fixture(params=["file", "s3"])
def either(request: pytest.FixtureRequest, objects: Objects, tmp_path: Path) -> Objects:
    """A directory, and a prefix of its own in a bucket."""
    if request.param == "file":
        return objects
    server: s3.Server = request.getfixturevalue("s3_server")
    return open_objects(BackupSettings(**server.settings(tmp_path.name)))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home whose user has notes, an index and a snapshot; tests work on copies of it."""

    def build(folder: Path) -> None:
        found = Bench(Home(folder))
        for name, (day, text) in NOTES.items():
            found.land(found.drop("alice", "note", name, text, day=day))
        found.run()
        snapshot(found, "2026-03-01")

    return Bench(Home(built_once(tmp_path_factory, "backed-up", build)))


@pytest.fixture
def filled(bench: Bench, template: Bench) -> Bench:
    shutil.copytree(template.home.path, bench.home.path, dirs_exist_ok=True)
    return bench


@pytest.fixture
def other(tmp_path: Path) -> Bench:
    """Another, empty home."""
    (tmp_path / "other").mkdir()
    return Bench(Home(tmp_path / "other"))


def clone(bench: Bench, path: Path) -> Bench:
    """Return a copy of a home."""
    shutil.copytree(bench.home.path, path)
    return Bench(Home(path))
