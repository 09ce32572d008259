"""The retrievers and the neighbouring turns of a hit, over a small real index with hand-chosen vectors."""

import math
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home
from brain_retrieval.query.analysis import QuestionTime
from brain_retrieval.query.candidates import COLUMNS
from brain_retrieval.query.expand import read_hits, to_hits
from brain_retrieval.query.hits import Clocks, WhyRanked
from brain_retrieval.query.retrievers import (
    BESIDE,
    attempt,
    gather,
    retrieve_beside,
    retrieve_by_vector,
    retrieve_dated,
    retrieve_lexical,
    retrieve_named,
)
from brain_retrieval.stores.index.build import open_index
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter
from brain_retrieval.stores.index.found import Found
from brain_retrieval.stores.index.protocol import SearchIndex
from tests.retrieval.library import RECEIVED, row

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
    rows = [r | {"vector": unit(c), "word_codes": None} for r, c in zip(turns + notes, COSINES, strict=True)]
    for source in ("conversation", "note"):
        index.replace(source, [DAY], [r for r in rows if r["source"] == source])
    return index, rows


def ids_of(found: Found) -> list[str]:
    return found.rows.column("id").to_pylist()


@pytest.mark.parametrize("turn", range(3))  # the third search is answered from memory
def test_vector_retriever_returns_nearest_by_cosine(library: Library, turn: int) -> None:
    index, rows = library
    found = retrieve_by_vector(index, QUESTION, EVERYTHING, 4)
    assert ids_of(found) == [rows[n]["id"] for n in (1, 7, 2, 3)]
    assert found.scores.tolist() == pytest.approx([1.0, 0.96, 0.8, 0.6], abs=1e-5)
    assert found.rows.to_pylist()[1] == {key: rows[7][key] for key in COLUMNS}


def test_candidates_of_the_other_retriever_get_a_cosine_but_no_rank(library: Library) -> None:
    index, rows = library
    lexical = retrieve_lexical(index, "sell boat", EVERYTHING, 9)
    assert rows[4]["id"] in ids_of(lexical)
    found = gather(lexical, retrieve_by_vector(index, QUESTION, EVERYTHING, 2), QUESTION)
    vector = found.arms["vector"]
    ranked = {key: rank for key, rank in zip(found.ids, vector.ranks.tolist(), strict=True) if rank}
    assert ranked == {rows[1]["id"]: 1, rows[7]["id"]: 2}
    scores = dict(zip(found.ids, vector.scores.tolist(), strict=True))
    assert scores[rows[4]["id"]] == pytest.approx(0.28)
    assert scores[rows[1]["id"]] == pytest.approx(1.0)
    assert vector.lowest == pytest.approx(0.96, abs=1e-5)


def test_min_similarity_filters_the_vector_retriever_only(library: Library) -> None:
    index, rows = library
    nearest = retrieve_by_vector(index, QUESTION, EVERYTHING, 9)
    assert len(nearest) == 9
    lexical = retrieve_lexical(index, "old", EVERYTHING, 9)
    found = gather(lexical, nearest, QUESTION, 0.9)
    assert set(found.ids) == {rows[n]["id"] for n in (1, 7, 2)}
    cosine = dict(zip(found.ids, found.arms["vector"].scores.tolist(), strict=True))
    assert cosine[rows[2]["id"]] == pytest.approx(0.8)
    assert gather(None, nearest, QUESTION, 1.0).ids == [rows[1]["id"]]
    assert len(gather(None, nearest, QUESTION, -1.0)) == 9


def test_lexical_retriever_returns_matches_in_scope_with_vectors(library: Library) -> None:
    index, rows = library
    found = retrieve_lexical(index, "boat old", EVERYTHING, 3)
    assert ids_of(found)[0] == rows[2]["id"]  # holds both words
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    assert (len(found), found.scores.dtype) == (3, np.float64)
    best = found.rows.to_pylist()[0]
    assert best.pop("vector") == pytest.approx(unit(0.8))
    assert best == {key: rows[2][key] for key in COLUMNS}
    assert ids_of(retrieve_lexical(index, "boat", NOTES, 10)) == [rows[7]["id"]]
    assert ids_of(retrieve_by_vector(index, QUESTION, NOTES, 1)) == [rows[7]["id"]]


def test_sources_are_found_by_titles_in_a_question_and_in_a_first_passage(tmp_path: Path) -> None:
    space = Home(tmp_path).space("alice").create()
    index = open_index(space, "lancedb", model="plane", dim=2)
    titles = ["The harbour", "Ada Wren (captain)", "R. J. Ashby", "Bo, Count of Wenlow", "Wren", "Wenlow (mill)"]
    texts = ["Ada Wren and R. J. Ashby sold the boat to Bo, Count of Wenlow.", *("the boat",) * 5]
    rows = [
        row("note", t, DAY, text) | {"title": t, "vector": unit(0.5)} for t, text in zip(titles, texts, strict=True)
    ]
    index.replace("note", [DAY], rows)
    first = retrieve_lexical(index, "sold", EVERYTHING, 1)
    for question, named in (("who sold it?", titles[1:4] + titles[5:]), ("Was Wren there?", titles[1:])):
        found = retrieve_named(index, QUESTION, question, [first], EVERYTHING)
        assert found is not None
        assert sorted(found.rows.column("title").to_pylist()) == sorted(named)
    assert retrieve_named(index, QUESTION, "who sold it?", [], EVERYTHING) is None


@pytest.mark.parametrize(
    ("words", "reach", "within", "expected"),
    [
        ("leaks", 1, EVERYTHING, (0, 2)),
        ("leaks", 2, EVERYTHING, (0, 2, 3)),
        ("leaks", 1, IndexFilter(speakers=["Bo"]), ()),
        ("leaks harbour", 1, EVERYTHING, (0, 2, 7)),
        ("sold", 1, NOTES, (6, 8)),
    ],
)
def test_the_chunks_beside_a_first_passage_are_found_whatever_they_say(
    library: Library, words: str, reach: int, within: IndexFilter, expected: tuple[int, ...]
) -> None:
    index, rows = library
    found = retrieve_beside(index, QUESTION, [retrieve_lexical(index, words, EVERYTHING, 9)], reach, within)
    assert found is not None
    assert set(ids_of(found)) == {rows[n]["id"] for n in expected}
    assert found.scores.tolist() == pytest.approx(sorted((COSINES[n] for n in expected), reverse=True), abs=1e-5)
    assert retrieve_beside(index, QUESTION, [], reach, within) is None


def test_min_similarity_also_holds_for_what_lies_beside_a_first_passage(library: Library) -> None:
    index, rows = library
    lexical, nearest = retrieve_lexical(index, "leaks", EVERYTHING, 9), retrieve_by_vector(index, QUESTION, NOTES, 1)
    found = retrieve_beside(index, QUESTION, [lexical], 2, EVERYTHING)
    assert found is not None
    more = {BESIDE: found}
    first, best = [rows[n]["id"] for n in (1, 7)], [rows[n]["id"] for n in (0, 2, 3)]
    assert set(gather(lexical, nearest, QUESTION, more=more).ids) == {*first, *best}
    assert set(gather(lexical, nearest, QUESTION, 0.7, more).ids) == {*first, rows[2]["id"]}


@pytest.mark.parametrize("retrieve", ["lexical", "vector"])
def test_an_ephemeral_chunk_that_expired_is_not_retrieved(tmp_path: Path, retrieve: str) -> None:
    space = Home(tmp_path).space("alice").create()
    index = open_index(space, "lancedb", model="plane", dim=2)
    vector = {"vector": unit(0.5)}
    rows: list[dict[str, Any]] = [
        row("note", "note", DAY, text, position=n) | vector for n, text in enumerate(WRITTEN[:2])
    ]
    index.replace("note", [DAY], [rows[0] | {"ttl_policy": "ephemeral"}, rows[1]])

    def found(now: datetime) -> set[str]:
        if retrieve == "vector":
            return set(ids_of(retrieve_by_vector(index, QUESTION, EVERYTHING, 9, now=now)))
        return set(ids_of(retrieve_lexical(index, "harbour boat", EVERYTHING, 9, now=now)))

    assert found(RECEIVED) == {one["id"] for one in rows}
    assert found(RECEIVED + timedelta(days=1000)) == {rows[1]["id"]}


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


def test_hits_keep_their_order_and_their_own_reasons(library: Library) -> None:
    index, rows = library
    read = read_hits(index, [rows[3], rows[8]], reach=1, within=EVERYTHING)
    why = {rows[n]["id"]: WhyRanked({}, "rrf", 0.5, 0.5, 0.5, {}, final) for n, final in ((8, 0.25), (3, 0.75))}
    scores = {rows[3]["id"]: 0.9, rows[8]["id"]: 0.1}
    hits = to_hits(read, {key: (scores[key], reason) for key, reason in why.items()}, Clocks())
    assert [(hit.rank, hit.text, hit.score) for hit in hits] == [(1, SPOKEN[3], 0.9), (2, WRITTEN[2], 0.1)]
    assert [hit.why_ranked for hit in hits] == [why[rows[3]["id"]], why[rows[8]["id"]]]
    assert [len(hit.neighbours) for hit in hits] == [2, 0]


@pytest.mark.parametrize(
    ("first", "last", "within", "found"),
    [
        ("2026-01-05", "2026-01-05", EVERYTHING, True),
        ("2026-01-01", "2026-01-31", EVERYTHING, True),
        ("2026-01-06", "2026-01-12", EVERYTHING, False),
        ("2026-01-01", "2026-02-01", EVERYTHING, None),  # longer than a month: no named day
        ("2026-01-01", "2026-01-31", IndexFilter(day_to="2026-01-04"), False),
        ("2026-01-01", "2026-01-31", IndexFilter(day_from="2026-02-04"), None),
    ],
)
def test_the_days_of_a_question_bring_what_was_said_on_them(
    library: Library, first: str, last: str, within: IndexFilter, *, found: bool | None
) -> None:
    index, rows = library
    asked = QuestionTime(date.fromisoformat(first), date.fromisoformat(last), "relative")
    chunks = retrieve_dated(index, QUESTION, asked, within)
    if found is None:
        assert chunks is None
    else:
        assert chunks is not None and len(chunks) == (len(rows) if found else 0)
    assert retrieve_dated(index, QUESTION, None, EVERYTHING) is None
    event = QuestionTime(asked.start, asked.end, "relative", around="the launch")
    assert retrieve_dated(index, QUESTION, event, EVERYTHING) is None
