"""Fixtures shared by the tests of searching."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from tests.retrieval.library import fill, note_rows, row, talk_rows


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two users; read only."""
    home = tmp_path_factory.mktemp("library")
    fill(home, "alice", [*talk_rows(), *note_rows()])
    fill(home, "bob", [row("note", "secret.md", "2026-02-01", "Project Phoenix password: hunter2, says Bob.")])
    return home


@pytest.fixture
def brain(library: Path) -> Iterator[Brain]:
    with Brain.open(library, user="alice") as opened:
        yield opened
