"""Which number of "10/04/2024" is the day."""

from dataclasses import replace
from datetime import date

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
