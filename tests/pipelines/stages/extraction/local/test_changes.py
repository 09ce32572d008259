"""What ends and begins, what is preferred and what is a rule: surface forms and the facts they give."""

from datetime import UTC, datetime

import pytest

from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import document

SAID = datetime(2026, 3, 4, 9, tzinfo=UTC)
NOW = "to 2026-03-04"


def facts_of(text: str, source: str = "note") -> set[str]:
    """Return the facts as "subject | predicate | object" with " | negated", a modality and its bounds where it has."""
    return {_line(fact) for fact in extract_document(document(text, source=source, event_at=SAID)).facts}


def _line(fact: dict) -> str:
    marks = [fact["polarity"], fact["modality"]]
    bounds = [(word, fact[f"stated_{word}"]) for word in ("from", "to")]
    said = [f"{word} {day.date()}" for word, day in bounds if day]
    shown = [mark for mark in marks if mark not in ("affirmed", "asserted")]
    return " | ".join([fact["subject"], fact["predicate"], fact["object"], *shown, *said])


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Bob left Acme.", ["Bob | leave | Acme"]),
        ("Bob no longer works at Acme.", ["Bob | work at | Acme | negated"]),
        ("Bob doesn't work at Acme anymore.", ["Bob | work at | Acme | negated"]),
        ("I used to live in Berlin.", [f"user | live in | Berlin | {NOW}"]),
        ("Bob, who formerly worked at Google, called.", [f"Bob | work at | Google | {NOW}"]),
        ("Bob is a former member of the design team.", [f"Bob | be member of | design team | {NOW}"]),
        ("Bob moved from Berlin to Lisbon.", ["Bob | move from | Berlin", "Bob | move to | Lisbon"]),
        ("Tom stopped using Jira.", ["Tom | use | Jira | negated"]),
        ("Alice is now lead of the search team.", ["Alice | be lead of | search team"]),
        ("We switched from Slack to Teams.", ["user | switch from | Slack", "user | switch to | Teams"]),
        (
            "Alice replaced Bob as CEO of Acme.",
            ["Alice | replace | Bob", "Alice | be CEO of | Acme", f"Bob | be CEO of | Acme | {NOW}"],
        ),
        (
            "Alice replaced Bob as CEO of Acme in May 2025.",
            [
                "Alice | replace | Bob | from 2025-05-01",
                "Alice | be CEO of | Acme | from 2025-05-01",
                "Bob | be CEO of | Acme | to 2025-05-01",
            ],
        ),
        (
            "Bob was replaced by Alice as lead of the search team.",
            ["Alice | replace | Bob", "Alice | be lead of | search team", f"Bob | be lead of | search team | {NOW}"],
        ),
        (
            "Alice will replace Bob as CEO of Acme.",
            ["Alice | replace | Bob", "Alice | be CEO of | Acme"],
        ),
        ("Alice was appointed CTO of Acme.", ["Alice | be CTO of | Acme"]),
        ("Bob resigned as CEO of Acme.", ["Bob | resign as | CEO", f"Bob | be CEO of | Acme | {NOW}"]),
    ],
)
def test_starts_and_ends(text: str, facts: list[str]) -> None:
    assert facts_of(text) == set(facts)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Alice prefers tea over coffee.", ["Alice | prefer | tea", "Alice | prefer over | coffee"]),
        ("I prefer dark mode.", ["user | prefer | dark mode"]),
        ("My favourite editor is Vim.", ["user | have favorite editor | Vim"]),
        ("Vim is my favorite editor.", ["user | have favorite editor | Vim"]),
        ("Alice's favorite city is Lisbon.", ["Alice | have favorite city | Lisbon"]),
        ("I don't like coffee.", ["user | like | coffee | negated"]),
        ("Bob hates meetings.", ["Bob | hate | meetings"]),
        ("I like playing the guitar.", ["user | like | playing the guitar", "user | play | guitar"]),
        ("We never deploy on Fridays.", ["user | deploy on | Fridays | negated"]),
        ("Always use tabs.", ["user | use | tabs"]),
        ("Policy: no deploys on Fridays.", ["user | have policy | no deploys on Fridays"]),
        ("Our rule is to always write tests first.", ["user | have rule | always write tests first"]),
        ("The team meets every Monday.", ["team | meet | every Monday"]),
    ],
)
def test_preferences_and_rules(text: str, facts: list[str]) -> None:
    assert facts_of(text) == set(facts)


@pytest.mark.parametrize("text", ["Always use tabs.", "Policy: no deploys on Fridays."])
def test_rule_without_known_speaker_gives_no_fact(text: str) -> None:
    assert not facts_of(text, source="document")


@pytest.mark.parametrize(
    "text",
    [
        "Bob does not own the billing service.",
        "Bob never worked at Acme.",
        "Nobody at Acme uses Jira.",
        "Alice has no access to Kafka.",
        "I don't think Alice owns the API.",
        "Neither Alice nor Bob lives in Berlin.",
        "Alice did not replace Bob as CEO of Acme.",
        "Bob isn't CEO of Acme.",
        "Bob, who doesn't work at Acme, called.",
        "Bob refused to join Acme.",
        "It is not true that Bob owns the API.",
        "Bob wasn't born in Oslo.",
        "No one in the team uses Kafka.",
        "Bob hardly uses Kafka.",
    ],
)
def test_what_is_denied_is_never_affirmed(text: str) -> None:
    facts = extract_document(document(text)).facts
    assert not [_line(fact) for fact in facts if fact["polarity"] == "affirmed"]
