"""A failing store or model drops its retriever with a warning, never the query."""

import shutil
from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from tests.retrieval.library import fill, note_rows, talk_rows


@pytest.fixture
def home(tmp_path: Path) -> Path:
    fill(tmp_path, "alice", [*talk_rows(), *note_rows()])
    return tmp_path


def test_search_without_model_weights_uses_the_lexical_retriever(home: Path, tmp_path: Path) -> None:
    settings = Settings(models_dir=tmp_path / "no-models")
    with Brain.open(home, user="alice", settings=settings) as brain:
        found = brain.search("Project Phoenix")
        pack = brain.context("Project Phoenix", max_tokens=200)
    assert "Phoenix" in found[0].text
    assert set(found[0].why_ranked.arms) == {"lexical"}
    assert any("vector retriever was left out" in warning for warning in found.warnings)
    assert any("tokenizer" in warning for warning in pack.warnings)
    assert pack.items


def test_an_index_of_another_model_is_searched_by_words(home: Path) -> None:
    space = fill(home, "carol", note_rows())
    old = LanceIndex(space, model="minilm-int8", dim=384)
    rows = [r | {"vector": [1.0, 0.0, 0.0]} for r in old.read().to_pylist()]
    other = LanceIndex(space, model="retired-model", dim=3)
    other.replace("note", sorted({r["day"] for r in rows}), rows)
    with Catalog(space) as catalog:
        catalog.set_meta("active_index", "retired-model|3")
    with Brain.open(home, user="carol") as brain:
        found = brain.search("sourdough starter")
    assert "starter" in found[0].text
    assert any("vector retriever was left out" in warning for warning in found.warnings)


def test_a_change_of_the_active_index_is_seen_by_an_open_brain(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        assert brain.search("Phoenix").warnings == []
        brain._searcher.catalog.set_meta("active_index", "gone|5")
        found = brain.search("Phoenix")
    assert found == []
    assert "brain rerun" in found.warnings[0]


def test_broken_text_index_leaves_the_vector_retriever(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        index = brain._searcher.index([])
        assert isinstance(index, LanceIndex)
        index._open().drop_columns(["search_text"])
        found = brain.search("Project Phoenix leader")
    assert "Phoenix" in found[0].text
    assert set(found[0].why_ranked.arms) == {"vector"}
    assert any("lexical retriever was left out" in warning for warning in found.warnings)


@pytest.mark.parametrize("damage", ["data", "_versions"])
def test_a_damaged_index_is_a_warning(home: Path, damage: str) -> None:
    for folder in (home / "users" / "alice" / "index").glob(f"*.lance/{damage}"):
        for file in folder.rglob("*"):
            if file.is_file():
                file.write_bytes(b"\x00garbage\xff" * 3)
    with Brain.open(home, user="alice") as brain:
        found = brain.search("Phoenix")
    assert found == []
    assert any("left out" in warning for warning in found.warnings)


def test_a_vanished_index_is_a_warning(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        shutil.rmtree(home / "users" / "alice" / "index")
        found = brain.search("Phoenix")
    assert found == []
    assert "brain rerun" in found.warnings[0]


def test_a_damaged_catalog_is_a_warning(home: Path) -> None:
    for file in (home / "users" / "alice").glob("catalog.sqlite*"):
        file.write_bytes(b"not a database" * 100)
    with Brain.open(home, user="alice") as brain:
        found = brain.search("Phoenix")
    assert found == []
    assert any("cannot be read" in warning for warning in found.warnings)
