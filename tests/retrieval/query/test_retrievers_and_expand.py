"""The retrievers and the neighbouring turns of a hit, over a small real index with hand-chosen vectors."""

import math
from typing import Any

import numpy as np
import pytest

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home
from brain_retrieval.query.expand import read_hits
from brain_retrieval.query.retrievers import (
    COLUMNS,
    ArmResult,
    attempt,
    merged_rows,
    retrieve_by_vector,
    retrieve_lexical,
)
from brain_retrieval.stores.index.build import open_index
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter
from brain_retrieval.stores.index.protocol import SearchIndex
from tests.retrieval.library import row

DAY = "2026-01-05"
QUESTION = np.array([1.0, 0.0], dtype=np.float32)
SPOKEN = ["good morning all", "the boat leaks", "is the boat old", "twenty years", "sell the boat then", "agreed"]
WRITTEN = ["the harbour report", "a boat was sold", "rain is expected"]
Library = tuple[SearchIndex, list[dict[str, Any]]]

NOTES = IndexFilter(sources=["note"])
COSINES = [0.0, 1.0, 0.8, 0.6, 0.28, 0.0, 0.0, 0.96, 0.0]


def unit(cosine: float) -> np.ndarray:
    return np.array([cosine, math.sqrt(1 - cosine**2)], dtype=np.float32)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Return an index of six turns and of a note of three chunks, and their rows in that order."""
    space = Home(tmp_path_factory.mktemp("home")).space("alice").create()
    index = open_index(space, "lancedb", model="plane", dim=2)
    turns = [row("conversation", "talk", DAY, text, position=n, speaker="Ana") for n, text in enumerate(SPOKEN)]
    notes = [row("note", "note", DAY, text, position=n) for n, text in enumerate(WRITTEN)]
    rows = [r | {"vector": unit(c)} for r, c in zip(turns + notes, COSINES, strict=True)]
    for source in ("conversation", "note"):
        index.replace(source, [DAY], [r for r in rows if r["source"] == source])
    return index, rows


def test_vector_retriever_returns_nearest_by_cosine(library: Library) -> None:
    index, rows = library
    found = retrieve_by_vector(index, QUESTION, EVERYTHING, 4, {})
    assert list(found.retrieved) == [rows[n]["id"] for n in (1, 7, 2, 3)]
    assert list(found.retrieved.values()) == pytest.approx([1.0, 0.96, 0.8, 0.6], abs=1e-5)
    assert found.lowest == pytest.approx(0.6, abs=1e-5)
    assert found.scores == found.retrieved
    assert found.name == "vector"
    assert found.rows[rows[7]["id"]] == {key: rows[7][key] for key in COLUMNS}


def test_candidates_of_other_retrievers_get_a_cosine_but_no_rank(library: Library) -> None:
    index, rows = library
    others = {rows[4]["id"]: unit(0.28), rows[1]["id"]: unit(0.5)}
    found = retrieve_by_vector(index, QUESTION, EVERYTHING, 2, others)
    assert list(found.retrieved) == [rows[1]["id"], rows[7]["id"]]
    assert found.scores[rows[4]["id"]] == pytest.approx(0.28)
    assert found.scores[rows[1]["id"]] == pytest.approx(1.0)  # its own answer stands


def test_min_similarity_filters_the_vector_retriever_only(library: Library) -> None:
    index, rows = library
    found = retrieve_by_vector(index, QUESTION, EVERYTHING, 9, {rows[2]["id"]: unit(0.8)}, min_similarity=0.9)
    assert set(found.retrieved) == set(found.rows) == {rows[1]["id"], rows[7]["id"]}
    assert found.scores[rows[2]["id"]] == pytest.approx(0.8)
    assert set(retrieve_by_vector(index, QUESTION, EVERYTHING, 9, {}, min_similarity=1.0).retrieved) == {rows[1]["id"]}
    assert len(retrieve_by_vector(index, QUESTION, EVERYTHING, 9, {}, min_similarity=-1.0).retrieved) == 9


def test_lexical_retriever_returns_matches_in_scope_with_vectors(
    library: Library,
) -> None:
    index, rows = library
    found, vectors = retrieve_lexical(index, "boat old", EVERYTHING, 3)
    assert next(iter(found.retrieved)) == rows[2]["id"]  # holds both words
    assert list(found.retrieved.values()) == sorted(found.retrieved.values(), reverse=True)
    assert (found.name, len(found.rows), found.scores) == ("lexical", 3, found.retrieved)
    shown = ("id", "source_id", "position", "day", "received_at", "ttl_policy")
    assert found.rows[rows[2]["id"]] == {key: rows[2][key] for key in shown}
    assert vectors[rows[2]["id"]] == pytest.approx(unit(0.8))
    assert vectors[rows[2]["id"]].dtype == np.float32
    noted, _ = retrieve_lexical(index, "boat", NOTES, 10)
    assert list(noted.rows) == [rows[7]["id"]]
    near = retrieve_by_vector(index, QUESTION, NOTES, 1, {})
    assert list(near.rows) == [rows[7]["id"]]


def test_empty_retriever_result_has_no_lowest_score() -> None:
    assert ArmResult("vector", {}, {}).lowest == 0.0
    assert ArmResult("vector", {}, {"a": -0.5, "b": 0.5}).lowest == -0.5


def test_rows_of_all_retrievers_are_merged() -> None:
    one, two = {"id": "a"}, {"id": "b"}
    results = [ArmResult("vector", {"a": one}, {}), ArmResult("lexical", {"b": two, "a": one}, {})]
    assert merged_rows(results) == {"a": one, "b": two}


def test_a_failure_becomes_a_warning_and_nothing_else() -> None:
    warnings: list[str] = []

    def broken() -> int:
        raise ValueError("x" * 300)

    def refused() -> int:
        raise StoreError("the index is damaged")

    assert attempt("vector", lambda: 7, warnings) == 7
    assert warnings == []
    assert attempt("vector", broken, warnings) is None
    assert attempt("lexical", refused, warnings) is None
    assert warnings == [
        f"the vector retriever was left out: ValueError: {'x' * 200}",
        "the lexical retriever was left out: the index is damaged",
    ]


def around(
    library: Library, *numbers: int, reach: int, within: IndexFilter = EVERYTHING
) -> list[tuple[str, dict[int, str]]]:
    index, rows = library
    found = read_hits(index, [rows[n] for n in numbers], reach=reach, within=within)
    assert all(n.source_ref.source_id == hit["source_id"] for hit, beside in found for n in beside)
    return [(hit["text"], {n.offset: n.text for n in beside}) for hit, beside in found]


def test_a_turn_comes_with_those_within_reach(library: Library) -> None:
    assert around(library, 3, reach=1) == [(SPOKEN[3], {-1: SPOKEN[2], 1: SPOKEN[4]})]
    assert around(library, 3, reach=2) == [(SPOKEN[3], {-2: SPOKEN[1], -1: SPOKEN[2], 1: SPOKEN[4], 2: SPOKEN[5]})]
    assert around(library, 3, reach=0) == [(SPOKEN[3], {})]
    assert around(library, 5, 0, reach=1) == [(SPOKEN[5], {-1: SPOKEN[4]}), (SPOKEN[0], {1: SPOKEN[1]})]


def test_a_hit_is_no_neighbour_and_a_note_has_none(library: Library) -> None:
    assert around(library, 2, 7, 3, reach=1) == [
        (SPOKEN[2], {-1: SPOKEN[1]}), (WRITTEN[1], {}), (SPOKEN[3], {1: SPOKEN[4]}),
    ]  # fmt: skip


def test_neighbours_and_hits_stay_inside_the_scope(library: Library) -> None:
    _, rows = library
    scope = IndexFilter(ids=[rows[2]["id"], rows[3]["id"]])
    assert around(library, 3, reach=1, within=scope) == [(SPOKEN[3], {-1: SPOKEN[2]})]
    assert around(library, 3, 7, reach=1, within=NOTES) == [(WRITTEN[1], {})]


def test_deleted_candidates_are_skipped_and_no_candidates_need_no_query(library: Library) -> None:
    index, rows = library
    gone = rows[0] | {"id": "gone"}
    found = read_hits(index, [gone, rows[8]], reach=1, within=EVERYTHING)
    assert [hit["id"] for hit, _ in found] == [rows[8]["id"]]
    assert read_hits(index, [], reach=1, within=EVERYTHING) == []
    assert found[0][0].items() <= rows[8].items()
