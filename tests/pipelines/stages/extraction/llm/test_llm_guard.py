"""Statements of a chat model against the words of their text: denials, doubts, questions, dates, names."""

from datetime import UTC, datetime
from typing import Any

import pytest

from brain_pipelines.stages.extraction.llm.client import TextReading
from brain_pipelines.stages.extraction.llm.guard import is_denied
from brain_pipelines.stages.extraction.llm.integrity import settle
from brain_pipelines.stages.extraction.llm.items import items_of, parts_of
from brain_pipelines.stages.extraction.llm.prompt import ExtractionAnswer
from brain_pipelines.stages.extraction.llm.quotes import Quotable
from brain_pipelines.stages.extraction.local.relations.relation_domains import fitting_relation
from brain_pipelines.stages.extractions_llm import rows_of
from brain_pipelines.stages.extractions_local import Extraction
from brain_retrieval.settings import Settings
from tests.pipelines.stages.extraction.llm.scripted_model import entity, fact
from tests.pipelines.stages.extraction.local.documents import document


def rows(
    text: str, *, entities: list[dict] = (), facts: list[dict] = (), zone: str = "UTC", **changes: Any
) -> Extraction:
    """Return the rows of one text whose first part was read so."""
    row = document(text, **changes)
    (item,) = items_of([row], most=6000)
    given = {"items": [{"index": 0, "entities": list(entities), "facts": list(facts)}]}
    reading = settle([item], ExtractionAnswer.model_validate(given)).readings[0]
    return rows_of(row, TextReading([(item, reading)]), Settings(time_zone=zone))


@pytest.mark.parametrize(
    ("text", "subject", "obj", "negated"),
    [
        ("Alice does not lead Apollo.", "Alice", "Apollo", True),
        ("Alice doesn’t lead Apollo.", "Alice", "Apollo", True),
        ("Alice no longer leads Apollo.", "Alice", "Apollo", True),
        ("I don't think Alice leads Apollo.", "Alice", "Apollo", True),
        ("Nobody leads Apollo.", "Nobody", "Apollo", True),
        ("Alice uses Kafka but not RabbitMQ.", "Alice", "RabbitMQ", True),
        ("Alice uses Kafka but not RabbitMQ.", "Alice", "Kafka", False),
        ("Alice does not use RabbitMQ but uses Kafka.", "Alice", "Kafka", False),
        ("Alice does not use RabbitMQ, she uses Kafka.", "Alice", "Kafka", False),
        ("Alice does not use Kafka and RabbitMQ.", "Alice", "RabbitMQ", True),
        ("Bob, who does not like Kafka, leads Apollo.", "Bob", "Apollo", False),
        ("Bob does not like Kafka and Alice leads Apollo.", "Alice", "Apollo", False),
        ("It is not late. Alice leads Apollo.", "Alice", "Apollo", False),
        ("Alice not only leads Apollo.", "Alice", "Apollo", False),
        ("No doubt Alice leads Apollo.", "Alice", "Apollo", False),
        ("Alice leads Apollo, not Zeus.", "Alice", "Apollo", False),
        ("Alice leads Apollo.", "Alice", "Apollo", False),
    ],
)
def test_a_denial_in_the_text_wins(text: str, subject: str, obj: str, negated: bool) -> None:
    extraction = rows(text, entities=[entity(subject)], facts=[fact(subject, "lead", obj, text)])
    assert [f["polarity"] for f in extraction.facts] == ["negated" if negated else "affirmed"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Alice leitet Apollo nicht mehr"),
        ("fr", "Alice ne dirige pas Apollo"),
        ("es", "Alice no dirige Apollo"),
        ("it", "Alice non dirige Apollo"),
        ("ru", "Алиса не руководит Apollo"),
    ],
)
def test_denials_of_other_languages(language: str, text: str) -> None:
    after = language == "de"  # the negation follows the object
    assert is_denied(text, (0, len(text)), text.split()[0], "" if after else "Apollo", language)
    assert not is_denied("Alice Apollo", (0, 12), "Alice", "Apollo", language)


def test_the_quote_may_leave_the_denial_out() -> None:
    extraction = rows(
        "Alice does not lead Apollo.",
        entities=[entity("Alice")],
        facts=[fact("Alice", "lead", "Apollo", "lead Apollo")],
    )
    assert [f["polarity"] for f in extraction.facts] == ["negated"]


@pytest.mark.parametrize(
    ("given", "predicate"),
    [("not lead", "lead"), ("does not lead", "lead"), ("LEAD", "lead"), ("is_part_of", "is part of")],
)
def test_a_predicate_holds_no_denial(given: str, predicate: str) -> None:
    extraction = rows(
        "Alice leads Apollo.", entities=[entity("Alice")], facts=[fact("Alice", given, "Apollo", "Alice leads Apollo")]
    )
    (row,) = extraction.facts
    assert (row["predicate"], row["polarity"]) == (predicate, "negated" if "not" in given else "affirmed")


@pytest.mark.parametrize(
    ("text", "given", "modality", "confidence"),
    [
        ("Alice leads Apollo.", [], "asserted", 0.9),
        ("Alice might lead Apollo.", [], "possible", 0.54),
        ("Perhaps Alice leads Apollo.", [], "possible", 0.54),
        ("Does Alice lead Apollo?", [], "question", 0.54),
        ("Alice leads Apollo.", ["reported", "possible"], "reported", 0.54),
        ("In May Alice leads Apollo.", [], "asserted", 0.9),
    ],
)
def test_hedges_are_kept_and_marked(text: str, given: list[str], modality: str, confidence: float) -> None:
    extraction = rows(text, entities=[entity("Alice")], facts=[fact("Alice", "lead", "Apollo", text, stance=given)])
    assert [(f["modality"], f["confidence"]) for f in extraction.facts] == [(modality, confidence)]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("2024/", ("2024-01-01", None)),
        ("/2024", (None, "2025-01-01")),
        ("2024", ("2024-01-01", "2025-01-01")),
        ("2024-03/2024-05", ("2024-03-01", "2024-06-01")),
        ("2024-12-31", ("2024-12-31", "2025-01-01")),
        ("2024-13/soon", (None, None)),
        ("2025/2024", (None, None)),
        ("9999", (None, None)),
        ("", (None, None)),
    ],
)
def test_periods_are_half_open_days(when: str, expected: tuple) -> None:
    stated = fact("Alice", "lead", "Apollo", "Alice leads Apollo", when=when)
    (row,) = rows("Alice leads Apollo.", entities=[entity("Alice")], facts=[stated]).facts
    found = tuple(t and t.date().isoformat() for t in (row["stated_from"], row["stated_to"]))
    assert found == expected


def test_a_day_is_one_of_the_users_time_zone() -> None:
    stated = fact("Alice", "lead", "Apollo", "Alice leads Apollo", when="2024-07-01/")
    (row,) = rows("Alice leads Apollo.", entities=[entity("Alice")], facts=[stated], zone="Europe/Berlin").facts
    assert row["stated_from"] == datetime(2024, 6, 30, 22, tzinfo=UTC)


def test_names_that_the_text_does_not_hold_are_not_taken() -> None:
    alice = entity("Alice Johnson", aliases=["Alice", "Ali", "she"], about="leads")
    extraction = rows("Alice leads Apollo. She is kind.", entities=[alice])
    assert [(e["name"], e["aliases"], e["mention_count"]) for e in extraction.entities] == [("Alice", [], 1)]


def test_short_and_full_names_are_one() -> None:
    text = "Alice Chen came. Alice leads Apollo. A. Chen left."
    given = [
        entity("Alice Chen", aliases=["Alice", "A. Chen"]),
        entity("Alice", sure=5),
        entity("Apollo", "Project"),
    ]
    extraction = rows(text, entities=given, facts=[fact("Alice", "lead", "Apollo", "Alice leads Apollo")])
    assert [(e["name"], e["aliases"], e["mention_count"]) for e in extraction.entities] == [
        ("Alice Chen", ["A. Chen", "Alice"], 3),
        ("Apollo", [], 1),
    ]
    (row,) = extraction.facts
    assert row["subject"] == "Alice Chen" and row["subject_id"] == extraction.entities[0]["entity_id"]


def test_the_owner_is_a_person_without_mentions() -> None:
    stated = fact("user", "live in", "Lisbon", "I live in Lisbon", relation="RELATED_TO")
    extraction = rows("I live in Lisbon.", entities=[entity("Lisbon", "Location")], facts=[stated], source="note")
    assert {(e["name"], e["type"], e["mention_count"]) for e in extraction.entities} == {
        ("user", "Person", 0),
        ("Lisbon", "Location", 1),
    }


def test_speakers_and_addresses_need_no_model() -> None:
    text = "Alice Chen: write to bob@acme.io\nBob: ok\n"
    segments = [
        {"start": 0, "end": 33, "kind": "message", "speaker": "Alice Chen"},
        {"start": 33, "end": 41, "kind": "message", "speaker": "Bob"},
    ]
    extraction = rows(text, source="conversation", segments=segments)
    assert {(e["name"], e["method"]) for e in extraction.entities} == {
        ("Alice Chen", "local"),
        ("Bob", "local"),
        ("bob@acme.io", "local"),
    }


@pytest.mark.parametrize(
    ("relation", "subject", "obj", "kept"),
    [
        ("KNOWS", "Person", "Person", "KNOWS"),
        ("KNOWS", "Person", "Tool", "RELATED_TO"),
        ("MEMBER_OF", "Person", "Organization", "MEMBER_OF"),
        ("DEPENDS_ON", "Project", "Project", "DEPENDS_ON"),
        ("DEPENDS_ON", "Person", "Project", "RELATED_TO"),
        ("ABOUT", "Document", "Concept", "ABOUT"),
        ("USES", "Project", "Literal", "RELATED_TO"),
    ],
)
def test_relations_join_what_they_may(relation: str, subject: str, obj: str, kept: str) -> None:
    assert fitting_relation(relation, subject, obj) == kept


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("the  big\nplan", "The big plan"),
        ("“the big plan”", "The big plan"),
        ("she said “go”", 'she said "go"'),
        ("Alise Chen leads it", "Alice Chen leads it"),
        ("ice", None),
        ("plan", "plan"),
        ("", None),
        ("STRASSE", "Straße"),
    ],
)
def test_quotes_are_found_but_for_form(quote: str, found: str | None) -> None:
    text = 'The big plan: Alice Chen leads it, she said "go". Straße.'
    span = Quotable(text).find(quote)
    assert (text[span[0] : span[1]] if span else None) == found


@pytest.mark.parametrize("most", [1, 7, 100, 1000])
def test_parts_are_the_whole(most: int) -> None:
    text = "One two three.\n\nFour five six. Seven.\n" * 20
    parts = list(parts_of(text, most))
    assert "".join(text[start:end] for start, end in parts) == text
    assert all(end - start <= most for start, end in parts)
