"""Feasts until or since which something holds, in six languages."""

from datetime import date

import pytest

from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.extraction.memories.stated.feasts import days_of_feast, is_feast
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "text", "until"),
    [
        ("de", "Bis Weihnachten übt der Chor in der Aula.", date(2025, 12, 26)),
        ("es", "Hasta Navidad el coro ensaya en el gimnasio.", date(2025, 12, 26)),
        ("fr", "La chorale répète dans la cave jusqu'à Pâques.", date(2026, 4, 6)),
        ("it", "Il coro prova in palestra fino a Pasqua.", date(2026, 4, 6)),
        ("pt", "O coro ensaia na cave até ao Natal.", date(2025, 12, 26)),
    ],
)
def test_what_holds_until_a_feast_ends_behind_it(language: str, text: str, until: date) -> None:
    assert read_signals(sentence(text, language)).valid_to == until


def test_what_holds_since_a_feast_began_on_the_last_one() -> None:
    assert read_signals(sentence("Seit Neujahr fährt Uli den Bus.", "de")).effective_from == date(2025, 1, 1)


@pytest.mark.parametrize("text", ["Der Chor singt zu Weihnachten.", "Wir warten bis Weihnachtsmarkt und Advent."])
def test_a_feast_that_bounds_nothing_has_no_day(text: str) -> None:
    assert not read_signals(sentence(text, "de")).dates


def test_the_days_of_feasts() -> None:
    said = date(2025, 6, 18)
    assert days_of_feast("easter", said, 1).start == date(2026, 4, 5)
    assert days_of_feast("pentecost", said, -1).start == date(2025, 6, 8)
    assert days_of_feast("christmas", date(2025, 12, 25), -1).start == date(2025, 12, 25)
    assert is_feast("epiphany") and not is_feast("may")
