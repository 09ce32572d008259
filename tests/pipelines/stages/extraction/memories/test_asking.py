"""Questions and ideas that no mark tells, whom a move concerns, and cues that tell no change."""

from dataclasses import replace
from datetime import date

import pytest

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.memories.reading import read, read_text
from tests.pipelines.stages.extraction.memories.sentences import SAID, sentence
from tests.pipelines.stages.extraction.memories.test_date_readings import days_of


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("is Katla still in Bergen", "question"),
        ("does she keep the flat in Bergen", "question"),
        ("and what do you do at Siemens all day", "question"),
        ("whats the code of the shed", "question"),
        ("Katla is still in Bergen", "asserted"),
        ("Had the winter tyres changed, 60 each", "asserted"),
        ("had she moved to Bergen by then", "question"),
        ("is the best place in Berlin so far", "asserted"),
        ("was in Paris last week", "asserted"),
        ("have moved to Leeds in March", "asserted"),
        ("what she likes is the garden", "asserted"),
        ("Could share the studio with Sasha", "possible"),
        ("We could not share the studio in Leeds, so I left it", "asserted"),
        ("Tomas wants the new server by Easter", "possible"),
    ],
)
def test_how_a_sentence_without_a_mark_is_meant(text: str, modality: str) -> None:
    assert [read_signals(one).modality for one in read_text(text)] == [modality]


def test_an_answer_to_a_question_without_a_mark_is_about_what_was_asked() -> None:
    row = conversation([("Marek", "is the quiz at the Fox"), ("Aoife", "8pm in the back room")])
    answer = next(one for one in memory_rows(row, read(row)) if "back room" in one["text"])
    assert "quiz" in answer["anchors"]
    row = conversation([("Marek", "quiz is at the Fox right"), ("Aoife", "yep, 8pm in the back room")])
    assert "quiz" in next(one for one in memory_rows(row, read(row)) if "back room" in one["text"])["anchors"]


@pytest.mark.parametrize(
    ("turns", "answer"),
    [
        ([("Noor", "whats the wifi password again"), ("Jonty", "heron4417")], "Jonty: Heron4417"),
        ([("Noor", "Which code is it now? I forgot"), ("Jonty", "heron4417")], "Jonty: Heron4417"),
        ([("Noor", "Is the wifi password heron4417?"), ("Jonty", "nope")], None),
        ([("Noor", "The wifi is down."), ("Jonty", "heron4417")], None),
    ],
)
def test_a_single_word_is_an_answer_where_something_was_asked_for(
    turns: list[tuple[str, str]], answer: str | None
) -> None:
    row = conversation(turns)
    found = [one for one in memory_rows(row, read(row)) if one["speaker"] == "Jonty"]
    assert [one["text"] for one in found] == ([answer] if answer else [])
    assert all({"wifi", "code"} & set(one["anchors"]) for one in found)


def test_a_move_of_someone_is_about_who_is_moved() -> None:
    row = document("We moved Edith Holloway into Beechcroft on Friday.", source="note", language="en")
    roles = {one["name"]: one["role"] for one in memory_rows(row, read(row))[0]["entities"]}
    assert roles["Edith Holloway"] == "subject"


@pytest.mark.parametrize(
    ("language", "text", "cue"),
    [
        ("en", "The bakery is shut on Wednesdays.", "none"),
        ("en", "The bakery has closed for good.", "strong"),
        ("en", "The bakery is now shut on Wednesdays.", "weak"),
        ("es", "La panadería cierra los miércoles.", "none"),
        ("it", "Il panificio chiude il mercoledì.", "none"),
        ("fr", "La boulangerie ferme le mercredi.", "none"),
        ("en", "Nobody raised the rent.", "none"),
        ("en", "This term the seminar is online.", "weak"),
        ("es", "La boda la hemos pasado del 16 de mayo al 6 de junio.", "strong"),
    ],
)
def test_opening_hours_and_denials_are_no_change(language: str, text: str, cue: str) -> None:
    assert read_signals(sentence(text, language)).cue == cue


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("es", "Estaremos en Asturias del 3 al 9 de julio.", ["2025-07-03", "2025-07-09"]),
        ("it", "Siamo in Puglia dal 3 al 9 luglio.", ["2025-07-03", "2025-07-09"]),
        ("pt", "Vamos ao Algarve de 3 a 9 de julho.", ["2025-07-03", "2025-07-09"]),
        ("fr", "Nous sommes à Brest du 3 au 9 juillet.", ["2025-07-03", "2025-07-09"]),
        ("de", "Wir sind vom 3. bis 9. Juli in Kiel.", ["2025-07-03", "2025-07-09"]),
        ("es", "La feria es entre el 3 y el 9 de julio.", ["2025-07-03", "2025-07-09"]),
        ("en", "I am away between the 3rd and the 9th of July.", ["2025-07-03", "2025-07-09"]),
        ("es", "El precio pasa de 9 a 3 de julio.", ["2025-07-03"]),
        ("es", "La clase de yoga es los martes.", []),
        ("en", "Concert 14 December", ["2025-12-14"]),
        ("fr", "Concert 20 décembre à Lyon", ["2025-12-20"]),
        ("en", "Concert 14 May", ["2025-05-14"]),
    ],
)
def test_first_days_of_ranges_and_days_of_entries(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days


@pytest.mark.parametrize(
    ("language", "text", "begins"),
    [
        ("de", "Die Miete steigt zum 1. September auf 335 Euro.", date(2025, 9, 1)),
        ("it", "L'affitto sale a 335 euro a settembre.", date(2025, 9, 1)),
        ("de", "Die Hochzeit wird auf den 5. Juli verlegt.", None),
        ("en", "And version 3 moves to 13 July.", None),
    ],
)
def test_a_coming_day_of_a_new_amount_is_its_first(language: str, text: str, begins: date | None) -> None:
    assert read_signals(replace(sentence(text, language), said_on=SAID)).effective_from == begins


@pytest.mark.parametrize(
    ("language", "text", "asks"),
    [
        ("de", "wann kommt der Zug an", True),
        ("de", "und hast du die neue Nummer von Jonas", True),
        ("de", "Wann er kommt, weiß ich nicht", False),
        ("de", "wo ich arbeite ist es kalt", False),
        ("es", "oye cuándo es lo del médico", True),
        ("es", "cuando llego a casa ceno", False),
        ("fr", "coucou c'est quand la fête de Zoé", True),
        ("it", "a che ora parte il treno", True),
        ("it", "dove lavoro io fa freddo.", False),  # a writer of marks
        ("pt", "a que horas é a consulta", True),
    ],
)
def test_a_question_of_talk_without_a_mark_in_a_language_without_a_parse(language: str, text: str, asks: bool) -> None:
    row = conversation([("Ana", text), ("Bo", "Hm.")], language=language)
    (first, *_) = [one for one in read(row) if one.speaker == "Ana"]
    assert (read_signals(first).modality == "question") is asks
