"""Which clause a time is read with, and which has none."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document

SAID = datetime(2026, 3, 4, 9, tzinfo=UTC)


def stated(text: str) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    """Return the bounds of each fact of a text by its predicate and object, as ISO dates."""
    facts = extract_document(document(text, event_at=SAID)).facts
    return {(f["predicate"], f["object"]): (_day(f["stated_from"]), _day(f["stated_to"])) for f in facts}


def _day(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment else None


@pytest.mark.parametrize(
    ("text", "fact", "bounds"),
    [
        ("Alice has led the search team since March 2021.", ("lead", "search team"), ("2021-03-01", None)),
        ("Bob will stay in Berlin until June.", ("stay in", "Berlin"), (None, "2026-07-01")),
        ("Carol lived in Rome from 2019 to 2022.", ("live in", "Rome"), ("2019-01-01", "2023-01-01")),
        ("Ivan worked at Intel (2004-2009).", ("work at", "Intel"), ("2004-01-01", "2010-01-01")),
        ("Dana worked at Acme in 2020.", ("work at", "Acme"), ("2020-01-01", "2021-01-01")),
        ("Priya moved to Lisbon on 5 May.", ("move to", "Lisbon"), ("2025-05-05", None)),
        ("Emma will join Acme next Monday.", ("join", "Acme"), ("2026-03-09", None)),
        ("As of today, Bob owns the billing service.", ("own", "billing service"), ("2026-03-04", None)),
        ("Bob left Acme in March 2024.", ("leave", "Acme"), (None, "2024-03-01")),
        ("Nina used to live in Berlin.", ("live in", "Berlin"), (None, "2026-03-04")),
        ("Nina used to live in Berlin until 2019.", ("live in", "Berlin"), (None, "2020-01-01")),
        ("Bob, former CEO of Acme, hired Paul.", ("be CEO of", "Acme"), (None, "2026-03-04")),
        ("Dana, CEO of Acme since 2019, hired Paul.", ("be CEO of", "Acme"), ("2019-01-01", None)),
        ("Grace has worked at Zendesk for three years.", ("work at", "Zendesk"), ("2023-03-04", None)),
        ("Tom stopped using Jira in May 2025.", ("use", "Jira"), ("2025-05-01", None)),
        ("Raj, who joined Acme in March, manages the mobile team.", ("join", "Acme"), ("2026-03-01", None)),
        ("I think Alice joined Acme two years ago.", ("join", "Acme"), ("2024-01-01", None)),
        ("In 2018 Maria sold the house and moved to Japan.", ("move to", "Japan"), ("2018-01-01", None)),
    ],
)
def test_a_time_bounds_the_fact_of_its_clause(text: str, fact: tuple[str, str], bounds: tuple) -> None:
    assert stated(text)[fact] == bounds


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Bob said yesterday that Alice owns the API.", ("own", "API")),
        ("The March report describes the outage.", ("describe", "outage")),
        ("Alice owns the 2020 budget.", ("own", "budget")),
        ("Dana, CEO of Acme since 2019, hired Paul.", ("hire", "Paul")),
        ("Raj, who joined Acme in March, manages the mobile team.", ("manage", "mobile team")),
        ("Bob owns a car that Alice bought in 2019.", ("own", "car")),
        ("Bob planned a trip to Iceland in June.", ("plan", "trip")),
        ("Nina will finish the draft by Friday.", ("finish", "draft")),
        ("The launch was moved to March.", ("be moved to", "March")),
        ("Oliver hid the bone once.", ("hide", "bone")),
        ("Alice may march with Bob.", ("march with", "Bob")),
        ("Bob used the key to open the office.", ("use", "key")),
    ],
)
def test_a_time_of_something_else_does_not(text: str, fact: tuple[str, str]) -> None:
    assert stated(text)[fact] == (None, None)


def test_a_message_has_its_own_time_and_the_days_are_of_the_zone() -> None:
    row = conversation([("Bob", "I met Alice yesterday.")])
    row["segments"][0]["time"] = datetime(2026, 1, 1, 23, 30, tzinfo=UTC)
    (fact,) = extract_document(row, zone=ZoneInfo("Europe/Berlin")).facts
    assert fact["said_at"] == row["segments"][0]["time"]
    assert (fact["stated_from"], fact["stated_to"]) == (datetime(2025, 12, 31, 23, tzinfo=UTC), None)
