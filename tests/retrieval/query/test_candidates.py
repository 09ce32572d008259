"""The candidates of several retrievers: each passage once, with every retriever's score and rank."""

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from brain_retrieval.query.candidates import COLUMNS, Arm, joined
from brain_retrieval.query.retrievers import gather, unexpired
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.index.found import Found
from tests.retrieval.query.pools import Result, Rows, candidates_of, place, table_of

EVE = datetime(2026, 1, 4, 23, 30, tzinfo=UTC)
QUESTION = np.array([0.6, 0.8], dtype=np.float32)
ROWS: Rows = {
    "a": place("s", 4, text="one"),
    "b": place("t", 0, text="two", title="Two"),
    "c": place("s", 5, "2026-01-07", text="three", title=None),
}


def found(*ids: str, scores: list[float], vectors: list[list[float]] | None = None) -> Found:
    rows = table_of(ROWS, ids)
    if vectors is not None:
        field = index_schema(2).field("vector")
        rows = rows.append_column(field, pa.array(vectors, field.type))
    return Found(rows, np.array(scores))


def test_each_passage_is_there_once_in_the_order_found() -> None:
    both = candidates_of(
        ROWS, Result("lexical", {"b": 9.0, "a": 3.0}), Result("vector", {"c": 0.9, "b": 0.5}, {"a": 0.1})
    )
    assert both.ids == ["b", "a", "c"]
    lexical, vector = both.arms["lexical"], both.arms["vector"]
    assert lexical.scores.tolist() == pytest.approx([9.0, 3.0, float("nan")], nan_ok=True)
    assert lexical.ranks.tolist() == [1, 2, 0]
    assert vector.scores.tolist() == [0.5, 0.1, 0.9]
    assert vector.ranks.tolist() == [2, 0, 1]  # a has a cosine, but the vector retriever did not return it


def test_a_retrievers_own_score_stands() -> None:
    both = candidates_of(ROWS, Result("lexical", {"a": 1.0}), Result("vector", {"a": 0.9}, {"a": 0.2}))
    assert both.arms["vector"].scores.tolist() == [0.9]


def test_best_first_and_equal_scores_by_id() -> None:
    three = candidates_of(ROWS, Result("vector", {"c": 0.3, "b": 0.2, "a": 0.1}))
    assert three.best_first(np.array([0.5, 0.9, 0.5])).tolist() == [1, 2, 0]
    assert three.best_first(np.array([0.5, 0.9, -np.inf])).tolist() == [1, 0, 2]


def test_another_retriever_sees_the_same_passages() -> None:
    two = candidates_of(ROWS, Result("vector", {"b": 0.2, "a": 0.1}))
    texts = two.texts
    both = two.with_arm(arm := Arm("memories", np.array([np.nan, 0.5]), np.array([0, 1])))
    assert both.arms == {**two.arms, "memories": arm}
    assert "memories" not in two.arms
    assert both.texts is texts


def test_a_column_of_the_best_rows() -> None:
    three = found("b", "a", "c", scores=[3.0, 2.0, 1.0])
    assert three.best("text", 2) == ["two", "one"]
    assert three.best("text", 9) == ["two", "one", "three"]


def test_columns_as_arrays() -> None:
    three = candidates_of(ROWS, Result("vector", {"a": 0.3, "b": 0.2, "c": 0.1}))
    assert three.positions.tolist() == [4, 0, 5]
    assert three.parents.tolist() == [0, 1, 0]  # equal for passages of one source
    assert three.days.tolist() == [np.datetime64(day).item() for day in ("2026-01-05", "2026-01-05", "2026-01-07")]
    assert three.titles == ["", "Two", ""]
    assert three.texts == ["one", "two", "three"]
    assert three.listed("source_id") == ["s", "t", "s"]


def test_the_day_of_an_item_from_before_the_first_day_is_that_of_its_event() -> None:
    old = datetime(1904, 5, 12, 12, tzinfo=UTC)
    rows = {**ROWS, "d": place("u", 0, "2015-01-01", event_at=old), "e": place("v", 0, "2026-01-05", event_at=EVE)}
    two = candidates_of(rows, Result("vector", {"d": 0.3, "e": 0.2}))
    assert [str(day) for day in two.days] == ["1904-05-12", "2026-01-05"]  # the evening before in UTC is the same day


def test_the_lowest_score_is_of_what_a_retriever_returned_itself() -> None:
    assert Arm("vector", np.array([0.5, -0.5, -0.9]), np.array([1, 2, 0])).lowest == -0.5
    assert Arm("vector", np.array([0.1]), np.array([0])).lowest == 0.0
    assert Arm("vector", np.empty(0), np.empty(0, np.int64)).lowest == 0.0


def test_nothing_found_is_an_empty_table() -> None:
    nothing = joined([], {})
    assert (len(nothing), nothing.ids, nothing.rows.column_names) == (0, [], list(COLUMNS))
    assert nothing.positions.tolist() == nothing.parents.tolist() == []
    assert len(gather(None, None, None)) == 0


def test_lexical_passages_get_their_cosine() -> None:
    lexical = found("a", "b", scores=[7.0, 2.0], vectors=[[1.0, 0.0], [0.0, 1.0]])
    both = gather(lexical, found("c", "b", scores=[0.9, 0.85]), QUESTION)
    assert both.ids == ["a", "b", "c"]
    assert both.arms["vector"].scores.tolist() == pytest.approx([0.6, 0.85, 0.9])
    assert both.arms["vector"].ranks.tolist() == [0, 2, 1]


def test_min_similarity_cuts_the_vector_retriever_only() -> None:
    lexical = found("a", scores=[7.0], vectors=[[1.0, 0.0]])
    nearest = found("c", "a", "b", scores=[0.9, 0.6, 0.5])
    assert gather(lexical, nearest, QUESTION, 0.6).ids == ["a", "c"]
    cut = gather(lexical, nearest, QUESTION, 0.7)
    assert cut.ids == ["a", "c"]
    assert cut.arms["vector"].ranks.tolist() == [0, 1]
    assert cut.arms["vector"].scores.tolist() == pytest.approx([0.6, 0.9])
    assert cut.arms["vector"].lowest == 0.9
    assert gather(None, nearest, QUESTION, 0.6).ids == ["c", "a"]  # a score of exactly 0.6 stays
    assert gather(None, nearest, QUESTION, 0.95).ids == []
    assert gather(None, nearest, QUESTION, -1.0).ids == ["c", "a", "b"]


def test_a_retriever_that_failed_is_no_arm() -> None:
    lexical = found("a", scores=[7.0], vectors=[[1.0, 0.0]])
    assert list(gather(lexical, None, QUESTION).arms) == ["lexical"]
    assert list(gather(lexical, None, None).arms) == ["lexical"]
    assert list(gather(None, found("b", scores=[0.5]), QUESTION).arms) == ["vector"]


def test_an_empty_answer_of_one_retriever_is_joined_with_the_other() -> None:
    """The columns of an empty answer come from the schema, those of a full one from the store."""
    nothing = Found.nothing(index_schema(2), [*COLUMNS, "vector"])
    nearest = found("b", scores=[0.5])
    assert gather(nothing, nearest, QUESTION).ids == ["b"]
    assert gather(nothing, nearest, QUESTION).arms["lexical"].ranks.tolist() == [0]


def test_expired_sources_are_dropped_with_their_scores() -> None:
    received = place("s", 0)["received_at"]
    rows = {**ROWS, "b": ROWS["b"] | {"ttl_policy": "ephemeral"}}
    three = Found(table_of(rows, ["a", "b", "c"]), np.array([3.0, 2.0, 1.0]))
    early, late = (received.replace(month=month) for month in (3, 6))
    assert unexpired(three, early).scores.tolist() == [3.0, 2.0, 1.0]
    kept = unexpired(three, late)
    assert (kept.rows.column("id").to_pylist(), kept.scores.tolist()) == (["a", "c"], [3.0, 1.0])
    assert unexpired(three, None).scores.tolist() == [3.0, 1.0]
