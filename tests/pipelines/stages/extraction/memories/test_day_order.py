"""Which number of "10/04/2024" is the day."""

from dataclasses import replace
from datetime import date
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.extraction.memories.stated.day_order import day_first
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("text", "language", "first"),
    [
        ("On 10/04/2024 and on 25/04/2024.", "en-US", True),
        ("On 10/04/2024 and on 04/25/2024.", "en-GB", False),
        ("On 25/04/2024 and on 04/25/2024.", "en", None),
        ("On 10/04/2024.", "en", None),
        ("On 10/04/2024.", "en-GB", True),
        ("On 10/04/2024.", "en-US", False),
        ("Le 10/04/2024.", "fr", True),
    ],
)
def test_other_dates_decide_then_the_language(text: str, language: str, first: bool | None) -> None:
    assert day_first(text, language) is first


@pytest.mark.parametrize(
    ("language", "text", "first", "begins"),
    [
        ("en", "I moved to Lisbon on 10/04/2024.", True, date(2024, 4, 10)),
        ("en", "I moved to Lisbon on 10/04/2024.", False, date(2024, 10, 4)),
        ("en", "I moved to Lisbon on 10/04/2024.", None, None),
        ("fr", "J'ai déménagé à Lyon le 10/04/2024.", True, date(2024, 4, 10)),
    ],
)
def test_a_date_in_figures(language: str, text: str, first: bool | None, begins: date | None) -> None:
    found = read_signals(replace(sentence(text, language, "user"), day_first=first))
    assert found.effective_from == begins
    assert [value.dimension for value in found.values] == (["date"] if begins else [])
    assert found.slot is not None
    assert found.slot.value in ("Lisbon", "Lyon")


@pytest.mark.parametrize(
    ("zone", "first"),
    [("Europe/London", True), ("America/New_York", False), ("Asia/Manila", False), ("America/Toronto", None)],
)
def test_in_english_without_a_region_the_zone_decides(zone: str, first: bool | None) -> None:
    assert day_first("On 10/04/2024.", "en", ZoneInfo(zone)) is first
    assert day_first("On 25/04/2024.", "en", ZoneInfo(zone)) is True


@pytest.mark.parametrize(
    ("language", "text", "first", "days"),
    [
        ("es", "La cita con el dentista es el 12/8 a las 10.", None, ["2025-08-12"]),
        ("es", "La cita pasa del 12/7 al 19/7.", None, ["2025-07-12", "2025-07-19"]),
        ("it", "Dal 3/9 lavoro da Bianchi.", None, ["2025-09-03"]),
        ("fr", "Le rendez-vous est le ven. 12/9 à 10h.", None, ["2025-09-12"]),
        ("pt", "A consulta é dia 12/8 às 10h.", None, ["2025-08-12"]),
        ("de", "Sa 12/7 Zahnarzt", None, ["2025-07-12"]),
        ("en", "The appointment is on 22/8 at 10.", None, ["2025-08-22"]),
        ("en", "The appointment is on 8/7 at 10.", True, ["2025-07-08"]),
        ("en", "The appointment is on 8/7 at 10.", False, ["2025-08-07"]),
        # One of both, a share, a score, and opening hours
        ("en", "The appointment is on 8/7 at 10.", None, []),
        ("fr", "Le loyer passe à 3/4 du prix.", None, []),
        ("es", "Pagamos el 2/3 del precio.", None, []),
        ("de", "5/6 Leute waren da.", None, []),
        ("en", "We won 3/2 and they are open 24/7.", True, []),
    ],
)
def test_a_day_in_figures_without_its_year(language: str, text: str, first: bool | None, days: list[str]) -> None:
    assert [each.iso for each in read_signals(replace(sentence(text, language), day_first=first)).dates] == days
