"""Parts of Office and OpenDocument files: lists, scatter charts, embedded documents, stored pages, document types."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from brain_pipelines.readers.document import docx as word
from brain_pipelines.readers.document import opendocument, pptx
from brain_pipelines.readers.embedded import read_embedded
from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits
from tests.samples import making
from tests.samples.bad_office import odf, xlsx

OBJECT = (
    '<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Excel.Sheet.12"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId90"/></w:object></w:r>'
    "</w:p>"
)
APP = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"


def read(reader: Any, tmp_path: Path, data: bytes) -> Extracted:
    path = tmp_path / "blob"
    path.write_bytes(data)
    found = reader.read_file(path, Limits(), tmp_path)
    return read_embedded(found, path, Limits(), tmp_path) if found.embedded else found


def saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def member(archive: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return opened.read(name).decode()


def test_lists_of_word_have_the_marks_that_word_shows(tmp_path: Path) -> None:
    import docx

    document = docx.Document()
    for style, text in (
        ("List Number", "Sand"),
        ("List Bullet", "Finely"),
        ("List Number", "Paint"),
        ("Normal", "Then:"),
        ("List Number", "Dry"),
        ("List Bullet", "Overnight"),
    ):
        document.add_paragraph(text, style=style)
    (block,) = read(word, tmp_path, saved(document)).blocks
    assert block.text.split("\n\n") == ["1. Sand", "- Finely", "2. Paint", "Then:", "3. Dry", "- Overnight"]


def test_levels_of_a_list_are_indented_and_counted_on_their_own(tmp_path: Path) -> None:
    import docx

    document = docx.Document()
    for level in (0, 1, 1, 0, 1):
        paragraph = document.add_paragraph("x", style="List Number")
        numbering = paragraph._p.get_or_add_pPr().get_or_add_numPr()
        numbering.get_or_add_numId().val, numbering.get_or_add_ilvl().val = 99, level
    root = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (form, text) in enumerate((("upperRoman", "%1."), ("lowerLetter", "%1%2)")))
    )
    from docx.oxml import parse_xml

    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    root.insert(0, parse_xml(f'<w:abstractNum {space} w:abstractNumId="99">{levels}</w:abstractNum>'))
    root.append(parse_xml(f'<w:num {space} w:numId="99"><w:abstractNumId w:val="99"/></w:num>'))
    (block,) = read(word, tmp_path, saved(document)).blocks
    assert block.text.split("\n\n") == ["I. x", "  Ia) x", "  Ib) x", "II. x", "  IIa) x"]


def with_workbook(data: bytes, workbook: bytes = b"PK") -> bytes:
    """Return a Word document with a workbook embedded, by default a damaged one."""
    links = member(data, "word/_rels/document.xml.rels")
    link = '<Relationship Id="rId90" Type="urn:package" Target="embeddings/Costs.xlsx"/></Relationships>'
    data = making.with_member(data, "word/_rels/document.xml.rels", links.replace("</Relationships>", link).encode())
    body = member(data, "word/document.xml").replace("<w:sectPr", f"{OBJECT}<w:sectPr")
    data = making.with_member(data, "word/document.xml", body.encode())
    types = member(data, "[Content_Types].xml").replace(
        "<Default ", '<Default Extension="xlsx" ContentType="x/y"/><Default ', 1
    )
    data = making.with_member(data, "[Content_Types].xml", types.encode())
    return making.with_member(data, "word/embeddings/Costs.xlsx", workbook)


def test_an_embedded_document_is_named_as_not_read(tmp_path: Path) -> None:
    found = read(word, tmp_path, with_workbook(making.docx(sections={"": ["See below."]})))
    assert found.attributes["attachments"] == ["Costs.xlsx (Excel.Sheet.12)"]
    assert found.repairs == ["1 embedded document not read: Costs.xlsx (Excel.Sheet.12)"]
    with pytest.raises(BadInputError, match=r"no text in the document; 1 embedded document not read: Costs\.xlsx"):
        read(word, tmp_path, with_workbook(making.docx(sections={})))


def test_an_embedded_document_is_read_by_the_reader_of_its_format(tmp_path: Path) -> None:
    cells = '<c r="A1" t="inlineStr"><is><t>Rent</t></is></c><c r="B1"><v>840</v></c>'
    workbook = xlsx(f'<row r="1">{cells}</row>')
    found = read(word, tmp_path, with_workbook(making.docx(sections={"": ["See below."]}), workbook))
    inner = found.blocks[-1]
    assert (inner.kind, inner.text) == ("table", "Rent | 840")
    assert inner.section and inner.section.startswith("Costs.xlsx (Excel.Sheet.12) > ")
    assert not found.repairs
    letter = with_workbook(making.docx(sections={"": ["Inner letter."]}), workbook)
    deep = with_workbook(making.docx(sections={"": ["Outer letter."]}), with_workbook(letter, letter))
    found = read(word, tmp_path, deep)  # a letter in a letter in a letter: the innermost one is only named
    assert [block.text for block in found.blocks] == ["Outer letter.", "Inner letter.", "Inner letter."]


def test_a_chart_of_a_word_document_gives_its_title_and_figures(tmp_path: Path) -> None:
    space = (
        'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    )
    points = "".join(f'<c:pt idx="{n}"><c:v>{text}</c:v></c:pt>' for n, text in enumerate(("May", "June")))
    values = "".join(f'<c:pt idx="{n}"><c:v>{text}</c:v></c:pt>' for n, text in enumerate((20, 35.5)))
    chart = (
        f"<c:chartSpace {space}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales 2026</a:t></a:r></a:p></c:rich>"
        f"</c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:v>North</c:v></c:tx><c:cat><c:strRef>{points}"
        f"</c:strRef></c:cat><c:val>{values}</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    letter = making.docx(sections={"": ["See the chart."]})
    found = read(word, tmp_path, making.with_member(letter, "word/charts/chart1.xml", chart.encode()))
    assert found.blocks[-1].text == "Sales 2026\nNorth: May 20, June 35.5"
    broken = read(word, tmp_path, making.with_member(letter, "word/charts/chart1.xml", b"<c:chart"))
    assert [block.text for block in broken.blocks] == ["See the chart."]


def test_the_pages_that_word_counted_are_kept(tmp_path: Path) -> None:
    app = f'<Properties xmlns="{APP}"><Pages>7</Pages></Properties>'
    found = read(
        word, tmp_path, making.with_member(making.docx(sections={"": ["x"]}), "docProps/app.xml", app.encode())
    )
    assert found.attributes["pages"] == 7


def test_a_scatter_chart_gives_its_pairs_of_values(tmp_path: Path) -> None:
    from pptx import Presentation
    from pptx.chart.data import XyChartData
    from pptx.enum.chart import XL_CHART_TYPE

    deck = Presentation()
    data = XyChartData()
    series = data.add_series("Sales")
    for x, y in ((1.5, 20), (2, 35.5)):
        series.add_data_point(x, y)
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 3_000_000, 3_000_000, data)
    found = read(pptx, tmp_path, saved(deck))
    assert "Sales: 1.5 20, 2 35.5" in found.blocks[0].text
    assert "attachments" not in found.attributes  # the workbook behind a chart is no document of its own


def test_a_document_type_without_entities_is_read(tmp_path: Path) -> None:
    kind = '<!DOCTYPE office:document-content PUBLIC "-//OpenOffice.org//DTD" "office.dtd">'
    data = odf("text", '<text:p xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">Kept.</text:p>')
    content = member(data, "content.xml")
    start = content.index("?>") + 2 if content.startswith("<?xml") else 0
    data = making.with_member(data, "content.xml", (content[:start] + kind + content[start:]).encode())
    assert [block.text for block in read(opendocument, tmp_path, data).blocks] == ["Kept."]
