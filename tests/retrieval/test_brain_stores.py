"""`Brain` answers from any store of the search index: the same hits from LanceDB and from an exact scan."""

from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.build import STORES
from brain_retrieval.stores.index.migration import ACTIVE, active_index
from tests.retrieval.library import fill, note_rows, talk_rows
from tests.retrieval.stores.index.exact_index import ExactIndex

QUESTIONS = [
    ("who leads Phoenix?", {}),
    ("who leads Phoenix?", {"as_of": "2026-02-01"}),
    ("the leak in the kitchen", {"people": "ben", "expand": True}),
    ("the leak in the kitchen", {"sources": ["note"], "days": ["2026-02-20", "2026-02-21"]}),
]


@pytest.mark.parametrize(("question", "scope"), QUESTIONS)
def test_another_store_gives_the_same_nearest_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, scope: dict
) -> None:
    monkeypatch.setitem(STORES, "exact", ExactIndex)
    space = fill(tmp_path, "alice", [*talk_rows(), *note_rows()])
    with Brain.open(tmp_path, user="alice") as brain, Catalog(space) as catalog:
        options = {**scope, "weights": {"vector": 1.0}, "log": False}
        expected = brain.search(question, **options)
        first = active_index(space, catalog)
        assert first is not None
        other = ExactIndex(space, model=first.model, dim=first.dim)
        for source in ("note", "conversation"):
            rows = [row for row in first.read().to_pylist() if row["source"] == source]
            other.replace(source, sorted({row["day"] for row in rows}), rows)
        first.drop()
        catalog.set_meta(ACTIVE, f"{other.model}|{other.dim}|exact")
        found = brain.search(question, **options)
        words = brain.search("Phoenix", log=False)
    assert expected and [(hit.text, hit.neighbours) for hit in found] == [
        (hit.text, hit.neighbours) for hit in expected
    ]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-5)
    assert found.warnings == expected.warnings
    assert {arm for hit in words for arm in hit.why_ranked.arms} == {"lexical", "vector"}
