"""Changes that hold for a stated time, days of every week, hours behind a weekday, and daily hours of closing."""

from datetime import date

import pytest

from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "text", "until"),
    [
        ("en", "She cannot lift anything for ten days", date(2025, 6, 28)),
        ("en", "The lift is now out of use for a month", date(2025, 7, 18)),
        ("de", "Drei Wochen lang kein Tanzen", date(2025, 7, 9)),
        ("de", "Die nächsten zwei Wochen übernimmt Uta die Kasse", date(2025, 7, 2)),
        ("es", "No puede bailar durante dos semanas", date(2025, 7, 2)),
        ("fr", "Pas de danse pendant deux semaines", date(2025, 7, 2)),
        ("it", "Niente ballo per due settimane", date(2025, 7, 2)),
        ("pt", "Não posso dançar durante duas semanas", date(2025, 7, 2)),
    ],
)
def test_a_change_for_a_stated_time_ends_by_itself(language: str, text: str, until: date) -> None:
    assert read_signals(sentence(text, language)).valid_to == until


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The jam keeps for three weeks"),
        ("en", "Every August the mill is now closed for two weeks"),
        ("de", "Jede Ferien ist der Hort für zwei Wochen geschlossen"),
        ("de", "Wir waren für zwei Wochen in Rom und haben das Boot verkauft"),
        ("de", "Seit drei Wochen kein Brot mehr"),
    ],
)
def test_what_lasts_so_long_each_time_or_until_now_has_no_end(language: str, text: str) -> None:
    assert read_signals(sentence(text, language)).valid_to is None


def test_a_change_that_begins_on_a_stated_day_lasts_from_then() -> None:
    signals = read_signals(sentence("Ab Montag leitet Uta für zwei Wochen den Chor", "de"))
    assert (signals.effective_from, signals.valid_to) == (date(2025, 6, 23), date(2025, 7, 7))


@pytest.mark.parametrize(
    ("language", "text", "until"),
    [
        ("en", "Ola walks the dog till autumn", date(2025, 9, 21)),
        ("de", "Bis zu den Sommerferien führt Ole den Hund aus", date(2025, 7, 11)),
        ("es", "Hasta el otoño la perra vive con Ana", date(2025, 9, 23)),
        ("fr", "Jusqu'à l'automne le chien loge chez Ana", date(2025, 9, 23)),
        ("it", "Fino all'autunno il cane sta da Ana", date(2025, 9, 23)),
        ("pt", "Até às férias de verão a cadela fica com a Ana", date(2025, 7, 11)),
    ],
)
def test_what_holds_until_holidays_or_a_season_ends_as_they_begin(language: str, text: str, until: date) -> None:
    assert read_signals(sentence(text, language)).valid_to == until


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "She is at the forge Tue to Fri now"),
        ("de", "Ich bin jetzt 20 Stunden im Museum, Di bis Fr"),
        ("es", "Trabaja de martes a viernes en la fragua"),
        ("it", "Il forno è aperto mercoledì-sabato"),
    ],
)
def test_days_of_every_week_bound_nothing(language: str, text: str) -> None:
    signals = read_signals(sentence(text, language))
    assert not signals.dates and signals.valid_to is None


def test_from_one_weekday_to_another_may_be_one_stay() -> None:
    assert read_signals(sentence("I am in Bath from Monday to Thursday")).valid_to is not None


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("es", "La cerámica es los viernes de 17 a 19", []),
        ("es", "El viernes 20 hay cerámica", ["2025-06-20"]),
        ("fr", "La poterie a lieu le vendredi de 17 à 19", []),
        ("fr", "Stage de poterie du vendredi 20 au 22 juin", ["2025-06-20", "2025-06-22"]),
    ],
)
def test_hours_behind_a_weekday_are_no_day(language: str, text: str, days: list[str]) -> None:
    assert [one.iso for one in read_signals(sentence(text, language)).dates] == days


@pytest.mark.parametrize(
    ("language", "text", "begins"),
    [
        ("de", "Ab Dienstag leitet Uta den Chor", date(2025, 6, 24)),
        ("fr", "À partir de mardi la chorale est chez Uta", date(2025, 6, 24)),
        ("es", "A partir de octubre el coro ensaya los lunes", date(2025, 10, 1)),
        ("de", "Ab Mai leitet Uta den Chor", date(2025, 5, 1)),
        ("it", "A partire da martedì il coro prova da Uta", date(2025, 6, 24)),
    ],
)
def test_what_begins_from_a_day_on_is_to_come_unless_that_is_long_away(language: str, text: str, begins: date) -> None:
    assert read_signals(sentence(text, language)).effective_from == begins


def test_a_word_for_from_may_be_joined_to_the_month() -> None:
    assert read_signals(sentence("À partir d'août la poterie est le lundi", "fr")).effective_from == date(2025, 8, 1)


@pytest.mark.parametrize(
    ("language", "text", "cue"),
    [
        ("en", "The library closes at seven", "none"),
        ("pt", "A biblioteca fecha às dezanove", "none"),
        ("de", "Die Bücherei schließt um 19 Uhr", "none"),
        ("it", "La biblioteca chiude alle 19", "none"),
        ("en", "The library closes for good", "strong"),
        ("pt", "A biblioteca fecha no fim do ano", "strong"),
    ],
)
def test_a_daily_hour_of_closing_is_no_change(language: str, text: str, cue: str) -> None:
    assert read_signals(sentence(text, language)).cue == cue


@pytest.mark.parametrize(
    ("language", "text", "begins"),
    [
        ("fr", "À partir de septembre la chorale passe au mardi", date(2025, 9, 1)),
        ("en", "From August the tango class moves to Friday", date(2025, 8, 1)),
        ("es", "A partir de octubre el coro pasa al jueves", date(2025, 10, 1)),
    ],
)
def test_the_new_weekday_of_what_changes_from_a_month_on_is_no_end(language: str, text: str, begins: date) -> None:
    signals = read_signals(sentence(text, language))
    assert (signals.effective_from, signals.valid_to) == (begins, None)
