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


def entries(text: str, language: str = "de") -> list[tuple[str, str]]:
    """Return when each sentence of a note of 5 April 2026 was said, and the sentence."""
    row = document(text, language=language, source="note", event_at=datetime(2026, 4, 5, 12, tzinfo=UTC))
    return [(one.said_on.isoformat(), one.text) for one in read(row)]


MARCH = [
    ("2026-03-12", "der Wagen ist fertig"),
    ("2026-03-14", "die Versicherung zahlt"),
    ("2026-03-20", "alles ist gut"),
]


@pytest.mark.parametrize(
    "days",
    [
        ("12.3. ", "14.3. ", "20.3. "),
        ("- 12.03.: ", "- 14.03.: ", "- 20.03.: "),
        ("Do 12.3. ", "Sa 14.3. ", "Fr 20.3. "),
        ("12.03 - ", "14.03 - ", "20.03 - "),
        ("12/3 ", "14/3 ", "20/3 "),
        ("3/12: ", "3/14: ", "3/20: "),
        ("12. März: ", "14. März: ", "20. März: "),
        ("**12 Mar** – ", "**14 Mar** – ", "**20 Mar** – "),
        ("Mar 12th: ", "Mar 14th: ", "Mar 20th: "),
        ("Do 12 Mar, 9:30 - ", "Sa 14 Mar, 18:00 - ", "Fr 20 Mar, 8:00 - "),
        ("# 12. März\n", "# 14. März\n", "# 20. März\n"),
    ],
)
def test_years_that_stand_nowhere_follow_from_the_day_of_the_note(days: tuple[str, ...]) -> None:
    for words in (MARCH, MARCH[::-1]):
        order = days if words is MARCH else days[::-1]
        assert entries("\n".join(day + text for day, (_, text) in zip(order, words, strict=True))) == words


def test_a_year_ends_between_entries_and_one_may_be_added_late() -> None:
    text = "28.11. der Wagen ist da\n3.12. er ist fertig\n30.11. er war teuer\n7.1. er ist weg\n2.4. er ist zurück\n"
    assert [day for day, _ in entries(text)] == ["2025-11-28", "2025-12-03", "2025-11-30", "2026-01-07", "2026-04-02"]


def test_the_days_of_january_and_the_first_of_each_month_are_no_numbers_of_sections() -> None:
    daily = "1.1. der Wagen ist da\n2.1. er ist fertig\n3.1. er war teuer\n4.1. er ist weg\n"
    assert [day for day, _ in entries(daily)] == [f"2026-01-0{day}" for day in (1, 2, 3, 4)]
    monthly = "1. Jan: der Wagen ist da\n1. Feb: er ist fertig\n1. März: er war teuer\n"
    assert [day for day, _ in entries(monthly)] == [f"2026-0{month}-01" for month in (1, 2, 3)]


def test_what_stands_behind_a_list_of_entries_is_of_the_day_of_the_note() -> None:
    text = (
        "12.3. der Wagen ist fertig\ner war teuer\n14.3. die Versicherung zahlt\n20.3. alles ist gut\n\nEr ist in Jena."
    )
    assert [day for day, _ in entries(text)] == ["2026-03-12"] * 2 + ["2026-03-14", "2026-03-20", "2026-04-05"]
    loose = (
        "12.3.\n\nDer Wagen ist fertig.\n\nEr war teuer.\n\n14.3.\n\nDie Versicherung zahlt.\n\n20.3.\n\nAlles ist gut."
    )
    assert [day for day, _ in entries(loose)] == ["2026-03-12"] * 2 + ["2026-03-14", "2026-03-20"]


@pytest.mark.parametrize(
    "text",
    [
        "14.4. der Zahnarzt kommt\n16.4. der Notar kommt\n17.4. der Wagen kommt",  # the lines are about these days
        "1.1. Es gibt Ziele\n1.2. Es gibt Mittel\n1.3. Es gibt Wege\n2.1. Es gibt Folgen",
        "3/4 des Kuchens ist weg\n1/2 des Brots ist weg\n2/3 der Milch ist weg",
        "Mar 10th - Mar 12th ist er da\nMar 13th - 18th ist er weg\nMar 20th to Mar 22nd ist er da",  # periods
        "12. März, so ist es eben\n14. März, so war es auch\n20. März, so bleibt es",  # lines of prose
        "9.30 – der Zug kommt\n10.15 – der Bus kommt\n12.30 – das Essen kommt",
        "1.2 km war er weit\n1.3 km war er weit\n1.4 km war er weit",
    ],
)
def test_other_lines_are_no_entries(text: str) -> None:
    assert {day for day, _ in entries(text)} == {"2026-04-05"}
