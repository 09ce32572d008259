"""Ranking, deduplication, verdict, trust and sufficiency: bounded, independent of order, and monotone in support."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.evidence.candidates.gathering import Gathered
from brain_retrieval.evidence.claims.claim import CLAIM_TYPES
from brain_retrieval.evidence.items import EvidenceItem
from brain_retrieval.evidence.judging import Judging
from brain_retrieval.evidence.ranking import MOST_PENALTY, address_of, chosen, distinct, penalty, ranked
from brain_retrieval.evidence.stance.judge import Stance, judge
from brain_retrieval.evidence.sufficiency import Evidence, state_of, sufficiency
from brain_retrieval.evidence.trust import diversity, domain_of, grade_of, interval, total_trust
from brain_retrieval.evidence.verdict import settled_in_time, verdict_of, weight, whole_verdict
from tests.retrieval.evidence.reading import NOW, claim_of, features, said
from tests.retrieval.evidence.test_stance import ANY

EXAMPLES = settings(max_examples=50, deadline=None)
CLAIM = "The rent is 840 euros."
FOR, AGAINST = "The rent is 840 euros a month.", "The rent is 910 euros."


def item(text: str, source_id: str = "s", claim: str = CLAIM, **changes: object) -> EvidenceItem:
    """Return a text judged against a claim and ranked."""
    statement = said(text, source_id, **{"trust": "own", **changes})
    own, first = features(claim, statement), claim_of(claim).statements[0]
    stance = judge(own, negated=first.negated, then=first.then)
    return ranked(own, stance, statement, first.type, at=NOW)


BASE = item(FOR)


@EXAMPLES
@given(ANY, st.sampled_from(CLAIM_TYPES), _share := st.floats(0, 1), st.booleans())
def test_scores_and_penalties_are_bounded(own, kind, strength: float, backfill: bool) -> None:
    statement = said("x", score=1.0, strength=strength)
    found = ranked(own, judge(own), statement, kind, at=NOW, backfill=backfill)
    assert 0 <= found.score <= 1
    assert 0 <= penalty(own, backfill=backfill) <= MOST_PENALTY


@EXAMPLES
@given(ANY, ANY, st.integers(0, 6), st.integers(5, 20))
def test_what_can_be_judged_moves_a_statement_by_four_places_at_most(own, other, place: int, behind: int) -> None:
    def at(features, where: int | None) -> float:
        statement = said("x", score=1.0, strength=1.0, place=where)
        return ranked(features, judge(features), statement, "general", at=NOW).score

    assert at(own, place) > at(other, place + behind)
    assert at(own, place) > at(other, None)
    assert at(own, place) > at(own, place + 1)


OTHERS = ("Garages are cheap.", "A flat costs 20 euros.", "The rent rises.", "Is the rent 840 euros?")
FOUND = st.tuples(st.sampled_from([FOR, AGAINST, *OTHERS]), st.booleans())


@EXAMPLES
@given(st.lists(FOUND, max_size=14), st.integers(1, 12))
def test_the_first_items_are_those_of_the_plain_search_but_for_what_decides(found, limit: int) -> None:
    statements, plain = [], []
    for number, (text, by_plain_search) in enumerate(found):
        place = len(plain) if by_plain_search else None
        source = f"s{number:02}"
        statements.append(said(f"{text} Flat {number}.", source, place=place, score=1 / (1 + number), trust="own"))
        plain += [source] if by_plain_search else []
    claim = claim_of(CLAIM).statements[0]
    finding = Judging(NOW, {}, None, "seed").finding(claim, Gathered(tuple(statements), ()), limit)
    assert len(finding.items) <= limit
    for k in range(1, limit + 1):
        first = finding.items[:k]
        shown = {item.statement.source_id for item in first}
        moved = [item for item in first if item.label != "neither" and item.statement.source_id not in plain[:k]]
        assert len(set(plain[:k]) - shown) <= len(moved)


def test_an_undecided_item_of_a_source_that_decides_or_was_decided_before_takes_no_place() -> None:
    first, second = item(FOR, "a", place=0), item("The rent is due on Monday.", "a", place=0)
    third = item("Garages are cheap.", "b", place=1)
    assert distinct([first, second, third]) == distinct([third, second, first])
    assert [one.statement.text for one in distinct([first, second, third])][1] == "Garages are cheap."
    undone = replace(item(FOR, "c", place=3), stance=Stance("neither", 0.0, 0.0, 1.0))
    assert [one.statement.source_id for one in distinct([undone, third])] == ["b", "c"]


@EXAMPLES
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=6), _share)
def test_another_supporting_statement_never_weakens_a_verdict(sides: list[tuple[float, bool]], more: float) -> None:
    def judged(strength: float, supports: bool, place: int) -> EvidenceItem:
        values = (strength, 0.0) if supports else (0.0, strength)
        own = replace(BASE.statement, source_id=f"s{place}")
        return replace(BASE, statement=own, stance=Stance("support" if supports else "contradict", *values, about=1.0))

    order = ["contradicted", "disputed", "unknown", "supported"]
    before = [judged(*side, n) for n, side in enumerate(sides)]
    after = [*before, judged(more, True, len(sides))]
    assert weight(after, "support") >= weight(before, "support")
    assert weight(after, "contradict") == weight(before, "contradict")
    assert not (verdict_of(before) == "supported" and verdict_of(after) != "supported")
    if verdict_of(before) == "unknown":
        assert order.index(verdict_of(after)) >= order.index("unknown")


def test_the_order_of_arrival_does_not_matter() -> None:
    items = [item(FOR, "a"), item(AGAINST, "b"), item("The rent is due on Monday.", "c")]
    results = {tuple(one.statement.source_id for one in distinct(each)) for each in permutations(items)}
    assert len(results) == 1


def test_copies_count_once_and_pages_are_the_same_without_tracking() -> None:
    one = item(FOR, "a", url="https://www.site.example/rent/?utm_source=x&b=1")
    two = item(FOR, "b", url="https://site.example/rent?b=1")
    three = item(FOR, "c", url="https://other.example/copy")
    assert address_of(one.statement) == address_of(two.statement) == "site.example/rent?b=1"
    assert [found.copies for found in distinct([one, two, three])] == [1]


def test_a_source_that_repeats_another_is_shown_by_what_it_alone_says() -> None:
    shared, own = "Garages are cheap.", "The rent is due on Monday."
    one = replace(item(shared, "a"), score=0.9)
    two, other = replace(item(shared, "b"), score=0.8), replace(item(own, "b"), score=0.7)
    found = [(each.statement.source_id, each.statement.text, each.copies) for each in distinct([other, two, one])]
    assert found == [("a", shared, 1), ("b", own, 0)]


def test_what_contradicts_is_always_among_the_chosen() -> None:
    many = [replace(item(FOR, f"s{n}"), score=0.9) for n in range(20)]
    against = replace(item(AGAINST, "other"), score=0.1)
    assert against in chosen([*many, against], 5)
    assert len(chosen([*many, against], 5)) == 5


def test_a_later_statement_replaces_an_earlier_one_of_the_same_trust() -> None:
    claim = claim_of(CLAIM).statements[0]
    old = item(FOR, "old", said_at=NOW - timedelta(days=90))
    new = item(AGAINST, "new")
    assert verdict_of([old, new]) == "disputed"
    assert verdict_of(settled_in_time([old, new], claim)) == "contradicted"
    stranger = item(AGAINST, "page", trust="external", url="https://site.example/")
    assert "support" in {one.label for one in settled_in_time([old, stranger], claim)}


def test_many_pages_of_one_owner_weigh_as_one() -> None:
    flood = [
        item(f"{AGAINST} Page {n}.", f"p{n}", trust="external", url=f"https://w{n}.spam.example/{n}") for n in range(30)
    ]
    assert weight(flood, "contradict") == weight(flood[:1], "contradict")
    assert verdict_of([item(FOR, "own"), *flood]) == "supported"
    assert len(distinct(flood)) == 2


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "unknown"], "partly supported"),
        (["supported", "contradicted"], "contradicted"),
        (["unknown", "unknown"], "unknown"),
        (["unknown", "disputed"], "disputed"),
    ],
)
def test_verdict_on_several_statements(verdicts: list, expected: str) -> None:
    assert whole_verdict(verdicts) == expected


@EXAMPLES
@given(st.lists(st.floats(0, 1), max_size=12))
def test_trust_lies_in_its_interval_and_repeats(trusts: list[float]) -> None:
    found = interval(trusts, "seed")
    assert found == interval(trusts, "seed")
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value == total_trust(trusts)


def test_grades_domains_and_diversity() -> None:
    assert [grade_of(value) for value in (0.9, 0.76, 0.65, 0.5, 0.4, 0.1)] == ["A+", "A", "B", "C", "D", "F"]
    pages = [item(FOR, f"p{n}", url=f"https://{n}.site.co.uk/x") for n in range(4)]
    assert {domain_of(page) for page in pages} == {"site.co.uk"}
    assert diversity(pages) == 0.0
    assert diversity(pages[:1]) == 0.0
    assert diversity([item(FOR, "a"), item(FOR, "b")]) == 1.0


def test_sufficiency_and_its_vetoes() -> None:
    one = replace(item(FOR), trust=0.9)
    enough = sufficiency([Evidence((one,), 0.9)], agreement=1.0, diversity=0.0, contradicted=False)
    assert (enough.enough, state_of(enough, ended=False)) == (True, "confirmed")
    assert state_of(enough, ended=True) == "revoked"
    nothing = sufficiency([Evidence((), 0.0)], agreement=1.0, diversity=0.0, contradicted=False)
    assert (nothing.enough, state_of(nothing, ended=False)) == (False, "evidence_insufficiency")
    half = sufficiency([Evidence((one,), 0.9), Evidence((), 0.0)], agreement=1.0, diversity=0.0, contradicted=False)
    assert not half.enough
    doubted = replace(one, trust=0.3)
    weak = sufficiency(
        [Evidence((doubted,), 0.3)] * 3 + [Evidence((), 0)], agreement=0.85, diversity=1, contradicted=True
    )
    assert (weak.enough, weak.reason) == (False, "what there is is too little trusted")
