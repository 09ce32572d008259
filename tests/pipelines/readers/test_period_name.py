"""The week or month that a note is named after."""

from datetime import UTC, datetime

import pytest

from brain_pipelines.readers.period_name import period_in_name

CHANGED = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "beginning", "expected"),
    [
        ("2024-W10.md", "", "2024-03-10T18:00"),
        ("2024-32.md", "", "2024-08-11T18:00"),
        ("2024-10.md", "# Weeknotes 10\n", "2024-03-10T18:00"),
        ("2024-10.md", "# Weeknotes\n", "2024-10-31T18:00"),
        ("2024-03.txt", "", "2024-03-31T18:00"),
        ("Week 10 2024.md", "", "2024-03-10T18:00"),
        ("2024-semaine-7.md", "", "2024-02-18T18:00"),
        ("2026-11.md", "", "2026-11-20T09:00"),  # the month is not over when the file was changed
        ("2026-W49.md", "", "2026-11-30T18:00"),  # prepared in advance
        ("2024-99.md", "", None),
        ("2024-00.md", "", None),
        ("invoice-2024-10.md", "", None),
        ("2018-09-guidelines.md", "", "2018-09-30T18:00"),
        ("2018-09-12-guidelines.md", "", None),
        ("2023-W53.md", "", None),  # 2023 has 52 weeks
    ],
)
def test_a_week_or_month_in_a_name(name: str, beginning: str, expected: str | None) -> None:
    found = period_in_name(name, beginning, UTC, changed=CHANGED)
    assert (found.replace(tzinfo=None).isoformat(timespec="minutes") if found else None) == expected
