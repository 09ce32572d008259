"""Writes the binary samples: PDF and Word files. The others are text and edited by hand.

.venv/bin/python data/samples/make_samples.py
"""

from datetime import UTC, datetime
from pathlib import Path

SAMPLES = Path(__file__).parent
BUDGET = (
    ("Item", "Owner", "Hours", "Cost (EUR)"),
    ("Usability tests", "Priya Nair", "120", "9,600"),
    ("Navigation and settings", "Alice Chen", "340", "30,600"),
    ("Table component", "Bob Smith", "210", "18,900"),
    ("Accessibility tests", "Mei Tanaka", "95", "7,600"),
    ("Total", "", "765", "66,700"),
)
DATES = (
    ("Milestone", "Date"),
    ("Version 3", "13 February 2026"),
    ("Usability test, round two", "18 February 2026"),
)
LOAD = (
    ("Component", "Version 2.9 (ms)", "Version 3.0 (ms)"),
    ("Table, 10,000 rows", "2,810", "94"),
    ("Date picker", "61", "58"),
    ("Avatar menu", "12", "11"),
)


def write_pdf(
    path: Path,
    *,
    title: str,
    author: str,
    day: datetime,
    before: list[str],
    table: tuple[tuple[str, ...], ...],
    after: list[str],
) -> None:
    """Write a PDF of two pages: paragraphs and a ruled table on the first, paragraphs on the second."""
    from fpdf import FPDF

    pdf = FPDF(format="A4")
    pdf.set_title(title)
    pdf.set_author(author)
    pdf.set_creation_date(day)
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 16)
    pdf.cell(0, 12, title, new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", size=11)
    for text in before:
        pdf.multi_cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(3)
    with pdf.table() as rows:
        for values in table:
            row = rows.row()
            for value in values:
                row.cell(value)
    pdf.add_page()
    for text in after:
        pdf.multi_cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(3)
    pdf.output(str(path))


def write_docx(path: Path, *, title: str, author: str, day: datetime, sections: list[tuple[str, list[str]]]) -> None:
    """Write a Word file with a title, headings, paragraphs and, in the last section, a table of dates."""
    import docx

    document = docx.Document()
    document.core_properties.title = title
    document.core_properties.author = author
    document.core_properties.created = day.replace(tzinfo=None)
    document.add_heading(title, 0)
    for heading, paragraphs in sections:
        document.add_heading(heading, 1)
        for text in paragraphs:
            document.add_paragraph(text)
    table = document.add_table(rows=0, cols=2)
    for left, right in DATES:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = left, right
    document.save(str(path))


def main() -> None:
    """Write every binary sample in place."""
    write_pdf(
        SAMPLES / "alice/document/ui-redesign-budget.pdf",
        title="UI redesign: budget and plan",
        author="Daniel Weber",
        day=datetime(2026, 1, 7, 10, tzinfo=UTC),
        before=[
            "Northwind Labs approved the UI redesign on 7 January 2026. Alice Chen leads the project.",
            "The budget covers the first quarter; hours are estimates of those who do the work, made in December.",
        ],
        table=BUDGET,
        after=[
            "Risks. The UI redesign depends on version 3 of the component library.",
            "If it is late by more than two weeks, the launch of 2 March cannot be held.",
            "Approval. Daniel Weber approves changes of more than 5,000 euros.",
        ],
    )
    write_pdf(
        SAMPLES / "bob/document/render-times.pdf",
        title="Render times of the component library",
        author="Mei Tanaka",
        day=datetime(2026, 2, 11, 15, 30, tzinfo=UTC),
        before=["Measured on 11 February 2026 on a telephone of 2021, median of 20 runs."],
        table=LOAD,
        after=[
            "The table draws only visible rows since version 3.0. Bob Smith fixed the row heights in commit 7c41e0d."
        ],
    )
    write_docx(
        SAMPLES / "alice/document/handover-to-priya.docx",
        title="Handover of the UI redesign",
        author="Alice Chen",
        day=datetime(2026, 2, 2, 8, 30, tzinfo=UTC),
        sections=[
            (
                "Who does what",
                ["Priya Nair leads the UI redesign from 2 February 2026.", "Alice Chen advises."],
            ),
            ("Open questions", ["Mei Tanaka has to confirm that bug 318 of the date picker is fixed in version 3."]),
            ("Dates", ["The launch is on 16 March. What has to happen before:"]),
        ],
    )
    write_docx(
        SAMPLES / "bob/document/platform-team-onboarding.docx",
        title="Onboarding in the platform team",
        author="Oskar Lindqvist",
        day=datetime(2026, 2, 12, 9, tzinfo=UTC),
        sections=[
            ("First week", ["Bob Smith starts on 16 February and pairs with Lena Fischer on the build service."]),
            (
                "What stays",
                ["Mei Tanaka leads the component library. Bob keeps its build until version 4."],
            ),
            ("Dates", ["What the platform team waits for:"]),
        ],
    )


if __name__ == "__main__":
    main()
