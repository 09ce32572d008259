"""Lines of minutes and short lines of notes: labels in bold, values alone, and what they leave to the line before."""

from typing import Any

import pytest

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from brain_pipelines.stages.prose.statements import is_measurement
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.memories.reading import read

MINUTES = (("Priya", "On-call this quarter is Sven."), ("Sven", "The deploys stay on Thursdays."))


def rows(text: str, **changes: Any) -> list[dict[str, Any]]:
    row = document(text, **{"source": "note", **changes})
    return memory_rows(row, read(row))


@pytest.mark.parametrize("form", ["{}: {}", "**{}**: {}", "- **{}**: {}", "**{}:** {}", "__{}__: {}", "* {}: {}"])
def test_lines_of_minutes_are_of_their_speakers_however_the_label_is_written(form: str) -> None:
    lines = "\n".join(form.format(*line) for line in (*MINUTES, ("Priya", "Then we drop the staging server.")))
    found = rows(f"# Ops sync\n\n{lines}")
    assert [(row["speaker"], row["evidence"]) for row in found][:2] == list(MINUTES)


@pytest.mark.parametrize("line", ["**kwargs: dict = {}", "**options: Any", "a_**b: 1"])
def test_stars_of_a_program_are_no_bold_label(line: str) -> None:
    assert not rows(f"Install the shelves first.\n\n{line}\n{line}")[1:]


@pytest.mark.parametrize(
    "text",
    [
        "New number 0160 555 0177, PIN 2718.",
        "Blood pressure: 131/82; pulse 64.",
        "152,000 km.",
        "0177 555 2914.",
        "3:41:05!!",
        "17,3 kg.",
        "Ferritin 64.",
    ],
)
def test_what_a_note_measures_is_said(text: str) -> None:
    assert is_measurement(text)
    first = "Saw the doctor and the garage."
    assert any(row["evidence"] == text for row in rows(f"{first} {text}"))


@pytest.mark.parametrize(
    "text", ["12 May", "1.2.3", "Chapter 3", "km.", "https://example.org/3 4", "PIN", "0160 555 0177"]
)
def test_numbers_that_state_nothing_are_no_measurements(text: str) -> None:
    assert not is_measurement(text)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("Yusuf started, he does Dina's job. 15 an hour.", "15 an hour.", {"yusuf"}),
        ("The Skoda passed inspection. 152,000 km.", "152,000 km.", {"skoda"}),
        ("The lodger is a student, Yannick. He gives us 380 a month.", "380", {"lodger", "yannick"}),
    ],
)
def test_a_short_line_is_about_what_the_line_before_tells(text: str, line: str, words: set[str]) -> None:
    (found,) = [row for row in rows(text) if line in row["evidence"] and row["evidence"] != text]
    assert words <= set(found["anchors"])


def test_he_is_who_the_speaker_has_named_and_what_that_is() -> None:
    row = conversation([("Wanda", "Our lodger is a student, Yannick. He gives us 380 a month.")])
    (found,) = [each for each in memory_rows(row, read(row)) if "380" in each["evidence"]]
    assert {"lodger", "yannick"} <= set(found["anchors"])


@pytest.mark.parametrize(
    "text",
    [
        "Mobile app: Yuki starts again with Flutter.",
        "Search index: Oskar moved it to another server.",
        "Website: Leon takes over from Fatima.",
    ],
)
def test_a_label_stays_with_what_it_labels(text: str) -> None:
    assert rows(f"- {text}\n- Atlas has no interest in us.")[0]["evidence"] == text


@pytest.mark.parametrize("greeting", ["Lieber Herr Drescher,", "Dear Mrs Hall,", "Chère Madame Petit,", "Hola Inés!"])
def test_a_salutation_says_nothing(greeting: str) -> None:
    found = rows(f"{greeting}\n\nThe rent of the flat in Weimar is 849 euros from 1 March on.")
    assert [row["evidence"] for row in found] == ["The rent of the flat in Weimar is 849 euros from 1 March on."]


def test_what_follows_a_greeting_in_its_sentence_is_said() -> None:
    (found,) = rows("Dear all, the rent of the flat in Weimar is 849 euros from 1 March on.")
    assert "849" in found["text"]


@pytest.mark.parametrize(
    "text",
    [
        "Shop hours: Tue to Sat 10 to 6.",
        "Five goats as of today: Hattie, Bo, Clem, Nutmeg and the billy",
        "got a new work laptop: Framework 13, asset no. 23316.",
    ],
)
def test_the_words_before_a_colon_stay_with_what_they_announce(text: str) -> None:
    rows = memory_rows(row := document(text, source="note"), read(row))
    assert [one["evidence"] for one in rows] == [text]


def test_words_before_a_colon_alone_announce_nothing() -> None:
    row = document("The boiler is mended. Still open:", source="note")
    assert [one["evidence"] for one in memory_rows(row, read(row))] == ["The boiler is mended."]
