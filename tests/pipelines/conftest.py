"""A home in a temporary directory, ways to drop files into it, and ways to run its days."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_pipelines.engine.run_stage import StageReport, materialize
from brain_pipelines.landing.inbox import FileState, to_uri
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog, Key
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake
from tests.once import built_once

RECEIVED = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Bench:
    """What most pipeline tests do with a home."""

    home: Home

    def space(self, user: str = "alice") -> Space:
        return self.home.space(user)

    @property
    def settings(self) -> Settings:
        return load_settings(self.home.path)

    def drop(self, user: str, source: str, name: str, content: str | bytes, *, day: str = "2026-01-05") -> Path:
        """Write an inbox file whose mtime is noon of `day`."""
        path = self.home.inbox / user / source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        noon = datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()
        os.utime(path, (noon, noon))
        return path

    def land(self, path: Path, user: str = "alice", *, now: datetime = RECEIVED) -> set[str]:
        """Land one inbox file and return the days it made dirty."""
        space = self.space(user)
        with open_landing(space, self.settings) as landing:
            return landing.land(FileState.of(path, space.inbox), now=now)

    def remove(self, path: Path, user: str = "alice") -> set[str]:
        """Delete an inbox file and record that it is gone."""
        space = self.space(user)
        path.unlink()
        with open_landing(space, self.settings) as landing:
            return landing.remove(to_uri(path.relative_to(space.inbox)))

    def run(
        self, user: str = "alice", source: str = "note", days: list[str] | None = None, *, run_id: str = "test"
    ) -> dict[str, StageReport]:
        """Materialise every stage for `days`, or for every day that has or had data."""
        space = self.space(user)
        if days is None:
            with open_landing(space, self.settings) as landing, Catalog(space) as catalog:
                days = sorted({*landing.days(source), *(row.day for row in catalog.ledger(source=source))})
        return {
            stage.name: materialize(stage, SOURCES_BY_NAME[source], space, days, settings=self.settings, run_id=run_id)
            for stage in STAGES
        }

    def run_everything(self, user: str = "alice") -> None:
        for source in SOURCES:
            self.run(user, source.name)

    def digests(self, user: str = "alice") -> tuple[dict[Key, str], str]:
        """Return the digests of every lake table and of the index: equal digests are equal rows."""
        space = self.space(user)
        with Catalog(space) as catalog:
            index = active_index(space, catalog)
            return Lake(space, catalog).digest(), index.digest() if index else ""

    def texts(self, user: str = "alice", source: str = "note") -> dict[str, str]:
        """Return the cleaned text of each item by uri."""
        space = self.space(user)
        with Catalog(space) as catalog:
            rows = Lake(space, catalog).read("text", source=source, columns=["uri", "text"]).to_pylist()
        return {row["uri"]: row["text"] for row in rows}

    def drop_derived(self, user: str = "alice") -> None:
        """Delete all that can be derived: lake, index and catalog."""
        space = self.space(user)
        shutil.rmtree(space.lake)
        shutil.rmtree(space.index)
        for path in space.root.glob("catalog.sqlite*"):
            path.unlink()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A fresh home that is also the process's default."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("BRAIN_HOME", str(home))
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    return Bench(Home(home))


@pytest.fixture(scope="session")
def snapshot_template(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with the notes of the snapshot tests and the snapshot of their day; tests work on copies of it."""
    from tests.pipelines.orchestration.snapshot_steps import NOTES, snapshot, write

    def build(folder: Path) -> None:
        template = Bench(Home(folder))
        write(template, NOTES)
        snapshot(template)

    return Bench(Home(built_once(tmp_path_factory, "template", build)))


@pytest.fixture
def known(bench: Bench, snapshot_template: Bench) -> None:
    """Fill the home of the test with the notes and their snapshot, as `write` and `snapshot` would."""
    shutil.copytree(snapshot_template.home.path, bench.home.path, dirs_exist_ok=True)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Count the texts that reach the embedding model."""
    from brain_retrieval.models.embedding import onnx_embedder

    seen: list[int] = []

    def counting(original: Callable[..., Any]) -> Callable[..., Any]:
        def embed(self, texts, **options):
            seen.append(len(texts))
            return original(self, texts, **options)

        return embed

    for name in ("embed", "embed_coded"):
        original = getattr(onnx_embedder.OnnxEmbedder, name)
        monkeypatch.setattr(onnx_embedder.OnnxEmbedder, name, counting(original))
    yield lambda: sum(seen)
