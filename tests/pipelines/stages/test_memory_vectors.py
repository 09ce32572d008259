"""The vectors of memories: one for each, made again only for new texts, of the model that embeds the chunks."""

from pathlib import Path

import pytest

from brain_pipelines.stages import memory_vectors
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.conftest import Bench

TEXT = "Rosa Diaz moved to Porto on 3 March 2026.\n\nThe new bicycle of Rosa Diaz cost 400 euros.\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Bench:
    bench = Bench(Home(tmp_path_factory.mktemp("vectors")))
    bench.land(bench.drop("alice", "note", "rosa.md", TEXT, day="2026-03-05"))
    bench.run()
    return bench


def rows(bench: Bench, table: str) -> list[dict]:
    with Catalog(bench.space()) as catalog:
        return Lake(bench.space(), catalog).read(table).to_pylist()


def test_each_memory_has_a_vector_of_the_index_model(bench: Bench) -> None:
    memories, vectors = rows(bench, "memories"), rows(bench, "memory_vectors")
    assert memories
    assert {row["memory_id"] for row in vectors} == {row["memory_id"] for row in memories}
    assert {(row["model"], len(row["vector"])) for row in vectors} == {("minilm-int8", 384)}


def test_a_memory_whose_text_is_the_same_is_not_embedded_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    real = memory_vectors.build_embedder

    class Counting:
        def __init__(self, *args, **kwargs) -> None:
            self.model = real(*args, **kwargs)
            self.name, self.dim = self.model.name, self.model.dim

        def embed(self, texts, **options):
            embedded.extend(texts)
            return self.model.embed(texts, **options)

    before = {row["memory_id"]: row["vector"] for row in rows(bench, "memory_vectors")}
    monkeypatch.setattr(memory_vectors, "build_embedder", Counting)
    bench.land(
        bench.drop("alice", "note", "rosa.md", TEXT + "\nRosa Diaz sold her piano in April.\n", day="2026-03-05")
    )
    bench.run()
    after = {row["memory_id"]: row["vector"] for row in rows(bench, "memory_vectors")}
    assert len(embedded) == len(after.keys() - before.keys())
    assert all("piano" in text for text in embedded)
    assert all(after[key] == vector for key, vector in before.items() if key in after)
