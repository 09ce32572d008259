"""Slides, sheets, OpenDocument, e-books, rich text, tables, subtitles, XML: text and places."""

import io
from pathlib import Path

import pytest

from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Reader
from brain_pipelines.readers.registry import readers_of
from brain_retrieval.settings import Limits
from tests.paths import ROOT
from tests.samples import bad_office
from tests.samples.taking import take_one

READERS = readers_of()

SAMPLES = ROOT / "data/samples/alice/document"
NOTES = (
    b'<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="2"><w:p>'
    b"<w:r><w:t>Per seat.</w:t></w:r></w:p></w:footnote></w:footnotes>"
)
CALLED = """<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:body><w:p><w:r><w:t>It costs 40 euros.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:tbl><w:tr><w:tc>
<w:p><w:r><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc>
<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"""


def read(reader: Reader, tmp_path: Path, data: bytes | str, limits: Limits | None = None) -> Extracted:
    path = tmp_path / "blob"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return reader(path, limits or Limits(), tmp_path)


def placed(found: Extracted, field: str) -> dict[str, object]:
    return {b.text[a.start : a.end]: getattr(a, field) for b in found.blocks for a in b.anchors}


def test_a_slide_is_a_page_with_its_table_and_notes() -> None:
    found = READERS["pptx"](SAMPLES / "ui-redesign-status.pptx", Limits(), SAMPLES)
    assert [(b.kind, b.page) for b in found.blocks] == [
        ("page", 1),
        ("page", 2),
        ("section", 2),
        ("page", 3),
        ("table", 3),
    ]
    assert found.blocks[2].text.startswith("Notes: Ask Priya") and found.blocks[2].section.startswith("What the second")
    assert found.blocks[4].text.split("\n")[1] == "Keep the old sidebar? | Priya Nair | 9 February"
    box = placed(found, "box")["Breadcrumbs were noticed by everyone"]
    assert isinstance(box, list) and 0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1


def test_duplicate_pictures_and_icons_are_left_out(tmp_path: Path) -> None:
    import pptx
    from PIL import Image, ImageDraw

    def drawn(side: int) -> io.BytesIO:
        image = Image.new("RGB", (side * 2, side), "white")
        ImageDraw.Draw(image).rectangle((5, 5, side, side // 2), fill="black")
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return buffer

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for side in (300, 300, 20):
        slide.shapes.add_picture(drawn(side), 0, 0)
    buffer = io.BytesIO()
    deck.save(buffer)
    found = read(READERS["pptx"], tmp_path, buffer.getvalue())
    assert [(b.kind, b.page, b.picture) for b in found.blocks] == [("image", 1, "picture-1.png")]
    assert (tmp_path / "picture-1.png").read_bytes().startswith(b"\x89PNG") and found.attributes["pictures"] == 1


def test_rows_of_a_sheet_have_cell_ranges(tmp_path: Path) -> None:
    rows = "".join(
        f'<row r="{n}">{bad_office.cell(f"C{n}", text)}<c r="E{n}"><v>{n * 1.5}</v></c></row>'
        for n, text in ((4, "Table"), (5, "Avatar"), (9, "Total"))
    )
    found = read(READERS["xlsx"], tmp_path, bad_office.xlsx(rows))
    assert placed(found, "cells") == {
        "Table | 6": "Plan!C4:E4",
        "Avatar | 7.5": "Plan!C5:E5",
        "Total | 13.5": "Plan!C9:E9",
    }
    assert found.blocks[0].section == "Plan" and found.blocks[0].cells == "Plan!C4:E9"


def test_each_piece_of_a_long_table_has_the_header(tmp_path: Path) -> None:
    text = "Name;Hours\n" + "".join(f"Person {n};{n}\n" for n in range(100))
    found = read(READERS["csv"], tmp_path, text)
    assert len(found.blocks) == 3 and all(b.text.startswith("Name | Hours\n") for b in found.blocks)
    assert placed(found, "cells")["Person 60 | 60"] == "A62:B62" and found.attributes["rows"] == 101


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a\tb, c\n1\t2\n", "\t"),
        ("a|b\n1,5|2,5\n3,5|1,5\n", "|"),
        ("sep=;\na;b\n1;2\n", ";"),
        ('n,"x\ny",b\n1,"a, b",2\n', ","),
    ],
)
def test_separator_is_detected(tmp_path: Path, text: str, separator: str) -> None:
    assert read(READERS["csv"], tmp_path, text).attributes["separator"] == separator


def test_an_opendocument_text_has_sections_notes_and_lists() -> None:
    found = READERS["odt"](SAMPLES / "moving-to-lisbon.odt", Limits(), SAMPLES)
    assert (found.title, found.authors, found.language) == ("Moving to Lisbon", ["Alice Chen"], "en-GB")
    assert [b.section for b in found.blocks] == ["Moving to Lisbon", "Moving to Lisbon > What goes where"]
    assert "at eight. [Pedro keeps the key until noon.]" in found.blocks[0].text
    assert found.blocks[1].text.endswith("- Desk lamp to Bob")


def test_a_book_is_read_in_the_order_of_its_spine(tmp_path: Path) -> None:
    chapters = {"z.xhtml": "<h1>One</h1><p>First.</p>", "a.xhtml": "<title>Two</title><p>Second.</p>"}
    found = read(READERS["epub"], tmp_path, bad_office.epub(chapters))
    assert [(b.section, b.text) for b in found.blocks] == [("One", "# One\nFirst."), ("Two", "Second.")]
    assert (found.title, found.authors, found.language) == ("On tables", ["Jonas Brandt"], "en")


def test_rich_text_in_another_code_page(tmp_path: Path) -> None:
    data = rb"{\rtf1\ansi\ansicpg1251{\info{\title Plan}{\author Olga}}\'cf\'f0\'e8\'e2\'e5\'f2, \u1084?ir.\par End.}"
    found = read(READERS["rtf"], tmp_path, data)
    assert found.blocks[0].text == "Привет, мir.\nEnd." and (found.title, found.authors) == ("Plan", ["Olga"])


def test_subtitles_are_turns_with_seconds_and_speakers(tmp_path: Path) -> None:
    text = (
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:03.000\n<v Bob>The table is <i>ready</i>.\n\n"
        "00:00:03.500 --> 00:00:05.000\n<v Bob>It loads late.\n\n01:00:05.000 --> 01:00:06.500\n<v Priya>Good.</v>\n"
    )
    found = read(READERS["vtt"], tmp_path, text)
    assert [(b.speaker, b.text, b.start_seconds, b.end_seconds) for b in found.blocks] == [
        ("Bob", "The table is ready. It loads late.", 1.0, 5.0),
        ("Priya", "Good.", 3605.0, 3606.5),
    ]
    assert placed(found, "start_seconds")["It loads late."] == 3.5 and found.participants == ["Bob", "Priya"]


def test_xml_is_the_text_of_its_elements(tmp_path: Path) -> None:
    text = "<list><item><name>Lamp</name><price>40</price></item><note>Ask <b>Bob</b> first.</note></list>"
    assert read(READERS["xml"], tmp_path, text).blocks[0].text == "name: Lamp\nprice: 40\nAsk Bob first."


def test_notes_of_a_word_file_and_tables_in_tables(tmp_path: Path) -> None:
    from tests.samples import making

    data = making.with_member(making.docx(), "word/footnotes.xml", NOTES)
    found = read(READERS["docx"], tmp_path, making.with_member(data, "word/document.xml", CALLED.encode()))
    assert [b.text for b in found.blocks] == ["It costs 40 euros. [Per seat.]", "a inner | b"]


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("ui-redesign-status.pptx", "2026-02-02"),
        ("component-tracker.xlsx", "2026-02-03"),
        ("moving-to-lisbon.odt", "2026-02-08"),
        ("2026-01-22-redesign-contacts.csv", "2026-01-22"),
    ],
)
def test_date_inside_a_document(name: str, day: str) -> None:
    taken = take_one("document", SAMPLES / name)
    assert taken.item.event_at.date().isoformat() == day and taken.text
