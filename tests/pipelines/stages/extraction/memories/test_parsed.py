"""From blocks and their parse to sentences as plain data, and what is no sentence."""

import pickle
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.stages.extraction.local.names.speakers import turns_of
from brain_pipelines.stages.extraction.memories.clauses import clauses_of
from brain_pipelines.stages.extraction.memories.setting import settings_of
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.memories.reading import read, read_text

EVENING = datetime(2025, 12, 18, 18, tzinfo=UTC)
TALK = conversation(
    [
        ("Jonas", "Hey Mira! I moved to Jena on 3 May 2025. My rent is 840 euros."),
        ("Mira", "Did you sell your old piano?"),
    ]
)


def test_a_sentence_has_its_words_names_and_people() -> None:
    call, moved, rent, question = read(TALK)
    assert [call.text, moved.text] == ["Hey Mira!", "I moved to Jena on 3 May 2025."]
    assert [(word.text, word.dep) for word in moved.words][:2] == [("I", "nsubj"), ("moved", "ROOT")]
    assert moved.words[moved.words[0].head].text == "moved"
    assert [moved.text[w.start : w.end] for w in moved.words] == [w.text for w in moved.words]
    assert [(name.text, moved.text[name.start : name.end]) for name in moved.names] == [("Jena", "Jena")]
    assert (rent.speaker, rent.listener) == ("Jonas", "Mira")
    assert (question.speaker, question.listener) == ("Mira", "Jonas")


def test_every_sentence_is_found_at_its_span() -> None:
    text = "* I moved **to Jena**\n  in May, and I sold the piano.\n* My rent\n  is 840 euros a month there."
    moved, rent = read_text(text, source="note")
    assert moved.text == "I moved to Jena in May, and I sold the piano."
    assert text[slice(*moved.span)].startswith("I moved **to Jena**")
    assert text[slice(*rent.span)] == "My rent\n  is 840 euros a month there."


def test_sentences_outlive_the_parse() -> None:
    assert pickle.loads(pickle.dumps(read(TALK))) == read(TALK)


@pytest.mark.parametrize(
    "text",
    [
        "# Plans for the new kitchen in May",
        "| Ann | moved to Jena |\n| Ben | moved to Ulm |",
        "From: Ann Weber <ann@example.org>",
        "On Tue, 3 May 2025 at 16:22, Ann Weber <ann@example.org> wrote:",
        "Sent from my telephone",
        "Figure 3: Ann moves the shelves to the new flat",
        "Moving to the new flat ............ 17",
        "https://example.org/moved-to-jena https://example.org/sold-the-piano",
        "client.move({flat: 'Jena'}); sell(piano);",
        "```\nAnn moved to Jena in May.\n```",
        "Things to do:",
        "MOVING TO JENA IN MAY",
    ],
)
def test_what_is_no_prose_has_no_sentences(text: str) -> None:
    sentence = "Ann moved to Jena in May."
    assert [s.text for s in read_text(f"{text}\n\n{sentence}")] == [sentence]
    plain = read_text(f"{text}\n\n{sentence}", language="it")
    assert [s.text for s in plain] == [sentence]


def test_a_heading_in_the_first_person_is_a_statement() -> None:
    assert [s.text for s in read_text("## I sold the old piano\n\n## The old piano", source="note")] == [
        "I sold the old piano"
    ]


def test_quoted_lines_are_left_to_the_mail_they_come_from() -> None:
    text = "I sold the piano.\n\n> I bought a flute in Jena.\n"
    assert [s.text for s in read_text(text, source="email")] == ["I sold the piano."]
    assert len(read_text(text, source="note")) == 2


@pytest.mark.parametrize("kind", ["table", "generated", "described", "data", "barcode"])
def test_tables_and_descriptions_have_no_sentences(kind: str) -> None:
    text = "I sold the piano.\n\nA woman stands beside a piano."
    segments = [
        {"start": 0, "end": 18, "kind": "body", "time": None},
        {"start": 19, "end": len(text), "kind": kind, "time": None},
    ]
    assert [s.text for s in read_text(text, segments=segments)] == ["I sold the piano."]


@pytest.mark.parametrize("kind", ["image", "frame"])
def test_sentences_recognised_in_a_picture_are_read_and_its_labels_are_not(kind: str) -> None:
    text = "Retry Close\n\nThe table component failed to load its theme.\n\nOpening hours 9 to 20"
    segments = [{"start": 0, "end": len(text), "kind": kind, "time": None}]
    assert [s.text for s in read_text(text, segments=segments)] == ["The table component failed to load its theme."]


def test_without_a_parser_names_are_found_by_their_form() -> None:
    (first, second) = read_text(
        "Frau Dr. Weber hat am 3. Mai die Wohnung in Jena verkauft. Gestern kam Anna Müller.", language="de"
    )
    assert first.text.endswith("am 3. Mai die Wohnung in Jena verkauft.")
    assert [(name.text, name.type) for name in second.names] == [("Anna Müller", "Person")]
    assert first.words == ()
    (spanish,) = read_text("Ayer Marta vendió el piano a Talleres Roldán.", language="es")
    assert [name.text for name in spanish.names] == ["Marta", "Talleres Roldán"]


def test_a_day_is_one_of_the_zone_and_of_the_message() -> None:
    late = datetime(2025, 5, 3, 23, 30, tzinfo=UTC)
    row = conversation([("Jonas", "I sold it."), ("Mira", "I bought it.")])
    row["segments"][1]["time"] = late
    first, second = settings_of(row, turns_of(row), ZoneInfo("Europe/Berlin"))
    assert first.said_at == row["event_at"]
    assert (second.said_at, second.said_on) == (late, date(2025, 5, 4))


def test_only_one_of_two_people_is_a_listener() -> None:
    three = conversation([("Jonas", "I sold it."), ("Mira", "I did not."), ("Ida", "I will.")])
    assert {s.listener for s in read(three)} == {None}
    chat = conversation([("user", "I sold it."), ("assistant", "You sold it.")])
    assert [(s.speaker, s.listener) for s in read(chat)] == [("user", None), ("assistant", "user")]
    mail = document("I sold it.", source="email", authors=["Jonas Abt"], participants=["Jonas Abt", "Mira Funk"])
    assert [(s.speaker, s.listener) for s in read(mail)] == [("Jonas Abt", "Mira Funk")]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("On Wednesday, Sam met Ida and Matt in Kiel.", ["2025-06-11"]),
        ("On Thursday Ida, Mike and Paul also met Jenna.", ["2025-06-12"]),
        ("On Monday, Ida said that she will sail on 3 July.", ["2025-06-09", "2025-07-03"]),
        ("Next Friday, Ida and Paul marry in Kiel.", ["2025-06-20"]),
        ("She moved the Thursday training to Saturday.", ["2025-06-14"]),
    ],
)
def test_the_verb_behind_a_day_tells_which_it_is(text: str, dates: list[str]) -> None:
    [found] = read_text(text, event_at=datetime(2025, 6, 13, 12, tzinfo=UTC))  # a Friday
    assert [day.iso for day in read_signals(found).dates] == dates


def test_no_clause_begins_in_brackets() -> None:
    [found] = read_text("After two weeks of testing (with help from Tom and Mike) Ida now has a tool for searches.")
    assert clauses_of(found) == [found]


def test_a_list_of_those_present_and_calls_of_functions_are_not_told() -> None:
    assert read_text("Present: Ann Lee, Paul Novak, Kim Hart, Bob Stone, Ida Berg") == []
    assert read_text("Axis(1, at = my.at <- 10^(1:5), labels = formatC(my.at))") == []
    assert read_text("The rent = 840 euros and the deposit = 1,680 euros.")


def test_a_month_that_is_a_name_is_no_date() -> None:
    text = "Jan called about the lease. April Lee moved to Leeds. Jan paid the rent in May."
    assert [[each.iso for each in read_signals(found).dates] for found in read_text(text)] == [[], [], ["2025-05"]]


@pytest.mark.parametrize(
    "label",
    [
        "_Time of Visit: October 4, 2022_",
        "**Date:** 4 October 2022",
        "Besuch am: 4. Oktober 2022",
        "Date de la visite : 4 octobre 2022",
        "Fecha de la visita: 4 de octubre de 2022",
        "Data della visita: 4 ottobre 2022",
        "Data da visita: 4 de outubro de 2022",
    ],
)
def test_a_line_with_a_label_states_the_day_of_its_section(label: str) -> None:
    text = f"I came home late.\n\n## Pass\n\n{label}\n\nI walked there yesterday.\n\n## Rest\n\nI slept at home.\n"
    found = [one for one in read_text(text, source="note", event_at=EVENING) if one.text.startswith("I ")]
    assert [one.said_on.isoformat() for one in found] == ["2025-12-18", "2022-10-04", "2025-12-18"]


def test_the_day_of_a_subject_is_not_that_of_its_section() -> None:
    text = "## Goals of the beta test (22 January 2025)\n\nI sort articles.\n\n## Review (3 May 2025)\n\nI sold it.\n"
    found = [one.said_on.isoformat() for one in read_text(text, source="note", event_at=EVENING)]
    assert found == ["2025-12-18", "2025-05-03"]


def test_a_day_to_come_is_what_a_section_is_about() -> None:
    (line,) = read_text("## Trip\n\nDate: 4 May 2026\n\nI take the ferry.\n", source="note", event_at=EVENING)
    assert line.said_on.isoformat() == "2025-12-18"
