"""The order of hits by what holds, over made-up hits."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime

from brain_retrieval.query.hits import Hit, SourceRef, TemporalContext, WhyRanked
from brain_retrieval.query.superseded import StatementRef, SupersededBy
from brain_retrieval.query.temporal.current_first import CURRENT, current_first, unranked

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)
TIMES = TemporalContext(NOON, NOON, "2026-02-01")
SPAN = (10, 20)


def hit(name: str, score: float, newer: str | None = None, *, asked: bool = True) -> Hit:
    """Return the passage of a source of its own; `newer` names the one that ends its statement."""
    why = WhyRanked({}, "weighted", score, score, score, {}, score)
    ended = None
    if newer is not None:
        ref = StatementRef(newer, "note", f"inbox:note/{newer}", SPAN)
        ended = SupersededBy("new", ref, NOON, NOON, True, "value", "old", (0, 5), asked)
    times = replace(TIMES, superseded_by=ended)
    return Hit(0, score, name, SourceRef(name, "note", f"inbox:note/{name}", (0, 100), name), why, times)


def names(hits: list[Hit]) -> list[str]:
    return [one.text for one in hits]


def test_the_current_passage_comes_before_every_ended_one() -> None:
    found = current_first([hit("a", 1.0, "c"), hit("x", 0.9), hit("b", 0.8, "c"), hit("c", 0.5)], [])
    assert names(found) == ["c", "a", "x", "b"]
    assert [one.rank for one in found] == [1, 2, 3, 4]


def test_a_passage_that_moved_up_says_so_and_its_parts_add_up() -> None:
    first, *others = current_first([hit("a", 1.0, "c"), hit("x", 0.9), hit("c", 0.5)], [])
    assert first.why_ranked.boosts == {CURRENT: 0.5}
    assert first.score == first.why_ranked.final == first.why_ranked.parent + 0.5
    assert all(one.why_ranked.boosts == {} for one in others)


def test_scores_never_rise_down_the_list() -> None:
    for order in itertools.permutations([("a", "b"), ("b", "c"), ("c", None), ("d", "c")]):
        hits = [hit(name, 1.0 - place / 10, newer) for place, (name, newer) in enumerate(order)]
        scores = [one.score for one in current_first(hits, [])]
        assert scores == sorted(scores, reverse=True)


def test_what_is_replaced_twice_comes_last_whatever_the_order_was() -> None:
    for order in itertools.permutations([("a", "b"), ("b", "c"), ("c", None)]):
        hits = [hit(name, 1.0 - place / 10, newer) for place, (name, newer) in enumerate(order)]
        assert names(current_first(hits, [])) == ["c", "b", "a"]


def test_a_fetched_passage_is_put_before_the_ended_one() -> None:
    fetched = replace(hit("c", 0.0), why_ranked=unranked("weighted"))
    found = current_first([hit("x", 1.0), hit("a", 0.9, "c"), hit("y", 0.2)], [fetched])
    assert names(found) == ["x", "c", "a", "y"]
    assert found[1].score == 0.9
    assert found[1].why_ranked.boosts == {CURRENT: 0.9}


def test_an_ended_statement_that_is_not_asked_for_moves_nothing() -> None:
    hits = [hit("a", 1.0, "c", asked=False), hit("c", 0.5)]
    assert names(current_first(hits, [])) == ["a", "c"]


def test_hits_in_order_stay_as_they_are() -> None:
    hits = [hit("c", 1.0), hit("a", 0.9, "c")]
    assert [(one.text, one.score, one.why_ranked.boosts) for one in current_first(hits, [])] == [
        ("c", 1.0, {}),
        ("a", 0.9, {}),
    ]


def test_passages_that_replace_each_other_are_each_shown_once() -> None:
    assert sorted(names(current_first([hit("a", 1.0, "b"), hit("b", 0.5, "a")], []))) == ["a", "b"]
