"""FACT_EVIDENCE from extraction rows: resolved entities, direction, literals, tense, echoes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from brain_pipelines.knowledge.evidence import build_evidence
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES
from tests.pipelines.knowledge.frames import AT, frame

KINDS = {"Bob": "Person", "Carol": "Person", "Acme": "Organization", "Atlas": "Project", "Madrid": "Location"}


def fact(subject: str, predicate: str, obj: str, text: str = "", **changes: Any) -> dict[str, Any]:
    literal = obj not in KINDS
    return {
        "fact_id": f"{subject}-{predicate}-{obj}-{text}",
        "source_id": "s1",
        "source": "note",
        "subject_id": f"m_{subject}",
        "predicate": predicate,
        "relation": "RELATED_TO",
        "object": obj,
        "object_id": None if literal else f"m_{obj}",
        "object_type": "Literal" if literal else KINDS[obj],
        "polarity": "affirmed",
        "modality": "asserted",
        "method": "local",
        "said_at": AT,
        "evidence": text,
        "start": 10,
        "end": 20,
        **changes,
    }


def built(*facts: dict[str, Any], unknown: tuple[str, ...] = (), echoes: pl.DataFrame | None = None) -> pl.DataFrame:
    names = [name for name in KINDS if name not in unknown]
    members = [{"member_id": f"m_{n}", "entity_id": f"e_{n}"} for n in names]
    known = [
        {
            "entity_id": f"e_{n}",
            "name": n,
            "type": KINDS[n],
            "entity_class": KINDS[n] if KINDS[n] == "Person" else "Entity",
        }
        for n in names
    ]
    return build_evidence(
        frame("facts", *facts), frame("entity_members", *members), frame("known_entities", *known), echoes=echoes
    )


def test_columns_and_names() -> None:
    rows = built(fact("Bob", "work for", "Acme"))
    assert rows.columns == SNAPSHOT_TABLES["fact_evidence"].names
    row = rows.row(0, named=True)
    assert (row["subject_id"], row["subject"], row["predicate"], row["predicate_text"]) == (
        "e_Bob", "Bob", "work at", "work for",
    )  # fmt: skip
    assert (row["object_id"], row["object_key"], row["object_class"]) == ("e_Acme", "e_Acme", "Entity")
    assert row["relation"] == "MEMBER_OF"
    assert built().is_empty()


def test_inverse_predicates_are_reversed() -> None:
    row = built(fact("Carol", "manage", "Bob")).row(0, named=True)
    assert (row["subject"], row["predicate"], row["object"], row["object_key"]) == (
        "Bob",
        "report to",
        "Carol",
        "e_Carol",
    )
    row = built(fact("Carol", "marry", "Bob")).row(0, named=True)
    assert (row["subject"], row["object"]) == ("Bob", "Carol")
    row = built(fact("Carol", "marry", "Bob", method="agent")).row(0, named=True)
    assert (row["subject"], row["object"]) == ("Carol", "Bob")


def test_unknown_entities_self_relations_and_echoes_are_excluded() -> None:
    said = [fact("Bob", "work for", "Acme"), fact("Bob", "use", "Bob"), fact("Carol", "lead", "Atlas", source_id="s2")]
    assert built(*said).height == 2
    assert built(*said, unknown=("Acme",))["subject"].to_list() == ["Carol"]
    echo = {"source_id": "s2", "start": 0, "end": 40}
    assert built(*said, echoes=frame("echoes", echo))["subject"].to_list() == ["Bob"]
    assert built(*said, echoes=frame("echoes", {**echo, "end": 15})).height == 2


@pytest.mark.parametrize(
    ("predicate", "text", "key"),
    [
        ("be due on", "Friday", "2026-01-09"),
        ("be due on", "January 9", "2026-01-09"),
        ("be due on", "whenever", "whenever"),
        ("cost", "5,000", "5000"),
        ("cost", "$5k", "5000"),
        ("cost", " A lot. ", "a lot"),
    ],
)
def test_literals_are_normalised_to_values(predicate: str, text: str, key: str) -> None:
    assert built(fact("Atlas", predicate, text))["object_key"].to_list() == [key]


@pytest.mark.parametrize(
    ("predicate", "text", "over"),
    [
        ("work at", "Bob worked at Acme.", True),
        ("work at", "Bob has worked at Acme for years.", False),
        ("work at", "Bob works at Acme.", False),
        ("be CEO of", "Bob was the CEO of Acme.", True),
        ("be CEO of", "Bob was appointed CEO of Acme.", False),
        ("own", "Bob owned Acme.", True),
    ],
)
def test_state_in_the_simple_past_has_ended(predicate: str, text: str, over: bool) -> None:
    row = built(fact("Bob", predicate, "Acme", text)).row(0, named=True)
    assert row["stated_to"] == (AT if over else None)


def test_undated_future_has_modality_possible() -> None:
    said = fact("Bob", "move to", "Madrid", "Bob will move to Madrid.")
    assert built(said)["modality"].to_list() == ["possible"]
    dated = {**said, "stated_from": datetime(2026, 6, 1, tzinfo=UTC)}
    assert built(dated)["modality"].to_list() == ["asserted"]
    past = fact("Bob", "move to", "Madrid", "Bob moved to Madrid and will call.")
    assert built(past)["modality"].to_list() == ["asserted"]


@pytest.mark.parametrize(
    ("predicate", "text"),
    [("move to", "I'm gonna move to Madrid."), ("move to", "We're thinking about moving to Madrid.")],
)
def test_expressions_of_plans_have_modality_possible(predicate: str, text: str) -> None:
    assert built(fact("Bob", predicate, "Madrid", text))["modality"].to_list() == ["possible"]


@pytest.mark.parametrize(
    ("predicate", "obj", "passes"),
    [
        ("be", "excited", True),
        ("be proud of", "Carol", True),
        ("be", "vegetarian", False),
        ("be fond of", "Carol", False),
    ],
)
def test_moods_end_after_one_day(predicate: str, obj: str, passes: bool) -> None:
    [until] = built(fact("Bob", predicate, obj, f"I am {obj}."))["stated_to"].to_list()
    assert until == (AT + timedelta(days=1) if passes else None)


def test_evidence_does_not_depend_on_row_order() -> None:
    said = [
        fact(
            "Bob", "work for", "Acme", said_at=AT + timedelta(days=n), fact_id=f"f{n}", evidence="Bob worked for Acme."
        )
        for n in range(6)
    ]
    assert built(*said).equals(built(*reversed(said)))
