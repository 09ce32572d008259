"""A note that somebody goes on writing, line by line: each line holds from the day with which it begins."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from brain_retrieval.knowledge.memories.view import as_of
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.memories.reading import read

GYM = "2023-11-04 gym costs 24 a month\n2024-02-17 gym bag torn\n2024-11-23 gym went up to 29 a month\n"
STROM = "16.10.23: Abschlag 84 Euro\n16.3.24: Abschlag auf 97 Euro erhöht\n12.10.24: Abschlag 79 Euro, neuer Anbieter\n"
LATER = datetime(2025, 6, 1, 12, tzinfo=UTC)


def rows_of(text: str, **changes: Any) -> list[dict[str, Any]]:
    row = document(text, **{"source": "note", "event_at": LATER, **changes})
    return memory_rows(row, read(row))


@pytest.mark.parametrize(
    ("text", "language", "about", "at", "shown"),
    [
        (GYM, "en", "gym", date(2024, 6, 1), "24 a month"),
        (GYM, "en", "gym", date(2025, 1, 1), "29 a month"),
        (STROM, "de", "Abschlag", date(2024, 1, 1), "84 Euro"),
        (STROM, "de", "Abschlag", date(2024, 6, 1), "97 Euro"),
        (STROM, "de", "Abschlag", date(2025, 1, 1), "79 Euro"),
    ],
)
def test_each_line_holds_from_its_day(text: str, language: str, about: str, at: date, shown: str) -> None:
    rows = rows_of(text, language=language)
    found = as_of(rows, about, at=datetime(at.year, at.month, at.day, tzinfo=UTC))
    prices = [one.row["text"] for one in found if any(value["dimension"] != "date" for value in one.row["values"])]
    assert len(prices) == 1
    assert shown in prices[0]


def test_the_day_is_no_part_of_the_line() -> None:
    first = rows_of(GYM)[0]
    assert first["text"] == "Gym costs 24 a month"
    assert first["evidence"] == GYM[first["start"] : first["end"]] == "gym costs 24 a month"
    assert first["said_at"] == datetime(2023, 11, 4, 12, tzinfo=UTC)


def test_what_is_planned_keeps_its_day_and_is_not_said_on_it() -> None:
    text = "2025-05-02: rent is 900 euros\n2025-05-20: boiler broken\n2025-08-01: rent goes up to 940 euros\n"
    planned = next(row for row in rows_of(text) if "940" in row["text"])
    assert planned["text"] == "2025-08-01: rent goes up to 940 euros"
    assert planned["said_at"].date() == date(2025, 5, 20)
    assert planned["effective_from"].date() == date(2025, 8, 1)
    before = datetime(2025, 1, 1, tzinfo=UTC)
    assert {row["said_at"] for row in rows_of(text, event_at=before)} == {before}


def test_lines_of_a_mail_keep_their_days() -> None:
    text = "3 May 2024: flight to Rome\n9 May 2024: flight to Oslo, you pay 120 euros\n"
    rows = rows_of(text, source="email")
    assert rows
    assert {row["said_at"] for row in rows} == {LATER}


def test_another_day_of_a_running_note_is_no_context() -> None:
    text = (
        "2024-01-09 my desk is 4.17 by the window\n2024-02-14 heard that we all move to floor 6 in spring\n"
        "2024-03-20 floor 6 plan is off\n"
    )
    found = as_of(rows_of(text), "my desk", at=datetime(2024, 4, 15, tzinfo=UTC))
    assert "4.17" in found[0].row["text"]
