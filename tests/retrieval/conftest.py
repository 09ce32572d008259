"""Fixtures shared by the tests of searching."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.query.ranker.trees import shipped
from tests.once import built_once
from tests.retrieval.library import fill, note_rows, row, talk_rows


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two users; read only."""

    def build(home: Path) -> None:
        fill(home, "alice", [*talk_rows(), *note_rows()])
        fill(home, "bob", [row("note", "secret.md", "2026-02-01", "Project Phoenix password: hunter2, says Bob.")])

    return built_once(tmp_path_factory, "library", build)


@pytest.fixture
def brain(library: Path) -> Iterator[Brain]:
    with Brain.open(library, user="alice") as opened:
        yield opened


def always_count(patch: pytest.MonkeyPatch) -> None:
    """Make the trained correction count in full, also in a home as small as those of the tests."""
    unguarded = replace(shipped(), guard=None)
    patch.setattr("brain_retrieval.query.ranker.correction.shipped", lambda: unguarded)


@pytest.fixture
def trees_that_always_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trained correction counts in full."""
    always_count(monkeypatch)
