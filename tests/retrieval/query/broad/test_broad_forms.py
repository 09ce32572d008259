"""Which broad question is asked in six languages, and what it is about; other questions are none."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.query.analysis.rules import analyse
from brain_retrieval.query.ask.broad.forms import Broad, broad_of, tells

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def asked(text: str, language: str = "en") -> Broad | None:
    return broad_of(analyse(text, max_characters=2000, language=language, now=NOW))


@pytest.mark.parametrize(
    ("language", "text", "form", "about"),
    [
        ("en", "What happened in spring?", "happened", ""),
        ("en", "How is the loft conversion going?", "stands", "loft conversion"),
        ("en", "What is going on with the boiler?", "stands", "boiler"),
        ("en", "What is going on at the moment?", "goes_on", ""),
        ("en", "What are my open plans?", "planned", ""),
        ("en", "What did the team decide in March?", "decided", ""),
        ("en", "What did we decide about the fence?", "decided", "fence"),
        ("en", "Who is involved in the orchard project?", "involved", "orchard"),
        ("de", "Was ist im Frühling passiert?", "happened", ""),
        ("de", "Wie läuft es mit dem Dachausbau?", "stands", "Dachausbau"),
        ("de", "Was steht noch an?", "planned", ""),
        ("de", "Was haben wir im März beschlossen?", "decided", ""),
        ("de", "Wer ist am Dachausbau beteiligt?", "involved", "Dachausbau"),
        ("de", "Was ist gerade los?", "goes_on", ""),
        ("es", "¿Qué pasó en primavera?", "happened", ""),
        ("es", "¿Cómo va la reforma?", "stands", "reforma"),
        ("es", "¿Qué tengo pendiente?", "planned", ""),
        ("fr", "Que s'est-il passé en mars ?", "happened", ""),
        ("fr", "Où en est la toiture ?", "stands", "toiture"),
        ("it", "Cosa è successo in primavera?", "happened", ""),
        ("it", "A che punto è la mansarda?", "stands", "mansarda"),
        ("pt", "O que aconteceu na primavera?", "happened", ""),
        ("pt", "O que falta fazer?", "planned", ""),
    ],
)
def test_the_form_and_the_topic(language: str, text: str, form: str, about: str) -> None:
    found = asked(text, language)
    assert found is not None
    assert (found.form, found.about) == (form, about)


@pytest.mark.parametrize(
    "text",
    [
        "When is the launch?",
        "Where does Ann live?",
        "Who is Ann?",
        "How much is the rent?",
        "Who is involved?",  # in what?
        "How is the blue cable from the garage to the old shed of Bert and Carla going?",  # something particular
    ],
)
def test_other_questions_are_none(text: str) -> None:
    assert asked(text) is None


def test_words_of_decisions_are_known_in_all_languages_and_what_is_left_in_that_of_the_question() -> None:
    assert tells("decisions", "Wir haben beschlossen, den Zaun zu streichen.", "en")
    assert tells("remains", "The gate needs to be painted.", "en")
    assert not tells("remains", "The gate is green.", "en")
