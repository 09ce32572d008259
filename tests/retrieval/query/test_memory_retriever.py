"""The retriever of memories over real stores: which memories count, for which passage, and what if there are none."""

from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from brain_pipelines.stages.memory_vectors import in_bytes
from brain_retrieval.brain import Brain
from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.memory_retriever import fitting, in_memory, lying
from brain_retrieval.query.retrievers import attempt, within_seconds
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.library import embedder, fill, row
from tests.retrieval.query.pools import Result, candidates_of, place

DAY = "2026-01-05"
TALK = "The weather was fine. Rosa keeps four hens behind the shed. The train came late."
OTHER = "The hens of the museum are made of clay, and the weather hen on the roof is old."
QUESTION = "does Rosa keep hens?"


def landed(home: Path, *others: dict[str, Any], keep: float = 0.9, received: datetime | None = None) -> Space:
    """Write two passages of one source, the memory of the first with its vector, and other passages."""
    rows = [
        row("note", "talk.md", DAY, TALK),
        row("note", "talk.md", DAY, OTHER, position=1, start=len(TALK) + 1),
    ]
    space = fill(home, "rosa", [*rows, *others])
    text, same = "Rosa keeps four hens behind the shed.", ("source_id", "source", "uri", "day", "event_at")
    memory = {name: rows[0][name] for name in same} | {
        "memory_id": "m1",
        "text": text,
        "received_at": received or rows[0]["received_at"],
        "said_at": rows[0]["event_at"],
        "effective_from": rows[0]["event_at"],
        "keep": keep,
        "modality": "asserted",
        "start": TALK.index(text),
        "end": TALK.index(text) + len(text),
        "evidence": text,
    }
    model = embedder()
    vector = {"memory_id": "m1", "source_id": memory["source_id"], "source": "note", "day": DAY, "model": model.name}
    vector |= {"text_hash": "", "vector": in_bytes(model.embed([text]))[0].tolist(), "code_version": "1"}
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        lake.replace("memories", "note", DAY, frame("memories", memory).to_arrow())
        lake.replace("memory_vectors", "note", DAY, [vector | {"config_hash": ""}])
    return space


def search(home: Path, weight: float = 0.2, known_at: str | None = None) -> tuple[dict[str, Hit], list[str]]:
    """Return the hits by the beginning of their text, and the warnings."""
    settings = load_settings(home)
    chosen = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"memory_weight": weight})})
    with Brain.open(home, user="rosa", settings=chosen) as brain:
        found = brain.search(QUESTION, min_score=0, log=False, known_at=known_at)
    return {hit.text[:5]: hit for hit in found}, found.warnings


def test_a_passage_gains_by_its_memory_and_one_without_loses(tmp_path: Path) -> None:
    landed(tmp_path)
    found, warnings = search(tmp_path)
    first, other = found["The w"], found["The h"]
    assert (first.why_ranked.arms["memories"].normalised, first.why_ranked.arms["memories"].rank) == (1.0, 1)
    assert "memories" not in other.why_ranked.arms
    assert first.why_ranked.boosts["memories"] > 0 > other.why_ranked.boosts["memories"]
    assert warnings == []


def test_a_table_and_a_picture_lose_nothing(tmp_path: Path) -> None:
    rows = "Hens | 4\nShed | 1\nBrush | 2\nBucket | 3\nPicture of hens | 1"
    table = row("note", "talk.md", DAY, rows, position=2, start=len(TALK) + len(OTHER) + 2)
    landed(tmp_path, table, row("image", "shed.png", DAY, "A picture that looks like a photo of hens behind the shed."))
    found, _ = search(tmp_path)
    added = {text: hit.why_ranked.boosts.get("memories", 0.0) for text, hit in found.items()}
    assert added.pop("The w") > 0 > added.pop("The h")
    assert added == {"Hens ": 0.0, "A pic": 0.0}


def test_a_memory_is_of_the_passage_that_it_begins_in() -> None:
    spans = {"a0": ("a", 0, 10), "a1": ("a", 10, 20), "a4": ("a", 40, 50), "b0": ("b", 0, 5)}
    rows = {key: place(source, 0, start=start, end=end) for key, (source, start, end) in spans.items()}
    starts = [("a", 0), ("a", 9), ("a", 10), ("a", 20), ("a", 49), ("a", 50), ("b", 4), ("b", 5), ("c", 0)]
    kept = [{"source_id": source, "start": start, "keep": 0.5} for source, start in starts]
    found = candidates_of(rows, Result("lexical", dict.fromkeys(rows, 1.0)))
    memories, of = lying(MemoryIndex(pl.DataFrame(kept)), found)
    assert {starts[memory]: found.ids[row] for memory, row in zip(memories, of, strict=True)} == {
        ("a", 0): "a0",
        ("a", 9): "a0",
        ("a", 10): "a1",
        ("a", 49): "a4",
        ("b", 4): "b0",
    }


def test_a_weight_of_zero_compares_no_memories(tmp_path: Path) -> None:
    landed(tmp_path)
    found, _ = search(tmp_path, weight=0.0)
    assert all("memories" not in hit.why_ranked.arms | hit.why_ranked.boosts for hit in found.values())


def test_a_memory_that_was_received_later_does_not_count(tmp_path: Path) -> None:
    landed(tmp_path, received=datetime(2026, 6, 1, tzinfo=UTC))
    before, _ = search(tmp_path, known_at="2026-05-01")
    after, _ = search(tmp_path, known_at="2026-07-01")
    assert "memories" not in before["The w"].why_ranked.arms
    assert "memories" in after["The w"].why_ranked.arms


def test_vectors_that_cannot_be_read_leave_the_memories_out_with_a_warning(tmp_path: Path) -> None:
    space = landed(tmp_path)
    for file in (space.lake / "memory_vectors").rglob("*.parquet"):
        file.write_bytes(b"broken")
    found, warnings = search(tmp_path)
    assert len(found) == 2
    assert any(warning.startswith("the memories retriever was left out") for warning in warnings)


def test_memories_without_vectors_of_the_model_are_not_compared(tmp_path: Path) -> None:
    space = landed(tmp_path)
    with Catalog(space) as catalog:
        Lake(space, catalog).replace("memory_vectors", "note", DAY, [])
    found, warnings = search(tmp_path)
    assert all("memories" not in hit.why_ranked.boosts for hit in found.values())
    assert warnings == []


def test_what_takes_too_long_is_left_out_with_a_warning() -> None:
    warnings: list[str] = []
    assert attempt("memories", lambda: within_seconds(Future(), 0.01), warnings) is None
    assert warnings == [
        "the memories retriever was left out: it took longer than 0.01 s; it may be there for the next search"
    ]


def test_memories_are_in_memory_from_when_they_are_read_until_their_home_changes(tmp_path: Path) -> None:
    space = landed(tmp_path)
    with Brain.open(tmp_path, user="rosa") as brain:
        catalog = brain._searcher.catalog
        ready, found = [], []
        for write in (False, False, True, False):
            if write:
                with Catalog(space) as other:
                    Lake(space, other).replace("memory_vectors", "note", DAY, [])
            ready.append(in_memory(space, catalog))
            hits = brain.search(QUESTION, min_score=0, log=False)
            found.append(["memories" in hit.why_ranked.arms for hit in hits])
    assert ready == [False, True, False, True]
    assert found == [[True, False], [True, False], [False, False], [False, False]]


def test_how_a_memory_fits_depends_on_its_cosine_and_its_chance_of_being_worth_keeping() -> None:
    cosines, keep = np.array([0.6, 0.6, 0.2]), np.array([1.0, 0.0625, 1.0])
    assert fitting(cosines, keep).tolist() == pytest.approx([1.0, 0.5, 0.5])


def test_vectors_in_bytes_keep_their_direction() -> None:
    vectors = embedder().embed(["Rosa keeps hens", "the train came late"])
    stored = in_bytes(vectors).astype(np.float32)
    cosines = (stored * vectors).sum(axis=1) / np.linalg.norm(stored, axis=1)
    assert cosines.min() > 0.999
