"""The kind of a memory."""

import pytest

from brain_pipelines.stages.extraction.memories.kinds import kind_of
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.memories.reading import read_text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Priya is my landlord's daughter.", "relationship"),
        ("We decided to paint the barn green.", "decision"),
        ("You have to shake the bottle before each use.", "instruction"),
        ("I'm going to paint the barn in June.", "plan"),
        ("Nadia can't stand coriander.", "preference"),
        ("I feel lonely since Ida left Kiel.", "feeling"),
        ("I painted the barn with Tomas.", "event"),
        ("I didn't paint the barn.", "event"),
        ("The barn has a green door.", "fact"),
    ],
)
def test_the_first_kind_that_fits(text: str, kind: str) -> None:
    (sentence,) = read_text(text, source="note")
    assert kind_of(sentence, read_signals(sentence)) == kind


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("Ich habe die Scheune gestrichen.", "de", "event"),
        ("Me encanta el pan de centeno.", "es", "preference"),
        ("On va repeindre la grange en juin.", "fr", "plan"),
        ("Il fienile ha una porta verde.", "it", "fact"),
        ("Decidimos pintar o celeiro de verde.", "pt", "decision"),
    ],
)
def test_other_languages_by_their_words(text: str, language: str, kind: str) -> None:
    (sentence,) = read_text(text, source="note", language=language)
    assert kind_of(sentence, read_signals(sentence)) == kind
