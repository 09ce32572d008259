"""`derive_facts`: endings, restored facts, disputes, and the two time axes (event time and time of receipt)."""

from typing import Any

import polars as pl
import pytest

from brain_retrieval.knowledge.derive import derive_facts
from brain_retrieval.knowledge.validity import chain, drift, valid_at
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES
from tests.retrieval.knowledge.fact_evidence import day, evidence, stated

BERLIN = stated("Bob", "live in", "Berlin", 1)
LISBON = stated("Bob", "live in", "Lisbon", 50, predicate_text="move to")


def one(facts: pl.DataFrame, obj: str, **where: Any) -> dict[str, Any]:
    return facts.row(by_predicate=pl.all_horizontal(pl.col("object") == obj, *_equal(where)), named=True)


def _equal(where: dict[str, Any]) -> list[pl.Expr]:
    return [pl.col(name) == value for name, value in where.items()]


def test_no_evidence_is_no_facts() -> None:
    facts = derive_facts(evidence())
    assert facts.is_empty()
    assert facts.columns == SNAPSHOT_TABLES["known_facts"].names
    assert (
        facts.to_arrow().schema.types
        == pl.DataFrame(SNAPSHOT_TABLES["known_facts"].empty_table()).to_arrow().schema.types
    )


def test_superseded_fact_is_current_again_when_the_source_is_removed() -> None:
    both = derive_facts(evidence(BERLIN, LISBON))
    assert one(both, "Berlin")["status"] == "superseded"
    assert one(both, "Berlin")["valid_to"] == day(50)
    alone = one(derive_facts(evidence(BERLIN)), "Berlin")
    assert (alone["status"], alone["valid_to"], alone["superseded_by_fact_id"]) == ("current", None, None)
    assert alone["fact_id"] == one(both, "Berlin")["fact_id"]


def test_late_evidence_about_earlier_times_replaces_nothing_later() -> None:
    late = stated("Bob", "live in", "Rome", 100, predicate_text="move to", stated_from=day(-900))
    facts = derive_facts(evidence(BERLIN, late))
    assert one(facts, "Berlin")["status"] == "current"
    assert one(facts, "Rome")["valid_to"] == day(1)


def test_has_lived_there_since_speaks_of_today_too() -> None:
    since = stated("Bob", "live in", "Rome", 100, stated_from=day(-900))
    facts = derive_facts(evidence(BERLIN, since))
    assert one(facts, "Berlin")["valid_to"] == day(100)
    assert facts.filter(pl.col("object") == "Rome")["status"].sort().to_list() == ["current", "superseded"]


def test_known_at_is_the_same_function_of_less_evidence() -> None:
    heard_late = stated("Bob", "live in", "Lisbon", 50, received_at=day(90))
    rows = evidence(BERLIN, heard_late)
    facts = derive_facts(rows)
    assert one(facts, "Berlin")["ended_known_from"] == day(90)
    assert valid_at(facts, day(60))["object"].to_list() == ["Lisbon"]
    then = derive_facts(rows.filter(pl.col("received_at") <= day(60)))
    assert valid_at(then, day(60))["object"].to_list() == ["Berlin"]


def test_an_end_to_come_is_not_an_end_yet() -> None:
    plan = stated("Bob", "live in", "Madrid", 10, predicate_text="move to", stated_from=day(150))
    rows = evidence(BERLIN, plan)
    assert one(derive_facts(rows, now=day(20)), "Berlin")["status"] == "current"
    assert one(derive_facts(rows, now=day(20)), "Berlin")["valid_to"] == day(150)
    assert one(derive_facts(rows, now=day(151)), "Berlin")["status"] == "superseded"


@pytest.mark.parametrize("modality", ["possible", "conditional", "question", "reported"])
def test_what_is_not_asserted_is_kept_and_ends_nothing(modality: str) -> None:
    facts = derive_facts(evidence(BERLIN, {**LISBON, "modality": modality}))
    assert one(facts, "Berlin")["status"] == "current"
    assert one(facts, "Lisbon")["modality"] == modality


def test_denial_ends_and_is_itself_a_fact() -> None:
    facts = derive_facts(evidence(BERLIN, stated("Bob", "live in", "Berlin", 9, polarity="negated")))
    assert one(facts, "Berlin", polarity="affirmed")["status"] == "ended"
    assert one(facts, "Berlin", polarity="affirmed")["valid_to"] == day(9)
    assert one(facts, "Berlin", polarity="negated")["status"] == "current"


def test_leaving_ends_own_job_and_office_only() -> None:
    rows = evidence(
        stated("Dana", "be ceo of", "Acme", 1, predicate_text="be CEO of"),
        stated("Dana", "work at", "Acme", 2),
        stated("Bob", "work at", "Acme", 2),
        stated("Dana", "leave", "Acme", 30, stated_to=day(25)),
    )
    facts = derive_facts(rows).filter(pl.col("predicate") != "leave")
    ends = {(r["subject"], r["predicate"]): r["valid_to"] for r in facts.iter_rows(named=True)}
    assert ends == {("Dana", "be ceo of"): day(25), ("Dana", "work at"): day(25), ("Bob", "work at"): None}


def test_last_change_stated_in_a_text_wins() -> None:
    rows = evidence(
        stated("Bob", "live in", "Berlin", 5, source_id="a", start=0, end=10),
        stated("Bob", "live in", "Lisbon", 5, source_id="a", start=20, end=30, predicate_text="move to"),
    )
    facts = derive_facts(rows)
    assert one(facts, "Lisbon")["status"] == "current"
    assert one(facts, "Berlin")["status"] == "superseded"


def test_list_of_values_is_not_a_dispute() -> None:
    rows = [stated("Bob", "live in", f"Town {n}", 5, start=20 * n, end=20 * n + 10) for n in range(20)]
    facts = derive_facts(evidence(*rows))
    assert facts["status"].unique().to_list() == ["current"]
    assert not facts["functional"].any()


def test_confidence_counts_sources_and_not_repetition() -> None:
    again = [stated("Bob", "use", "Kafka", 1, start=10 * n, source_id="a") for n in range(5)]
    assert one(derive_facts(evidence(*again)), "Kafka")["confidence"] == 0.8
    other = stated("Bob", "use", "Kafka", 2, source_id="b", trust="external", confidence=0.5)
    fact = one(derive_facts(evidence(*again, other)), "Kafka")
    assert fact["confidence"] == pytest.approx(1 - 0.2 * (1 - 0.45))
    assert (fact["evidence_count"], fact["source_count"]) == (6, 2)


def test_the_last_word_of_an_agent_gives_attitude_and_proximity() -> None:
    agent = {"method": "agent", "description": "old friends", "attitude": 4, "proximity": 5, "object_class": "Person"}
    rows = evidence(
        stated("Bob", "know", "Eve", 1, **agent),
        stated("Bob", "know", "Eve", 5, **{**agent, "attitude": 2, "proximity": 3, "description": "fell out"}),
        stated("Bob", "know", "Eve", 9, object_class="Person"),
    )
    fact = one(derive_facts(rows), "Eve")
    assert (fact["attitude"], fact["proximity"], fact["description"]) == (2, 3, "fell out")
    assert (fact["recorded_by"], fact["kind"]) == ("agent", "has_relationship_with")


def test_properties_of_all_statements_are_kept_and_the_newest_counts() -> None:
    rows = evidence(
        stated("Bob", "work at", "Acme", 1, properties='{"duration": "two years", "role": "designer"}'),
        stated("Bob", "work at", "Acme", 5, properties='{"role": "lead"}'),
        stated("Bob", "work at", "Acme", 9),
    )
    assert one(derive_facts(rows), "Acme")["properties"] == '{"duration": "two years", "role": "lead"}'
    assert one(derive_facts(evidence(stated("Bob", "know", "Eve", 1))), "Eve")["properties"] is None


def test_kinds_follow_the_classes() -> None:
    facts = derive_facts(evidence(BERLIN, stated("Bob", "cost", "5", 1, object_class="Literal")))
    assert one(facts, "Berlin")["kind"] == "associated_with"
    assert one(facts, "5")["kind"] == "has_value"
    assert one(facts, "5")["object_id"] is None


def test_chain_and_drift() -> None:
    rows = evidence(
        stated("Bob", "have favorite editor", "Vim", 1),
        stated("Bob", "have favorite editor", "Emacs", 30),
        stated("Bob", "have policy", "reviews", 2, object_class="Literal"),
        BERLIN,
    )
    facts = derive_facts(rows)
    drifted = drift(facts, "bob")
    assert list(drifted) == ["have favorite editor", "have policy"]
    assert drifted["have favorite editor"]["object"].to_list() == ["Vim", "Emacs"]
    assert chain(facts, "bob", "live in")["object"].to_list() == ["Berlin"]
