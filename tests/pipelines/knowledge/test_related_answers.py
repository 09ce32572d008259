"""`brain facts --about` of a home: what answers without a word of the question is found by place, words and meaning."""

from pathlib import Path

import pytest

from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.vectors import memory_vectors
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.models.embedding.local import embed_locally
from tests.pipelines.conftest import Bench

NOTES = {
    "2025-03-02": "The garage on Tollgate Lane belongs to Ines now. It is dry, but the light is broken.",
    "2025-06-08": "Registered with Dr. Almeida on Park Road, she takes new patients.",
    "2025-07-01": "Grandma's piano was tuned by Mr Vasquez.",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Bench:
    bench = Bench(Home(tmp_path_factory.mktemp("related")))
    for day, text in NOTES.items():
        bench.land(bench.drop("alice", "note", f"{day}.md", text, day=day))
    bench.run()
    return bench


def shown(bench: Bench, about: str) -> list[str]:
    return [card.text for card in Knowledge(bench.space(), bench.settings).memories(about, as_of="2025-12-01")]


def test_a_home_without_the_word_is_answered_by_meaning(bench: Bench) -> None:
    assert "Almeida" in shown(bench, "who is our physician")[0]
    assert shown(bench, "blorf zint quax") == []


def test_the_sentence_beside_a_match_comes_after_it(bench: Bench) -> None:
    found = shown(bench, "Tollgate Lane garage rent")
    assert "Tollgate Lane" in found[0]
    assert any("light is broken" in line for line in found[1:])
    assert not any("piano" in line for line in found)


def test_without_the_model_of_the_vectors_words_alone_decide(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    model = next(iter(memory_vectors(bench.space())))
    assert embed_locally("who is our physician", model, bench.settings) is not None
    assert embed_locally("who is our physician", "no-such-model", bench.settings) is None
    monkeypatch.setattr("brain_retrieval.models.embedding.local.embed_locally", lambda *_: None)
    assert shown(bench, "who is our physician") == []
