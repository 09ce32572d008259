"""Format detection from bytes, independent of the file name."""

import json
import time
import zipfile
from pathlib import Path

import pytest

from brain_pipelines.readers.detect import HEAD_BYTES, detect_format, text_format
from brain_pipelines.readers.registry import FORMATS
from tests.samples import making
from tests.samples.outlook_file import compound_file

LINES = "\n".join(json.dumps({"role": "user", "content": f"line {n}"}) for n in range(3))
MATRIX = {
    "empty": b"",
    "text": b"A plain line.\nAnother one.\n",
    "text with code": b"x < 3 and y > 4\nif (a) { b }",
    "text in German": "Grüße".encode("cp1252"),
    "text with a brace": b"{not json at all}",
    "markdown": b"# Title\n\nText with a [link](https://example.org).\n",
    "markdown with front matter": b"---\ntitle: x\n---\nText.\n",
    "html": b"<!DOCTYPE html><html><body>x</body></html>",
    "html after a comment": b"<!-- saved page -->\n<html lang='en'><p>x</p></html>",
    "html fragment": b"<div><p>One</p><p>Two</p><p>Three</p></div>",
    "xml": b"<?xml version='1.0'?><feed><entry/></feed>",
    "json": b'{\n "a": [1, 2],\n "b": "x"\n}',
    "json list": b'[{"a": 1}, {"a": 2}]',
    "jsonl": LINES.encode(),
    "jsonl with a broken line": (LINES + "\n{broken").encode(),
    "jsonl with a mark": b"\xef\xbb\xbf" + LINES.encode(),
    "rtf": b"{\\rtf1\\ansi Hello}",
    "pdf": making.pdf("x"),
    "pdf after junk": b"junk\r\n" + making.pdf("x"),
    "docx": making.docx(sections={"a": ["b"]}),
    "png": making.png(),
    "jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "wav": b"RIFF\x24\0\0\0WAVEfmt ",
    "mp3": b"\xff\xfb\x90\x64" + bytes(64),
    "m4a": b"\0\0\0\x18ftypM4A ",
    "mp4": b"\0\0\0\x18ftypisom",
    "mov": b"\0\0\0\x14ftypqt  ",
    "heic": b"\0\0\0\x18ftypheic",
    "avif": b"\0\0\0\x1cftypavif",
    "avi": b"RIFF\x10\0\0\0AVI LIST",
    "aiff": b"FORM\0\0\0\x10AIFFCOMM",
    "webm": b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm",
    "aac": b"\xff\xf1\x50\x80\x02\x1f\xfc\xde",
    "amr": b"#!AMR\n\x0c",
    "eml": b"Received: from a by b; Mon, 5 Jan 2026 10:00:00 +0000\r\nFrom: Ann <a@x.org>\r\nSubject: Hi\r\n\r\nHello",
    "mbox": b"From ann@x.org Mon Jan  5 10:00:00 2026\nFrom: Ann <a@x.org>\nSubject: Hi\n\nHello",
    "ics": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR",
    "vcf": b"BEGIN:VCARD\r\nFN:Ann\r\nEND:VCARD",
    "vtt": b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello",
    "srt": b"1\r\n00:00:00,000 --> 00:00:01,000\r\nHello",
    "svg": b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>",
    "csv": b"name,hours,rate\nAnn,3,20\nBob,5,18\n",
    "tsv": b"name\thours\nAnn\t3\nBob\t5\n",
    "warc": b"WARC/1.1\r\nWARC-Type: response\r\n\r\n",
    "gzip": b"\x1f\x8b\x08\0",
    "sqlite": b"SQLite format 3\0" + bytes(84),
    "ole": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504),
    "binary": bytes(range(256)),
    "text with some NULs": b"A line of a log.\n" * 200 + b"\0" * 5,
    "text with an end behind each entry": "Mehl und Zucker für Käthe\0Öl vom Markt\0Seife für die Küche\0".encode(),
    "binary with words": b"name\0\0\0\0\x01\x02value\0\0\0and more words of a program" * 3,
    "docx cut in half": making.docx(sections={"a": ["b"]})[:9000],
    "text in UTF-16": "Hello, world, in wide characters".encode("utf-16"),
    "text in UTF-16 without a mark": "Hello, world, in wide characters".encode("utf-16-le"),
}


@pytest.mark.parametrize("case", MATRIX)
def test_format_is_detected_from_bytes(tmp_path: Path, case: str) -> None:
    path = tmp_path / "misleading.zip"
    path.write_bytes(MATRIX[case])
    assert detect_format(path).name == case.split()[0]


@pytest.mark.parametrize(
    ("member", "content", "expected"),
    [
        ("xl/workbook.xml", b"", "xlsx"),
        ("ppt/presentation.xml", b"", "pptx"),
        ("mimetype", b"application/vnd.oasis.opendocument.text", "odt"),
        ("mimetype", b"application/epub+zip", "epub"),
        ("notes/a.txt", b"", "zip"),
    ],
)
def test_zip_format_is_detected_from_its_members(tmp_path: Path, member: str, content: bytes, expected: str) -> None:
    path = tmp_path / "file.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
        archive.writestr("[Content_Types].xml", "")
    assert detect_format(path).name == expected


@pytest.mark.parametrize(
    ("own", "embedded", "expected"),
    [("Workbook", "WordDocument", "xls"), ("WordDocument", "Workbook", "doc"), ("PowerPoint Document", "", "ppt")],
)
def test_an_old_office_file_is_what_its_top_level_holds(tmp_path: Path, own: str, embedded: str, expected: str) -> None:
    objects = {f"MBD{n:08}": {"Data": b"x", embedded or "x": b"x"} for n in range(3)}
    path = tmp_path / "a"
    path.write_bytes(compound_file({own: b"x", "1Table": b"x", **objects}))
    assert detect_format(path).name == expected
    whole = path.read_bytes()
    for cut in (600, 5000, len(whole) - 600):  # without its directory or its tables
        path.write_bytes(whole[:cut])
        assert detect_format(path).name in (expected, "ole")


PROSE = {
    "a list with commas": "Milk, bread, eggs\nTea, honey, lemons\nRice, beans, corn\n",
    "a header like line": "To: the team\nSubject: lunch\n\nSoup today.",
    "a Markdown table": "| name | hours |\n| --- | --- |\n| Ann | 3 |\n",
    "two lines": "Hello, Ann\nBye, Bob\n",
    "a time": "10:15 standup\n11:00 review with Priya\n",
}


@pytest.mark.parametrize("case", PROSE)
def test_prose_is_not_detected_as_data(tmp_path: Path, case: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(PROSE[case])
    assert detect_format(path).name in ("text", "markdown")


@pytest.mark.parametrize("cut", [1, 4, 7, 30, 100, 1000])
@pytest.mark.parametrize("case", MATRIX)
def test_any_beginning_of_a_file_has_some_format(tmp_path: Path, case: str, cut: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(MATRIX[case][:cut])
    assert detect_format(path).name in FORMATS


def test_detection_reads_only_the_start_of_a_long_file(tmp_path: Path) -> None:
    path = making.sparse(tmp_path / "x", (LINES + "\n").encode() * 2000, 1 << 40)
    assert detect_format(path).name == "jsonl"


HOSTILE = {
    "comments": (b"<!-- a -->\n" * 6000, "text"),
    "comments before a page": (b"<!-- a -->\n" * 600 + b"<html lang='en'>", "html"),
    "comments before a drawing": (b"<?xml version='1.0'?>" + b"<!-- a -->\n" * 600 + b"<svg>", "svg"),
    "comments before prose": (b"<!---->" * 9000 + b"Words.", "text"),
    "an unclosed comment": (b"<!-- a --><!-- " * 2000 + b"<!-- " * 6000, "text"),
    "comments that never close": (b"<!--" * 16000, "text"),
    "declarations": (b"<?xml version='1.0'?>" * 3000, "xml"),
    "types of drawings": (b"<!DOCTYPE svg >" * 4000, "text"),
    "white space": (b"<!-- a -->" + b" \n" * 30000, "text"),
    "brackets": (b"x" + b"[" * 65000, "text"),
    "unclosed links": (b"* [a](" * 10000, "text"),
    "a mail box of digits": (b"From " + b"1" * 65000, "text"),
    "a subtitle of lines": (b"1" + b"\r\n" * 32000, "text"),
}


@pytest.mark.timeout(200)
@pytest.mark.parametrize("case", HOSTILE)
def test_detection_time_is_bounded(case: str) -> None:
    head, expected = HOSTILE[case]
    before = time.process_time()
    assert text_format(head[:HEAD_BYTES], complete=False) == expected
    assert time.process_time() - before < 5
