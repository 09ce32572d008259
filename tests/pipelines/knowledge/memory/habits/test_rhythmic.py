"""Habits by their days: every week, every month; never what only follows from the days on which one writes."""

from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from brain_retrieval.stores.memory_tables import HABITS
from tests.pipelines.knowledge.memory.habits.written_texts import diary_file, habits, notes

MONDAY = date(2026, 8, 3)
FILLING = (
    "Bought a lamp.", "The sink drips.", "Called the bank.", "A letter from Ada.", "Long meeting.", "Read a novel.",
    "Baked bread.", "Snow at last.", "Mended the fence.",
)  # fmt: skip


def diary(weekday: int, said: str, *, weeks: int = 12, missing: tuple[int, ...] = ()) -> dict[date, str]:
    """Return a diary of every second day, and of a day of the week on which the same is done."""
    days = {MONDAY + timedelta(days=n): FILLING[n % len(FILLING)] for n in range(0, 7 * weeks, 2)}
    done = {MONDAY + timedelta(days=7 * week + weekday): said for week in range(weeks) if week not in missing}
    return {**days, **done}


@pytest.mark.parametrize(
    ("language", "said", "name"),
    [
        ("en", "Pottery class in the old mill.", "Pottery class, on Wednesdays"),
        ("de", "Abends Töpferkurs in der Mühle.", "Töpferkurs, mittwochs"),
        ("es", "Clase de alfarería en el molino.", "Clase de alfarería, los miércoles"),
        ("fr", "Cours de poterie au moulin.", "Cours de poterie, le mercredi"),
        ("it", "Corso di ceramica al mulino.", "Corso di ceramica, il mercoledì"),
        ("pt", "Aula de cerâmica no moinho.", "Aula de cerâmica, às quartas-feiras"),
    ],
)
def test_what_is_done_every_week_is_a_habit_in_six_languages(language: str, said: str, name: str) -> None:
    (habit,) = habits(notes(diary(2, said, missing=(4,)), language))
    assert set(habit) == set(HABITS.names)
    assert (habit["kind"], habit["times"]) == ("weekly", 11)
    assert str(habit["name"]).split(", ")[-1] == name.split(", ")[-1]
    assert str(habit["name"]).startswith(name.split(",")[0].split()[0])


def test_each_time_is_cited() -> None:
    texts = notes(diary(2, "Pottery class in the old mill."))
    (habit,) = habits(texts)
    whole = dict(texts.select("source_id", "text").iter_rows())
    assert len(habit["occurrences"]) == habit["times"] == 12
    for one in habit["occurrences"]:
        assert whole[one["source_id"]][one["start"] : one["end"]] == one["text"] == "Pottery class in the old mill."


def test_who_writes_on_one_day_of_the_week_has_no_habit_of_that_day() -> None:
    sundays = {MONDAY + timedelta(days=7 * n + 6): f"{FILLING[n % 9]} Church and cake." for n in range(20)}
    assert habits(notes(sundays)) == []


@pytest.mark.parametrize("days", [(0, 2, 9, 17, 23, 31, 40, 44, 52, 61), (0, 7, 14, 21)])
def test_days_without_a_rhythm_and_few_days_are_no_habit(days: tuple[int, ...]) -> None:
    entries = diary(2, "A walk.", weeks=0) | {MONDAY + timedelta(days=n): "The sink drips." for n in range(70)}
    entries |= {MONDAY + timedelta(days=n): "Pottery class." for n in days}
    assert habits(notes(entries)) == []


def test_a_habit_that_has_not_come_back_has_ended() -> None:
    assert [habit["open"] for habit in habits(notes(diary(2, "Pottery class.", weeks=8)))] == [False]
    assert [habit["open"] for habit in habits(notes(diary(2, "Pottery class.", weeks=17)))] == [True]


def test_what_is_done_at_the_end_of_the_month_and_on_its_first_tuesday() -> None:
    entries = {date(2026, 1, 1) + timedelta(days=n): FILLING[n % 9] for n in range(0, 330, 3)}
    ends = (30, 27, 31, 30, 29, 30, 31, 31, 30, 30)
    entries |= {date(2026, month, day): "Sent the invoice to Norwell." for month, day in enumerate(ends, start=1)}
    firsts = [date(2026, month, day) for month in range(1, 12) for day in range(1, 8)]
    entries |= {day: "Board of the allotments, two hours." for day in firsts if day.weekday() == 1}
    found = {habit["kind"]: habit["name"] for habit in habits(notes(entries))}
    assert found["month_end"].startswith("Invoice") and found["month_end"].endswith("at the end of the month")
    assert found["month_weekday"].endswith("on the first Tuesday of the month")


def test_what_has_not_happened_yet_what_expires_and_what_is_of_high_sensitivity_is_left_out() -> None:
    texts = notes(diary(2, "Pottery class."))
    assert habits(texts.with_columns(ttl_policy=pl.lit("ephemeral"))) == []
    assert habits(texts.with_columns(sensitivity=pl.lit("high"))) == []
    assert habits(texts, now=datetime(2026, 8, 30, tzinfo=UTC)) == []


def test_the_days_of_a_diary_in_one_file_are_those_of_its_headings() -> None:
    texts, said = diary_file(diary(2, "Pottery class in the old mill."), date(2026, 11, 20))
    (habit,) = habits(texts, said)
    assert habit["name"].startswith("Pottery class") and habit["name"].endswith(", on Wednesdays")
    assert habit["times"] == 12


def test_nothing_written_has_no_habits() -> None:
    assert habits(notes({})) == []
