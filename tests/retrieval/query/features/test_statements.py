"""Evidence for each statement of a question before more evidence for one."""

import numpy as np
import pytest

from brain_retrieval.query.analysis import analyse
from brain_retrieval.query.features.statements import PLACED, SPENT, spread, stated
from brain_retrieval.query.ranking import rank
from brain_retrieval.settings import RetrievalSettings
from tests.retrieval.query.pools import Result, asking, candidates_of, pool_of, texts

ASKED = "Which bakery raised its prices twice in one spring, and sponsors the harbour race that Ann won in May?"
PASSAGES = (
    "The bakery raised its prices twice in one spring.",
    "Prices: the bakery raised them in spring.",
    "The bakery raised prices twice.",
    "The harbour race in May, which Ann won, has a sponsor.",
    "Nothing of it.",
)


def test_statements_have_the_share_of_their_own_words() -> None:
    question = analyse(ASKED, max_characters=999, language="en")
    shares = stated(pool_of(texts(*PASSAGES), question=question))
    assert shares.shape == (5, 2)
    assert shares.max(axis=0).tolist() == [1.0, 1.0]
    assert shares.argmax(axis=0).tolist() == [0, 3]
    assert shares[4].tolist() == [0.0, 0.0]
    assert shares[1, 0] > shares[3, 0] == 0.0


def test_a_statement_that_no_passage_speaks_of_does_not_count() -> None:
    question = analyse(ASKED, max_characters=999, language="en")
    assert stated(pool_of(texts(*PASSAGES[:3]), question=question)).shape == (3, 0)
    assert stated(pool_of(texts(*PASSAGES), question=asking())).shape == (5, 0)
    assert stated(pool_of({}, question=question)).shape == (0, 0)


def test_what_a_statement_adds_falls_with_each_passage_that_has_it() -> None:
    scores, shares = np.array([1.0, 0.95, 0.9, 0.8]), np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    added = spread(scores, shares, list("abcd"), 0.5)
    left = 1.0 - SPENT
    assert added.tolist() == pytest.approx([0.0, 0.5 * left - 0.5, 0.5 * left**2 - 0.5, 0.0])
    assert np.argsort(-(scores + added)).tolist() == [0, 3, 1, 2]


def test_the_sums_descend_in_the_order_of_placing_and_do_not_depend_on_the_order_of_rows() -> None:
    random = np.random.default_rng(3)
    scores, shares = random.random(60).round(1), random.random((60, 3)).round(1)  # with equal ones
    weight = 0.2 * (1.0 - shares.min(axis=1).max())
    ids = [f"p{n:02}" for n in range(60)]
    added = spread(scores, shares, ids, 0.2)
    placed = np.lexsort((np.array(ids), -(scores + added)))
    # The best one of what is left comes next at every step.
    left = np.ones(3)
    for step, row in enumerate(placed[:PLACED].tolist()):
        rest = placed[step:]
        assert (scores[row] + weight * (shares[row] * left).max()) == pytest.approx(
            (scores[rest] + weight * (shares[rest] * left).max(axis=1)).max()
        )
        left *= 1.0 - SPENT * shares[row]
    mixed = random.permutation(60)
    again = spread(scores[mixed], shares[mixed], [ids[n] for n in mixed], 0.2)
    assert again.tolist() == added[mixed].tolist()


def test_statements_add_nothing_where_one_passage_has_all_of_them() -> None:
    scores, shares = np.array([1.0, 0.9, 0.8]), np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    half = spread(scores, shares, list("abc"), 0.4)
    assert half.tolist() == pytest.approx([0.0, 0.0, -0.14])  # weight 0.2: 0.2 of a and b, 0.2 * 0.5 * 0.6 of c
    assert spread(scores, np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), list("abc"), 0.4).tolist() == [0.0] * 3


def test_no_weight_and_no_statements_add_nothing() -> None:
    scores, shares = np.array([1.0, 0.5]), np.ones((2, 2))
    assert spread(scores, shares, ["a", "b"], 0.0).tolist() == [0.0, 0.0]
    assert spread(scores, shares[:, :0], ["a", "b"], 0.2).tolist() == [0.0, 0.0]


def test_ranking_brings_evidence_for_the_second_statement_forward_and_says_so() -> None:
    found = candidates_of(texts(*PASSAGES), Result("lexical", {"p0": 3.0, "p1": 2.8, "p2": 2.6, "p3": 2.5, "p4": 1.0}))
    question = analyse(ASKED, max_characters=999, language="en")

    def ranked(weight: float) -> dict[str, dict[str, float]]:
        settings = RetrievalSettings(statement_weight=weight, coverage_weight=0.0, trained=False)
        order = rank(found, method="weighted", weights=settings.weights, question=question, settings=settings)
        return {found.ids[hit.row]: hit.why.boosts for hit in order.best(5)}

    assert list(ranked(0.0)) == ["p0", "p1", "p2", "p3", "p4"]
    spread_out = ranked(0.2)
    assert list(spread_out)[:2] == ["p0", "p3"]
    assert "statements" not in spread_out["p0"]
    assert spread_out["p1"]["statements"] < spread_out["p3"].get("statements", 0.0) <= 0.0


def test_ranking_brings_the_second_publisher_forward_and_says_so() -> None:
    courier, times = "Wenlow Courier, 2026-05-04\nThe bridge", "Orr Times, 2026-05-04\nThe bridge"
    found = candidates_of(
        texts(courier + " is shut.", courier + " is old.", courier, times, "The bridge."),
        Result("lexical", {"p0": 3.0, "p1": 2.7, "p2": 2.65, "p3": 2.6, "p4": 1.0}),
    )
    asked = "Do the Wenlow Courier and the Orr Times agree?"
    question = analyse(asked, max_characters=999, language="en")

    def ranked(weight: float) -> dict[str, dict[str, float]]:
        settings = RetrievalSettings(publisher_weight=weight, coverage_weight=0.0, trained=False)
        order = rank(found, method="weighted", weights=settings.weights, question=question, settings=settings)
        return {found.ids[hit.row]: hit.why.boosts for hit in order.best(5)}

    assert list(ranked(0.0)) == ["p0", "p1", "p2", "p3", "p4"]
    shared_out = ranked(0.2)
    assert list(shared_out) == ["p0", "p3", "p1", "p2", "p4"]
    assert "publishers" not in shared_out["p0"]
    assert [shared_out[key]["publishers"] for key in ("p1", "p2")] == pytest.approx([-0.08, -0.128])
