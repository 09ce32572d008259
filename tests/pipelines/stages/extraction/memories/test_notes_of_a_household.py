"""What notes and mails of every day state: shifted days, ranges, who a mail calls, and what a line is about."""

from datetime import timedelta
from typing import Any

import pytest

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.memories.reading import read
from tests.pipelines.stages.extraction.memories.sentences import sentence
from tests.pipelines.stages.extraction.memories.test_date_readings import days_of


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "Mum's hip op was put back again, now 22 September.", ["2025-09-22"]),
        ("en", "It was put back, now 22 August, was 25 June.", ["2025-08-22", "2025-06-25"]),
        ("de", "Die Sitzung wurde verschoben, jetzt am 22. September.", ["2025-09-22"]),
        ("es", "La cita se aplazó, ahora el 22 de septiembre.", ["2025-09-22"]),
        ("fr", "Le rendez-vous a été reporté, maintenant le 22 septembre.", ["2025-09-22"]),
        ("it", "L'incontro è stato rinviato, ora il 22 settembre.", ["2025-09-22"]),
        ("pt", "A consulta foi adiada, agora a 22 de setembro.", ["2025-09-22"]),
    ],
)
def test_a_day_that_something_has_by_now_is_to_come(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


def rows_of(text: str, **changes: Any) -> list[dict[str, Any]]:
    row = document(text, **changes)
    return memory_rows(row, read(row))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("We rent a cottage in Bamburgh, 1-8 August.", "1-8 August [2026-08-01/2026-08-08]"),
        ("We are in Bamburgh August 1-8.", "August 1-8 [2026-08-01/2026-08-08]"),
        ("We are in Bamburgh from 1 August to 8 August.", "from 1 August [2026-08-01] to 8 August [2026-08-08]"),
    ],
)
def test_a_range_of_days_is_dated_as_one(text: str, written: str) -> None:
    assert [written in row["text"] for row in rows_of(text)] == [True]


MAIL = """\
Dear {name},

From 15 June you will report to Owen Tudor instead of Helen Marsh. Your salary of 41,200 pounds is unchanged.
"""


@pytest.mark.parametrize(
    ("name", "called"), [("Callum", True), ("Mr Brodie", True), ("Callum Brodie", True), ("all", False), ("Sam", False)]
)
def test_a_mail_to_several_speaks_to_the_one_whom_it_greets(name: str, called: bool) -> None:
    people = ["Priyanka Desai", "Callum Brodie", "Owen Tudor"]
    text = MAIL.format(name=name)
    segment = {"kind": "message", "start": 0, "end": len(text), "speaker": "Priyanka Desai"}
    texts = [row["text"] for row in rows_of(text, source="email", participants=people, segments=[segment])]
    assert any("Callum Brodie will report to Owen Tudor" in one for one in texts) == called
    assert any("Callum Brodie's salary of 41,200 pounds is unchanged" in one for one in texts) == called


def test_what_was_discussed_before_is_asserted() -> None:
    assert read_signals(sentence("As discussed, Ann leads the team from June.")).modality == "asserted"
    assert read_signals(sentence("We discussed a move to Leeds.")).modality == "possible"


def test_the_name_of_miss_price_speaks_of_no_price() -> None:
    assert ":price" not in read_signals(sentence("Miss Price is the teacher of Rowan.")).anchors
    assert ":price" in read_signals(sentence("The price of the car is high.")).anchors


def test_a_line_that_names_what_it_is_about_takes_no_words_of_the_line_before() -> None:
    rows = rows_of("The balance of the cottage is due on 11 July.\nCancelled Netflix. Moved it to May.")
    words = {row["evidence"]: row["anchors"] for row in rows}
    assert "cottag" not in words["Cancelled Netflix."]


@pytest.mark.parametrize("day", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"])
@pytest.mark.parametrize("text", ["Could you send us the sizing by {day}?", "Please pay the deposit by {day}."])
def test_a_weekday_by_which_something_is_due_is_to_come(text: str, day: str) -> None:
    (row,) = rows_of(text.format(day=day))
    said, due = row["said_at"].date(), [v["value"] for v in row["values"] if v["dimension"] == "date"]
    assert said.isoformat() <= due[0] <= (said + timedelta(days=7)).isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "From their side: Lars-Erik Sundqvist (CTO), Mireille Dufresne (procurement), Anil.",
        "Speakers on stage: Tom and Jane, Sue.",
        "The quote of the plumber is 2,850 incl. VAT.",
    ],
)
def test_nothing_is_cut_off_at_the_end(text: str) -> None:
    assert [row["text"] for row in rows_of(text)] == [text]
