"""The day above a note, and notes in Markdown that begin like a page."""

from datetime import UTC, date
from pathlib import Path

import pytest

from brain_pipelines.readers.detect import format_of_bytes
from brain_pipelines.readers.document.date_label import labelled_date, titled_date
from brain_pipelines.readers.document.markdown import text_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# Acta\n\n**Fecha:** Domingo 11/02/2024\n", date(2024, 2, 11)),
        ("Datum: 10. April 2026\n\nThema: Miete", date(2026, 4, 10)),
        ("| Date | April 10, 2026 |", date(2026, 4, 10)),
        ("- **Date** : 2025-07-16", date(2025, 7, 16)),
        ("Data: 3 de maio de 2024", date(2024, 5, 3)),
        ("Date: 4/23/2026", date(2026, 4, 23)),
        ("Date: 3/4/2026", None),  # the third of April or the fourth of March
        ("Date: to be fixed", None),
        ("The date fixed was 3 May 2020.", None),
        ("x\n" * 30 + "Date: 2025-07-16", None),  # far below the head
        ("Datum: 31.2.2026", None),
    ],
)
def test_the_day_behind_a_label(text: str, day: date | None) -> None:
    found = labelled_date(text, UTC)
    assert (found.date() if found else None) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# Usability test\n\n2022-05-03 / Sprint 2\n\n## Aims", date(2022, 5, 3)),
        ("<template data-parse>2024-11-24 #weeknotes</template>\n\nA week", date(2024, 11, 24)),
        ("## Week 1: 28-07-2017\n\nAfter a short break", date(2017, 7, 28)),
        ("# Journal\n\n## 3 May 2024\n\nRain.\n\n## 4 May 2024\n\nSun.\n", date(2024, 5, 4)),  # its last day
        ("Weeknote 1 - 14 to 20 Sept 2024", date(2024, 9, 20)),
        ("# Report on the accident of 3 May 2019 in the old town", None),
        ("# Anniversaries\n\nNora 4 March 1979\nPaul 17 June 2015\n", None),  # a list
        ("Ruth 1. April 1991\nOtto 9. Juli 2020\n", None),
        ("Rota\nfrom 3 May 2024\nto 10 May 2024\n", date(2024, 5, 10)),
        ("On 3 May 2024 we went to Leeds, and it rained.", None),
        ("# Pond\n\nThe liner is due by 1 September 2025.\n", None),  # a sentence
        ("Montag, den 3. Mai 2024.\n\nRegen.\n", date(2024, 5, 3)),
    ],
)
def test_the_day_in_a_title(text: str, day: date | None) -> None:
    found = titled_date(text, UTC)
    assert (found.date() if found else None) == day


@pytest.mark.parametrize(
    ("field", "day"),
    [
        ("week_ending: 2022-12-09", date(2022, 12, 9)),
        ("pubDatetime: 2024-12-29T00:00:00Z", date(2024, 12, 29)),
        ("date: 09/20/2024 11:00:08", date(2024, 9, 20)),
        ("title: Week 3, 28 Sept to 4 Oct 2024\ndate: 10/04/2024 08:44:28", date(2024, 10, 4)),
        ("due: 2025-01-01", None),
    ],
)
def test_the_day_in_front_matter(tmp_path: Path, field: str, day: date | None) -> None:
    path = tmp_path / "note.md"
    path.write_text(f"---\n{field}\n---\nBusy.\n", "utf-8")
    found = text_date(path, UTC)
    assert (found.date() if found else None) == day


def test_a_note_in_markdown_that_begins_with_tags_is_no_page() -> None:
    tags = b'<img src="a.png">\n<h1>Acta</h1>\n<h2>2 de marzo</h2>\n<h3>Grupo</h3>\n'
    assert format_of_bytes(tags + b"# Asistentes\n\n- Ana\n- Luis\n- Eva\n") == "markdown"
    assert format_of_bytes(tags + b"<p>Hola</p>") == "html"
