"""The lines of a running note that begin with the day on which they were written."""

from datetime import UTC, date
from pathlib import Path

import pytest

from brain_pipelines.readers.document.markdown import text_date
from brain_pipelines.readers.document.plain_text import read_plain
from brain_pipelines.readers.notes.entry_lines import entry_lines


def entries(text: str) -> list[tuple[date, str]]:
    """Return the day of each entry with the rest of its line."""
    return [(line.day, text[line.words :].split("\n")[0]) for line in entry_lines(text)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-04 peas sown\n2024-03-05 rain\n",
        "# Garden\n\n- [2024-03-04] peas sown\n- [2024-03-05] rain\n",
        "4.3.24: peas sown\n5.3.24: rain\n",
        "Mo, 4.3.2024 peas sown\nDi, 5.3.2024 rain\n",
        "4 March 2024 - peas sown\n5 March 2024 - rain\n",
        "Mar 4, 2024: peas sown\nMar 5, 2024: rain\n",
        "lundi 4 mars 2024 : peas sown\nmardi 5 mars 2024 : rain\n",
        "4 de marzo de 2024: peas sown\n5 de marzo de 2024: rain\n",
        "**2024-03-04** peas sown\n**2024-03-05** rain\n",
        "20240304 peas sown\n20240305 rain\n",
        "Garden 2024\n4.3. peas sown\n5.3. rain\n",
        "# 2024\n* 4 Mar: peas sown\n* 5 Mar: rain\n",
        "2024-03-04 09:10 - peas sown\n2024-03-05 21:45 - rain\n",
        "5.3.24 rain\n4.3.24 peas sown\n",
    ],
)
def test_the_days_with_which_lines_begin(text: str) -> None:
    assert sorted(entries(text)) == [(date(2024, 3, 4), "peas sown"), (date(2024, 3, 5), "rain")]


def test_a_day_may_stand_alone_above_its_lines() -> None:
    assert entries("2024-03-04\npeas sown\n\n2024-03-05\nrain\n") == [(date(2024, 3, 4), ""), (date(2024, 3, 5), "")]


def test_a_time_that_only_some_lines_have_is_of_what_they_tell() -> None:
    found = entries("2024-03-04 14:00 dentist\n2024-03-05 rain\n2024-03-06 sun\n")
    assert [words for _, words in found] == ["14:00 dentist", "rain", "sun"]


def test_figures_are_read_in_the_way_in_which_they_are_in_order() -> None:
    assert [day for day, _ in entries("03/02/2024 a\n04/01/2024 b\n05/03/2024 c\n")] == [
        date(2024, 3, 2),
        date(2024, 4, 1),
        date(2024, 5, 3),
    ]
    assert [day.month for day, _ in entries("11/03/2024 a\n12/03/2024 b\n13/03/2024 c\n")] == [3, 3, 3]
    assert entries("03/01/2024 a\n04/02/2024 b\n05/03/2024 c\n") == []  # both ways are in order


@pytest.mark.parametrize(
    "text",
    [
        "We moved on and had no idea that it was\n2024-03-04 and it rained until\n2024-03-05 without end\n",
        "2024-03-04 peas\n2023-01-02 rain\n2025-06-07 sun\n2022-02-02 hail\n",  # in no order
        "3 May 2024 to 9 May 2024: Rome\n1 June 2024 - 4 June 2024: Oslo\n",
        "2024-03-04 10:11:12 started\n2024-03-04 10:11:13 stopped\n2024-03-05 10:11:14 started\n",
        "Cake 2024\n1/2 cup of milk\n1/3 cup of oil\n3/4 cup of flour\n",
        "2024\n1.2 l milk\n1.3 l oil\n1.4 l water\n",
        "4.3. peas sown\n5.3. rain\n6.3. sun\n",  # of no year
    ],
)
def test_other_lines_with_days(text: str) -> None:
    assert entries(text) == []


def test_a_running_note_is_of_its_last_day_and_its_first_line_is_no_title(tmp_path: Path) -> None:
    text = "2024-03-04 Vet\n2024-05-01 dog weighs 9 kg\n2025-01-07 dog weighs 11 kg, the vet is not pleased\n"
    note = tmp_path / "dog.txt"
    note.write_text(text, "utf-8")
    found = text_date(note, UTC)
    assert found is not None
    assert found.date() == date(2025, 1, 7)
    assert read_plain(text).title == ""
    assert read_plain("Vet\n\n" + text).title == "Vet"
