"""What the words and the dates beside a date say of it: a verb that only looks past, another day of the same name."""

import pytest

from tests.pipelines.stages.extraction.memories.test_date_readings import days_of


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        # What looks like a participle behind "est", and the present behind what is past.
        ("fr", "Le seul prix est celui de Nora, chantier en juillet.", ["2025-07"]),
        ("fr", "Nora a quitté Metz et rejoint la chorale en août.", ["2025-08"]),
        ("fr", "Nora est partie en mars.", ["2025-03"]),
        # A weekday of the past is no day to come that has its name: 1 September is a Monday.
        ("en", "I hired Nora on Monday, she starts on 1 September.", ["2025-06-16", "2025-09-01"]),
        ("de", "Am Montag habe ich Nora getroffen, sie kommt am 1. September.", ["2025-06-16", "2025-09-01"]),
        ("en", "We meet on Monday, 1 September.", ["2025-09-01"]),
        ("de", "Nora war von Do morgens bis Sa nachts in Ulm.", ["2025-06-12", "2025-06-14"]),
        ("en", "Nora was in Ulm from Thursday morning until Saturday night.", ["2025-06-12", "2025-06-14"]),
    ],
)
def test_a_date_among_others(language: str, text: str, days: list[str]) -> None:
    assert days_of(text, language) == days
