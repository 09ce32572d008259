"""The day above a note, and notes in Markdown that begin like a page."""

from datetime import UTC, date

import pytest

from brain_pipelines.readers.detect import format_of_bytes
from brain_pipelines.readers.document.date_label import labelled_date


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


def test_a_note_in_markdown_that_begins_with_tags_is_no_page() -> None:
    tags = b'<img src="a.png">\n<h1>Acta</h1>\n<h2>2 de marzo</h2>\n<h3>Grupo</h3>\n'
    assert format_of_bytes(tags + b"# Asistentes\n\n- Ana\n- Luis\n- Eva\n") == "markdown"
    assert format_of_bytes(tags + b"<p>Hola</p>") == "html"
