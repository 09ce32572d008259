"""What the vectors of memories tell of their use: for those of the model that the weights were fitted to."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.shown.meaning import direction, meanings, promising
from brain_retrieval.knowledge.memories.vectors import MemoryVectors

SAID = datetime(2026, 3, 2, tzinfo=UTC)
KEEPS = {"a": 0.7, "b": 0.7, "c": 0.7}


def index(keeps: dict[str, float] = KEEPS) -> MemoryIndex:
    rows = [
        {
            "memory_id": key,
            "keep": keep,
            "said_at": SAID,
            "effective_from": SAID,
            "valid_to": None,
            "from_stated": False,
        }
        for key, keep in keeps.items()
    ]
    return MemoryIndex.of(pl.DataFrame(rows, schema_overrides={"valid_to": pl.Datetime(time_zone="UTC")}))


def vectors(**signs: int) -> dict[str, MemoryVectors]:
    """Return a vector along the fitted weights for each memory, or against them; their lengths say nothing."""
    towards = direction().weights
    made = [np.round(sign * towards / np.abs(towards).max() * 127 / abs(sign)) for sign in signs.values()]
    keys = pl.DataFrame({"memory_id": list(signs), "source": "note", "day": "2026-03-02"})
    return {direction().model: MemoryVectors(keys, np.array(made, np.int8))}


def test_a_vector_along_the_weights_adds_and_one_against_them_takes_away() -> None:
    found = meanings(index(), vectors(a=1, b=-1), np.arange(3))
    assert set(found) == {"a", "b"}
    assert found["a"] == pytest.approx(-found["b"])
    assert found["a"] > 0


def test_the_length_of_a_vector_says_nothing() -> None:
    plain = vectors(a=1)
    model = direction().model
    shorter = {model: MemoryVectors(plain[model].keys, (plain[model].rows // 2).astype(np.int8))}
    found = (meanings(index(), each, np.arange(3))["a"] for each in (plain, shorter))
    assert next(found) == pytest.approx(next(found), abs=0.05)


def test_vectors_of_another_model_tell_nothing() -> None:
    assert meanings(index(), {"another": vectors(a=1)[direction().model]}, np.arange(3)) == {}
    assert meanings(index(), {}, np.arange(3)) == {}


def test_of_many_memories_those_that_their_vectors_speak_for_are_judged() -> None:
    rows = index()
    ids = rows.rows["memory_id"]
    of_vectors = promising(rows, vectors(a=-1, b=1, c=-1), np.arange(3), most=1)
    assert ids[of_vectors].to_list() == ["b"]
    assert promising(rows, {}, np.arange(3), most=3).tolist() == [0, 1, 2]
    by_keep = promising(index({"a": 0.6, "b": 0.7, "c": 0.9}), {}, np.arange(3), most=2)
    assert len(by_keep) == 2
    assert set(ids[by_keep].to_list()) == {"b", "c"}
