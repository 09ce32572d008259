"""Searching the index: exact order, filters inside the search, and queries nobody should be able to break it with."""

import math
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.home import Home
from brain_retrieval.stores.filters import build_where
from brain_retrieval.stores.index import Index
from tests.retrieval.stores.rows import DIM, chunk, chunks, indexed

DAYS = [(date(2024, 1, 1) + timedelta(days=3 * n)).isoformat() for n in range(400)]
TEXTS = ["The teams were running", "Müller's budget in Belém", "zebra crossing", "phoenix 'quoted' review 🙂"]
SPEAKERS = ['quo"te', "O'Brien", "東京", "back\\slash"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Index:
    home: Path = tmp_path_factory.mktemp("home")
    index = Index(Home(home).space("alice").create(), model="m", dim=DIM)
    rows = []
    for number, day in enumerate(DAYS):
        row = chunk("note" if number % 2 else "mail", day, number, text=TEXTS[number % 4])
        rows.append({**row, "speakers": [SPEAKERS[number % 4]]})
    for source in ("note", "mail"):
        index.replace(source, DAYS, indexed([row for row in rows if row["source"] == source]))
    return index


def test_vector_search_is_exact_and_ordered(filled: Index) -> None:
    rows = filled.rows(columns=["id", "vector"])
    matrix = np.array(rows.column("vector").to_pylist(), np.float32)
    query = np.random.default_rng(3).normal(size=DIM)
    cosine = matrix @ (query / np.linalg.norm(query))
    expected = [rows.column("id")[int(i)].as_py() for i in np.argsort(-cosine)[:20]]
    hits = filled.vector_search(query, where=None, limit=20, columns=["id"])
    assert [hit["id"] for hit in hits] == expected
    assert [hit["_distance"] for hit in hits] == pytest.approx(1 - np.sort(cosine)[::-1][:20], abs=1e-5)


@pytest.mark.parametrize(
    ("query", "text"),
    [("run", TEXTS[0]), ("muller belem", TEXTS[1]), ("ZEBRAS", TEXTS[2]), ("PHOENIX reviews", TEXTS[3])],
)
def test_text_search_stems_folds_and_ignores_case(filled: Index, query: str, text: str) -> None:
    hits = filled.text_search(query, where=None, limit=5, columns=["id", "text"])
    assert [hit["text"] for hit in hits] == [text] * 5
    assert all(hit["_score"] > 0 for hit in hits)


@pytest.mark.parametrize(
    ("options", "keep"),
    [
        ({"sources": ["note"]}, lambda row: row["source"] == "note"),
        ({"days": DAYS[::2]}, lambda row: row["day"] in DAYS[::2]),
        ({"days": DAYS}, lambda row: True),
        ({"day_from": DAYS[390]}, lambda row: row["day"] >= DAYS[390]),
        (
            {"as_of": datetime.fromisoformat(f"{DAYS[2]}T12:00:00+00:00")},
            lambda row: row["day"] <= DAYS[2],
        ),
        ({"known_at": datetime(2020, 1, 1, tzinfo=UTC)}, lambda row: False),
        *(({"speakers": [name]}, lambda row, name=name: row["speakers"] == [name]) for name in SPEAKERS),
        ({"source_ids": ["' OR 1=1 --", "\x00", "%", "\\'", "née"]}, lambda row: False),
        ({"sources": [], "days": DAYS}, lambda row: False),
    ],
)
def test_filters_apply_inside_both_searches(filled: Index, options: dict, keep: object) -> None:
    where = build_where(**options)
    expected = {row["id"] for row in filled.rows(columns=["id", "day", "source", "speakers"]).to_pylist() if keep(row)}
    by_vector = filled.vector_search(np.ones(DIM), where=where, limit=1000, columns=["id"])
    by_text = filled.text_search("running budget zebra phoenix", where=where, limit=1000, columns=["id"])
    assert {hit["id"] for hit in by_vector} == {hit["id"] for hit in by_text} == expected
    assert {row["id"] for row in filled.rows(where, ["id"]).to_pylist()} == expected
    assert filled.count(where) == len(expected)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  \n\t ",
        "the and of",
        "'; DROP TABLE chunks; --",
        "' OR '1'='1",
        'AND OR NOT "unclosed (paren* ~2 ^3 field:value +must -not',
        "🙂🙃 👩‍👩‍👧",
        "a\x00b \ud800 \uffff",
        "budget " * 15_000,
        "x" * 100_000,
        " ".join(f"w{n}" for n in range(20_000)),
    ],
    ids=lambda query: ascii(query[:12]),
)
def test_no_query_text_raises(filled: Index, query: str) -> None:
    hits = filled.text_search(query, where=build_where(sources=["note"]), limit=3, columns=["id", "source"])
    assert all(hit["source"] == "note" for hit in hits)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60))
def test_no_text_at_all_raises(filled: Index, query: str) -> None:
    assert len(filled.text_search(query, where=None, limit=3, columns=["id"])) <= 3


def test_text_scores_are_exact_after_upkeep_whatever_was_written_before(index: Index) -> None:
    """BM25 with k1 = 1.2, b = 0.75 over this user's rows, as in Lucene; rewritten rows leave no trace."""
    words = [["apple"] * (n % 4) + ["pear"] * (n % 3) + ["fig"] * (n % 7 + 1) for n in range(60)]
    rows = [{**row, "search_text": " ".join(words[n])} for n, row in enumerate(indexed(chunks("note", DAYS[0], 60)))]
    for part in (rows[:50], rows[20:], rows):
        index.replace("note", DAYS[:1], part)
        index.optimize()
    holding = [text.count("apple") for text in words if "apple" in text]
    idf = math.log(1 + (60 - len(holding) + 0.5) / (len(holding) + 0.5))
    mean = sum(map(len, words)) / 60
    norms = {row["id"]: 1.2 * (0.25 + 0.75 * len(text) / mean) for row, text in zip(rows, words, strict=True)}
    counts = {row["id"]: text.count("apple") for row, text in zip(rows, words, strict=True)}
    for hit in index.text_search("apples", where=None, limit=60, columns=["id"]):
        count, norm = counts.pop(hit["id"]), norms[hit["id"]]
        assert hit["_score"] == pytest.approx(idf * count * 2.2 / (count + norm), rel=1e-4)
    assert set(counts.values()) == {0}


def test_odd_limits_and_vectors(filled: Index) -> None:
    assert filled.vector_search(np.ones(DIM), where=None, limit=0, columns=["id"]) == []
    assert filled.text_search("budget", where=None, limit=-1, columns=["id"]) == []
    assert len(filled.vector_search(np.zeros(DIM), where=None, limit=3, columns=["id"])) <= 3
    with pytest.raises(ValueError, match="NaN"):
        filled.vector_search(np.full(DIM, np.nan), where=None, limit=3, columns=["id"])
