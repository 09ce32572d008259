"""Fact scenarios with local extraction: ended facts are retired (recall) and no others (false retirement)."""

import polars as pl
import pytest

from brain_retrieval.knowledge.derive import derive_facts
from tests.pipelines.knowledge.fact_scenarios import NOW, SCENARIOS, Scenario, evidence_of, extracted, outcome

# Known miss: "I prefer MySQL over Postgres" is extracted without "prefer MySQL".
MISSED = {"prefers the other": {"user prefer MySQL"}}


@pytest.fixture(scope="module")
def evidence() -> dict[str, pl.DataFrame]:
    return {s.name: evidence_of(found) for s, found in zip(SCENARIOS, extracted(SCENARIOS), strict=True)}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_ended_facts_are_retired_and_others_stay_current(scenario: Scenario, evidence: dict[str, pl.DataFrame]) -> None:
    wrong, missed = outcome(scenario, evidence[scenario.name])
    assert not wrong
    assert missed <= MISSED.get(scenario.name, set())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_derived_facts_do_not_depend_on_row_order(scenario: Scenario, evidence: dict[str, pl.DataFrame]) -> None:
    rows = evidence[scenario.name]
    assert derive_facts(rows.reverse(), now=NOW).equals(derive_facts(rows, now=NOW))


def test_contradicting_facts_reference_each_other(evidence: dict[str, pl.DataFrame]) -> None:
    facts = derive_facts(evidence["sources differ"])
    assert facts["status"].to_list() == ["contradicted"] * 2
    assert [ids.to_list() for ids in facts["contradicts"]] == [[facts["fact_id"][1]], [facts["fact_id"][0]]]
    denied = derive_facts(evidence["yes and no"])
    assert denied["status"].to_list() == ["contradicted"] * 2


def test_two_objects_in_one_sentence_are_both_current(evidence: dict[str, pl.DataFrame]) -> None:
    facts = derive_facts(evidence["two leads"])
    assert facts["status"].to_list() == ["current"] * 2
    assert facts["contradicts"].list.len().sum() == 0


def test_a_superseding_fact_is_linked_to_the_old_one(evidence: dict[str, pl.DataFrame]) -> None:
    facts = {row["object"]: row for row in derive_facts(evidence["a move"]).iter_rows(named=True)}
    berlin, lisbon = facts["Berlin"], facts["Lisbon"]
    assert (lisbon["supersedes_fact_id"], berlin["superseded_by_fact_id"]) == (berlin["fact_id"], lisbon["fact_id"])
    assert berlin["valid_to"] == lisbon["valid_from"]
    assert berlin["ended_known_from"] == lisbon["known_from"]
