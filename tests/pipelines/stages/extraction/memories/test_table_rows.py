"""Small tables of minutes and notes: a row is one sentence, with the names of the columns."""

import pytest

from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from tests.pipelines.stages.extraction.local.documents import document
from tests.pipelines.stages.extraction.memories.reading import read

MINUTES = """# Weekly

| Topic | Owner | State |
|---|---|---|
| Billing rewrite | Oskar | in progress |
| **Mobile app** | Yuki | |
|  Website |Fatima| live since 3 May 2025 |

Oskar sold the old desk."""


def said(text: str, source: str = "note", **changes: object) -> list[str]:
    return [sentence.text for sentence in read(document(text, source=source, **changes))]


@pytest.mark.parametrize("source", ["note", "meeting", "voice-memo"])
def test_a_row_says_what_its_columns_are(source: str) -> None:
    assert said(MINUTES, source) == [
        "Billing rewrite: Owner Oskar, State in progress",
        "Mobile app: Owner Yuki",
        "Website: Owner Fatima, State live since 3 May 2025",
        "Oskar sold the old desk.",
    ]


def test_rows_are_memories_that_cite_the_row_and_keep_its_days() -> None:
    row = document(MINUTES, source="note")
    (found,) = [one for one in memory_rows(row, read(row)) if "Fatima" in one["text"]]
    assert found["evidence"] == "Website |Fatima| live since 3 May 2025"
    assert {"dimension": "date", "value": "2025-05-03"} in found["values"]
    assert not found["self_contained"]


def test_tables_in_other_languages_are_read_alike() -> None:
    text = "| Aufgabe | Wer | Bis |\n|:--|:-:|--:|\n| Angebot an Meier | Jens | 15. März |\n| Zelt | Ute | Freitag |"
    assert said(text, language="de") == ["Angebot an Meier: Wer Jens, Bis 15. März", "Zelt: Wer Ute, Bis Freitag"]


ROW = "| Tent | Ute |\n"
HEAD = "| Thing | Who |\n|---|---|\n"


@pytest.mark.parametrize(
    "text",
    [
        ROW * 3,  # no header
        HEAD + ROW * 31,
        HEAD + "| 4 | 17 |\n",
        HEAD + "| Tent | Ute | Monday |\n",
        HEAD + "| Tent | |\n",
        HEAD + f"| Tent | {'pegs ' * 40}|\n",
        "| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n| Tent | 1 | 2 | 3 | 4 | 5 | 6 |\n",
        "Thing\tWho\tWhen\nTent\tUte\tMonday\n",
    ],
)
def test_large_ragged_and_wide_tables_and_columns_of_figures_are_no_sentences(text: str) -> None:
    assert not said(text)


@pytest.mark.parametrize("source", ["document", "web-page", "email"])
def test_tables_that_others_wrote_are_no_sentences(source: str) -> None:
    assert not [line for line in said(MINUTES, source) if "Owner" in line]
