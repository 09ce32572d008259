"""Sentences as people write them: in capitals, without capitals, a number behind what it is of."""

from typing import Any

import pytest

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.memories.reading import read
from tests.pipelines.stages.extraction.memories.test_date_readings import days_of


def rows(row: dict[str, Any]) -> list[dict[str, Any]]:
    return memory_rows(row, read(row))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "WE LIVE IN MOSSLEY."),
        ("en", "HUGO IS HERE!!"),
        ("de", "WIR HABEN DIE WOHNUNG!!!"),
        ("fr", "NOUS AVONS LA MAISON !!!"),
    ],
)
def test_news_in_capitals_is_said(language: str, text: str) -> None:
    row = document(f"{text} Keys on Friday, 3.1 kg.", source="note", language=language)
    assert text in [sentence.text for sentence in read(row)]


@pytest.mark.parametrize("text", ["ALL RIGHTS RESERVED.", "TERMS AND CONDITIONS", "WE LIVE IN MOSSLEY"])
def test_titles_in_capitals_are_none(text: str) -> None:
    assert text not in [sentence.text for sentence in read(document(f"{text} Keys on Friday.", source="note"))]


@pytest.mark.parametrize(
    ("language", "text", "ends"),
    [
        (
            "es",
            "el tren no sale, huelga. me devuelven la pasta. vamos a Oslo en junio?",
            ["pasta.", "junio?"],
        ),
        ("fr", "j'ai vendu la Clio, 5 400 €. je prends le bus", ["€.", "bus"]),
        ("fr", "Le Cygne a annulé, fuite d'eau. du coup La Rose 20h30", ["20h30"]),
        ("de", "wir sind ca. drei bzw. vier leute", ["leute"]),
    ],
)
def test_messages_without_capitals_have_sentences(language: str, text: str, ends: list[str]) -> None:
    row = conversation([("Olga", text), ("Ben", "ok")], language=language)
    said = [one.text for one in read(row) if one.speaker == "Olga"]
    assert [one.split()[-1] for one in said] == ends


def test_a_message_that_ends_with_a_question_still_says_what_was_cancelled() -> None:
    row = conversation([("Olga", "se ha cancelado Roma. vamos a Oslo en junio?"), ("Ben", "ok")], language="es")
    cancelled = next(one for one in rows(row) if "Roma" in one["evidence"])
    assert cancelled["modality"] == "asserted"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Der Sack kostet 15 € statt 29,95. Die Nummer bleibt 4088.", "Der Sack kostet 15 € statt 29,95."),
        ("Olga geht zur Bahn, ab 1.8. Die Leiterin bleibt aber da.", "Olga geht zur Bahn, ab 1.8."),
    ],
)
def test_the_last_number_of_a_price_or_day_is_no_ordinal(text: str, first: str) -> None:
    assert rows(document(text, source="note", language="de"))[0]["evidence"] == first


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Sold the Corsa! £2,300 to a lad from Dover, cash.", {"corsa"}),
        ("de", "Ich muss die Miete zum 1. April anpassen. Sie beträgt dann 835 Euro warm.", {"miet"}),
    ],
)
def test_what_adds_a_number_is_about_the_sentence_before(language: str, text: str, words: set[str]) -> None:
    assert words <= set(rows(document(text, source="note", language=language))[-1]["anchors"])


def test_a_line_with_a_subject_of_its_own_is_about_that() -> None:
    row = rows(document("Sold the Corsa! Plumber at 9, 140 for the tap and the pipe.", source="note"))[-1]
    assert "corsa" not in row["anchors"]


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "Agreed 11 July.", ["2025-07-11"]),
        ("en", "Your permit came, starts 1 July.", ["2025-07-01"]),
        ("de", "Termin 13. Juli abgelehnt.", ["2025-07-13"]),
        ("de", "Die Sanierung ist für September geplant.", ["2025-09"]),
        ("fr", "Les travaux sont prévus pour septembre.", ["2025-09"]),
        ("es", "La obra está prevista para septiembre.", ["2025-09"]),
        ("it", "I lavori sono previsti per settembre.", ["2025-09"]),
        ("pt", "A obra está prevista para setembro.", ["2025-09"]),
        ("en", "We agreed on 11 January.", ["2025-01-11"]),
        ("es", "Queda acordado pintar el piso en octubre.", ["2025-10"]),
        ("it", "Abbiamo deciso di partire a dicembre.", ["2025-12"]),
        ("pt", "Contaram que abrem a loja em novembro.", ["2025-11"]),
        ("pt", "Contaram que fecharam a loja em novembro.", ["2024-11"]),
        ("en", "Tess has the studio until the end of the year, from January Mia does.", ["2025", "2026-01"]),
    ],
)
def test_a_day_that_is_settled_or_near_is_to_come(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


def test_only_the_listener_is_called_at_the_end() -> None:
    talk = [("Olga", "I went to Hull with my sister, Ida. I sold the van, Ben."), ("Ben", "ok")]
    said = [one["text"] for one in rows(conversation(talk))]
    assert "Olga went to Hull with her sister, Ida." in said or "Olga went to Hull with Olga's sister, Ida." in said
    assert "Olga sold the van." in said


def test_him_is_not_who_does_it() -> None:
    texts = {one["text"]: one for one in rows(document("Owen paid him 600 pounds. Owen hurt himself.", source="note"))}
    assert not texts["Owen paid him 600 pounds."]["self_contained"]


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "Owen paid 600 of the 1800."), ("de", "Jens hat 600 von den 1800."), ("es", "pagó 600 de los 1800.")],
)
def test_the_whole_of_an_amount_is_no_year(language: str, text: str) -> None:
    values = [value for one in rows(document(text, source="note", language=language)) for value in one["values"]]
    assert "year" not in {value["dimension"] for value in values}
