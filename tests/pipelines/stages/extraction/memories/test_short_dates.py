"""Shortened dates in six languages, arrows, and what only looks like them. Said on 18 June 2025, a Wednesday."""

import pytest

from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.memories.reading import read
from tests.pipelines.stages.extraction.memories.sentences import sentence
from tests.pipelines.stages.extraction.memories.test_date_readings import days_of


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "Call with Ana Thu 3pm.", ["2025-06-19"]),
        ("en", "Swim gala Sat 28th, bring snacks.", ["2025-06-28"]),
        ("en", "Moved from Tue 24th to Thu the 26th.", ["2025-06-24", "2025-06-26"]),
        ("en", "The dentist is on Fri.", ["2025-06-20"]),
        ("en", "Lunch with Leo is on Sun.", ["2025-06-22"]),
        ("en", "The rent is due next Tues.", ["2025-06-24"]),
        ("en", "The appointment is tmrw at 3.", ["2025-06-19"]),
        ("en", "My passport expires 03/2029.", ["2029-03"]),
        ("en", "The meeting with Ana moved → Thursday 4pm.", ["2025-06-19"]),
        ("de", "Termin verschoben -> Do 16 Uhr", ["2025-06-19"]),
        ("de", "Zahnarzt von Di 24. auf Do 26. verschoben.", ["2025-06-24", "2025-06-26"]),
        ("de", "Die Tabletten nehme ich bis Fr.", ["2025-06-20"]),
        ("de", "Der Ausweis gilt bis 03/2029.", ["2029-03"]),
        ("fr", "Rendez-vous chez le dentiste jeu. 14h", ["2025-06-19"]),
        ("es", "Reunión el lun 23 con Iker.", ["2025-06-23"]),
        ("es", "El mar 5 grados.", []),
        ("fr", "On part sam prochain.", []),  # "prochain" alone leads to nothing
        ("es", "Cita con el médico jue 10:00", ["2025-06-19"]),
        ("es", "Quedamos el sáb a las 9.", ["2025-06-21"]),
        ("it", "Ci vediamo ven 18:30 da Gino.", ["2025-06-20"]),
        ("pt", "Consulta sex 14h30 no centro", ["2025-06-20"]),
        ("en", "He is going to Jena in july.", ["2025-07"]),
        ("en", "We met last fri.", ["2025-06-13"]),
        # The weekday of another date, other words, a person and a sea
        ("en", "The meeting is on Thu 19 June.", ["2025-06-19"]),
        ("en", "I walked with june and may.", []),
        ("en", "I sat in the sun on sun cream.", []),
        ("de", "Fr. Meier wohnt so nah, das mag ich.", []),
        ("fr", "On va à la mer.", []),
        ("fr", "Le jeu est fini, un cadeau pour Sam.", []),
        ("it", "Un regalo per Gio.", []),
        ("en", "They plan to wed in the park.", []),
        ("es", "Fuimos al mar con Ana.", []),
        ("pt", "Gosto de ter tempo.", []),
    ],
)
def test_shortened_dates(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


def test_a_clock_behind_a_day_is_a_time_and_no_duration() -> None:
    values = read_signals(sentence("Dentist is on 20 June 9:30, the run took 52:40", "en")).values
    assert [(value.dimension, value.value) for value in values if ":" in value.value] == [
        ("time", "9:30"),
        ("duration", "52:40"),
    ]


def test_a_day_in_figures_ends_no_sentence_before_what_it_is_of() -> None:
    row = document("Mama hat am 3.5. OP am Knie. Wir fahren am 4.5. Danach kommt Meier.", language="de", source="note")
    assert [one.text for one in read(row)] == [
        "Mama hat am 3.5. OP am Knie.",
        "Wir fahren am 4.5.",
        "Danach kommt Meier.",
    ]
