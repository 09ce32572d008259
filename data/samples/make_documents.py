"""Writes the samples of documents that need a library: slides, a workbook, a scan, a text of LibreOffice.

.venv/bin/python data/samples/make_documents.py
"""

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).parent / "alice" / "document"
STAMP = (2026, 2, 2, 9, 0, 0)
SCAN = (
    "Rua da Graca 41, Lisbon",
    "",
    "RENTAL AGREEMENT - SUMMARY",
    "Tenant: Alice Chen",
    "Landlord: Helena Duarte",
    "Rent: 1,280 euros a month, due on the 5th",
    "Deposit: two months, 2,560 euros",
    "From 1 March 2026 until 28 February 2027",
    "Notice: 60 days, in writing",
)
ROWS = (
    ("Component", "Owner", "Status", "Issues", "Target"),
    ("Table", "Bob Smith", "ready", "2", "2026-02-06"),
    ("Date picker", "Alice Chen", "in review", "5", "2026-02-09"),
    ("Avatar menu", "Bob Smith", "ready", "0", "2026-02-06"),
    ("Breadcrumbs", "Priya Nair", "planned", "1", "2026-02-16"),
)
CONTACTS = """Name;Role;Team;Since
Bob Smith;Frontend engineer;Component library;2023
Priya Nair;User researcher;UI redesign;2024
Mei Tanaka;Accessibility tester;UI redesign;2025
"""


def write_slides(path: Path) -> None:
    """Write three slides with a table and notes."""
    import pptx
    from pptx.util import Inches

    deck = pptx.Presentation()
    deck.core_properties.author = "Alice Chen"
    deck.core_properties.title = "UI redesign: where we are"
    deck.core_properties.created = deck.core_properties.modified = datetime(*STAMP, tzinfo=UTC)
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "UI redesign: where we are"
    first.placeholders[1].text = "Steering meeting, 2 February 2026"
    second = deck.slides.add_slide(deck.slide_layouts[1])
    second.shapes.title.text = "What the second usability test showed"
    frame = second.placeholders[1].text_frame
    frame.text = "Seven of nine people found the settings without help"
    for text in ("The date picker still confuses on phones", "Breadcrumbs were noticed by everyone"):
        frame.add_paragraph().text = text
    second.notes_slide.notes_text_frame.text = "Ask Priya for the two recordings where the date picker failed."
    third = deck.slides.add_slide(deck.slide_layouts[5])
    third.shapes.title.text = "Open decisions"
    rows = (("Decision", "Who", "By"), ("Keep the old sidebar?", "Priya Nair", "9 February"))
    table = third.shapes.add_table(2, 3, Inches(1), Inches(2), Inches(8), Inches(1)).table
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    deck.save(str(path))


def write_workbook(path: Path) -> None:
    """Write a workbook of one sheet, its XML by hand."""
    cells = "".join(
        f'<row r="{y}">'
        + "".join(f'<c r="{"ABCDE"[x]}{y}" t="inlineStr"><is><t>{text}</t></is></c>' for x, text in enumerate(row))
        + "</row>"
        for y, row in enumerate(ROWS, 1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    write_zip(
        path,
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{package}/metadata/core-properties" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
            "<dc:title>Component tracker</dc:title><dc:creator>Bob Smith</dc:creator>"
            "<dcterms:created>2026-02-03T15:30:00Z</dcterms:created></cp:coreProperties>",
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
            '<sheet name="Components" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
        },
    )


def write_opendocument(path: Path) -> None:
    """Write a text with headings, a list and a note, its XML by hand."""
    base = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = f'xmlns:office="{base}:office:1.0" xmlns:text="{base}:text:1.0" xmlns:meta="{base}:meta:1.0"'
    items = "".join(
        f"<text:list-item><text:p>{text}</text:p></text:list-item>"
        for text in ("Winter coats to Sofia", "Books into storage", "Desk lamp to Bob")
    )
    write_zip(
        path,
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "meta.xml": f'<office:document-meta {spaces} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
            "<dc:title>Moving to Lisbon</dc:title><meta:initial-creator>Alice Chen</meta:initial-creator>"
            "<dc:language>en-GB</dc:language><meta:creation-date>2026-02-08T19:10:00</meta:creation-date>"
            "</office:meta></office:document-meta>",
            "content.xml": f"<office:document-content {spaces}><office:body><office:text>"
            '<text:h text:outline-level="1">Moving to Lisbon</text:h>'
            "<text:p>The van comes on 26 February at eight.<text:note><text:note-citation>1</text:note-citation>"
            "<text:note-body><text:p>Pedro keeps the key until noon.</text:p></text:note-body></text:note></text:p>"
            f'<text:h text:outline-level="2">What goes where</text:h><text:list>{items}</text:list>'
            "</office:text></office:body></office:document-content>",
        },
    )


def write_zip(path: Path, members: dict[str, str]) -> None:
    """Write members with a fixed time, so that the file is the same each time."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, STAMP), text, kind)


def write_scan(path: Path) -> None:
    """Write a PDF of one page that is a picture of printed text, slightly turned as from a scanner."""
    from fpdf import FPDF
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (1240, 1754), 250)
    draw = ImageDraw.Draw(page)
    for n, text in enumerate(SCAN):
        draw.text((140, 200 + 64 * n), text, fill=30, font=ImageFont.load_default(34))
    page = page.rotate(0.6, resample=Image.Resampling.BICUBIC, fillcolor=250)
    picture = io.BytesIO()
    page.save(picture, "JPEG", quality=60)
    pdf = FPDF(format="A4")
    pdf.set_creation_date(datetime(2026, 2, 7, 11, tzinfo=UTC))
    pdf.set_margin(0)
    pdf.add_page()
    pdf.image(picture, x=0, y=0, w=210)
    pdf.output(str(path))


def main() -> None:
    write_slides(FOLDER / "ui-redesign-status.pptx")
    write_workbook(FOLDER / "component-tracker.xlsx")
    write_opendocument(FOLDER / "moving-to-lisbon.odt")
    write_scan(FOLDER / "rental-agreement-scan.pdf")
    (FOLDER / "2026-01-22-redesign-contacts.csv").write_text(CONTACTS)


if __name__ == "__main__":
    main()
