"""Cues of change: what is denied is none, what puts a figure or a day right is one, in six languages."""

from datetime import date

import pytest

from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.extraction.memories.stated.cues import read_cue
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The regatta is not cancelled."),
        ("en", "Asked the harbour: no increase of the mooring fee."),
        ("de", "Die Pacht steigt nicht."),
        ("de", "Herr Lohse hört nicht auf."),
        ("fr", "La piscine ne ferme pas."),
        ("it", "Nessun aumento della quota."),
        ("es", "Ningún cambio de horario."),
    ],
)
def test_a_change_that_is_denied_is_no_cue(language: str, text: str) -> None:
    assert read_cue(sentence(text, language)) != "strong"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The regatta isn't on 3 May but on 10 May."),
        ("en", "The mooring is 178, not 184."),
        ("en", "Rehearsal is Tuesday not Monday."),
        ("de", "Die Probe ist nicht am Montag, sondern am Dienstag."),
        ("es", "No es el lunes sino el martes."),
        ("fr", "Ce n'est pas lundi mais mardi."),
        ("it", "Non il 3 ma il 10 maggio."),
        ("pt", "Não é na segunda-feira mas na terça-feira."),
        ("es", "Ya no vive aquí."),
        ("pt", "Já não canta no coro."),
        ("en", "He has come off the insulin."),
        ("de", "Der Kurs ist pausiert."),
    ],
)
def test_what_is_put_right_or_given_up_is_a_strong_cue(language: str, text: str) -> None:
    assert read_cue(sentence(text, language)) == "strong"


def test_a_day_that_is_put_right_is_no_beginning() -> None:
    """The appointment is known from now on, and does not only hold from its day."""
    assert read_signals(sentence("Misread the letter, it's 27 June for the optician", "en")).effective_from is None


@pytest.mark.parametrize(
    ("language", "text", "begins"),
    [
        ("es", "La cuota sube a 48 desde julio.", date(2025, 7, 1)),
        ("es", "Vivo aquí desde marzo.", date(2025, 3, 1)),
        ("pt", "A renda sobe para 610 desde julho.", date(2025, 7, 1)),
    ],
)
def test_what_begins_soon_behind_a_word_for_since(language: str, text: str, begins: date) -> None:
    assert read_signals(sentence(text, language)).effective_from == begins
