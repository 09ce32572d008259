"""Hostile and damaged Office files, e-books, tables and PDFs: each is refused with a reason, or read within limits."""

import io
import zipfile
from pathlib import Path

from tests.samples import making
from tests.samples.bad_inputs import LAUGHS, BadInput

_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_MIMES = {kind: f"application/vnd.oasis.opendocument.{kind}" for kind in ("text", "spreadsheet", "presentation")}
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CONTAINER = '<container><rootfiles><rootfile full-path="{}"/></rootfiles></container>'


def archive(members: dict[str, bytes | str]) -> bytes:
    """Return a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in members.items():
            target.writestr(name, data)
    return buffer.getvalue()


def xlsx(rows: str, **more: bytes | str) -> bytes:
    """Return a workbook with one sheet, from the XML of its rows."""
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/xl/workbook.xml" '
            f'ContentType="{kinds}.sheet.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{_LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>'
            '<sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{_LINKS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>',
            **more,
        }
    )


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def odf(kind: str, body: str, **more: bytes | str) -> bytes:
    """Return an OpenDocument file: text, spreadsheet or presentation."""
    names = ("office", "text", "table")
    spaces = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in names)
    content = (
        f"<office:document-content {spaces}><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    return archive({"mimetype": _MIMES[kind], "META-INF/manifest.xml": manifest, "content.xml": content, **more})


def pptx() -> bytes:
    """Return a presentation with one slide."""
    import pptx as library

    deck = library.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Plan"
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def deep_slide(depth: int) -> bytes:
    """Return a presentation with groups nested to the given depth."""
    deck = pptx()
    name = "ppt/slides/slide1.xml"
    with zipfile.ZipFile(io.BytesIO(deck)) as source:
        xml = source.read(name).decode()
    opening = "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>"
    return making.with_member(
        deck, name, xml.replace("</p:spTree>", opening * depth + "</p:grpSp>" * depth + "</p:spTree>").encode()
    )


def epub(chapters: dict[str, str], **more: bytes | str) -> bytes:
    """Return an e-book, from chapter titles and their content."""
    items = "".join(f'<item id="c{n}" href="{name}"/>' for n, name in enumerate(chapters))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>On tables</dc:title><dc:creator>Jonas Brandt</dc:creator><dc:language>en</dc:language>"
        f"<dc:date>2025-11-03</dc:date></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER.format("OPS/book.opf"),
            "OPS/book.opf": package,
            **{f"OPS/{name}": text for name, text in chapters.items() if ".." not in name},
            **more,
        }
    )


def raw_pdf(*objects: str) -> bytes:
    """Return a PDF from the source of its objects, the first of which is the catalogue."""
    data = b"%PDF-1.4\n"
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Root 1 0 R /Size {len(objects) + 1} >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def pdf_page(resources: str, content: str, *more: str) -> bytes:
    """Return a PDF with one page and a font F; `more` are the objects from number 6 on."""
    return raw_pdf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>",
        f"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 5 0 R >> {resources} >> /Contents 4 0 R >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *more,
    )


TEXT = "BT /F 12 Tf 50 700 Td (A line of text that is long enough.) Tj ET "
FAR = f'<row r="1">{cell("A1", "a")}</row><row r="1048576">{cell("XFD1048576", "b")}</row>'
LOOP = (
    "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 6 >>\n"
    "stream\n/X Do \nendstream"
)
IMAGE = (
    "<< /Type /XObject /Subtype /Image /Width {} /Height {} /BitsPerComponent 8 /ColorSpace /DeviceGray /Length 2 >>\n"
    "stream\n\0z\nendstream"
)


def _long_line(path: Path) -> object:
    return path.write_bytes(b"a,b\n1,2\n3,4\n" + b"a,b,c,d," * ((50 << 20) // 8))


BAD_OFFICE = (
    BadInput("far.xlsx", "document", r"^a sheet spread over 1,048,576 rows and 16,384 columns", lambda _: xlsx(FAR)),
    BadInput("empty.xlsx", "document", r"^no filled cell in the workbook$", lambda _: xlsx("")),
    BadInput("laughs.xlsx", "document", "declaration of entities", lambda _: xlsx("", **{"xl/styles.xml": LAUGHS})),
    BadInput("bomb.xlsx", "document", r"^zip bomb", lambda _: xlsx("", **{"xl/media/a.png": bytes(40 << 20)})),
    BadInput("cut.xlsx", "document", r"^damaged or truncated archive", lambda _: xlsx(FAR)[:700]),
    BadInput(
        "bomb.pptx", "document", r"^zip bomb", lambda _: making.with_member(pptx(), "ppt/media/a.png", bytes(40 << 20))
    ),
    BadInput(
        "laughs.pptx",
        "document",
        "declaration of entities",
        lambda _: making.with_member(pptx(), "ppt/slides/slide1.xml", LAUGHS),
    ),
    BadInput("deep.pptx", "document", r"^damaged presentation|^nested too deeply", lambda _: deep_slide(5000)),
    BadInput(
        "laughs.odt",
        "document",
        "declaration of entities",
        lambda _: making.with_member(odf("text", ""), "content.xml", LAUGHS),
    ),
    BadInput("nothing.odt", "document", r"^no text in the document$", lambda _: odf("text", "")),
    BadInput(
        "locked.odt",
        "document",
        "a password is needed",
        lambda _: odf("text", "", **{"META-INF/manifest.xml": "<manifest><encryption-data/></manifest>"}),
    ),
    BadInput(
        "deep.odt",
        "document",
        r"^damaged XML|^nested too deeply",
        lambda _: odf("text", "<text:list><text:list-item>" * 2000 + "</text:list-item></text:list>" * 2000),
    ),
    BadInput("deep.rtf", "document", r"^nested too deeply$", b"{\\rtf1 " + b"{" * 200_000 + b"x"),
    BadInput("nothing.rtf", "document", r"^no text in the document$", b"{\\rtf1\\ansi }"),
    BadInput("line.csv", "document", r"^a line of 52,428,8\d\d characters", _long_line),
    BadInput(
        "protected.epub",
        "document",
        r"\(DRM\)",
        lambda _: epub({"a.xhtml": "<p>Hi</p>"}, **{"META-INF/rights.xml": "<x/>"}),
    ),
    BadInput("empty.epub", "document", r"^no text in the e-book$", lambda _: epub({"../../../etc/passwd": ""})),
    BadInput(
        "laughs.epub", "document", "entity bomb", lambda _: epub({"a.xhtml": "<p>Hi</p>"}, **{"OPS/book.opf": LAUGHS})
    ),
    BadInput("laughs.xml", "document", "entity bomb", LAUGHS),
    BadInput("no-cue.vtt", "document", r"^no words in the subtitles$", b"WEBVTT\n\nNOTE nothing is said\n"),
)
