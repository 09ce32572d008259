"""Word documents: headings, tables, tracked changes."""

from pathlib import Path

from brain_pipelines.readers.registry import readers_of
from brain_retrieval.settings import Limits
from tests.samples import making

READ = readers_of()["docx"]

SECTIONS = {"": ["Before."], "Plan": ["We begin.", "On Monday."], " Dates": ["Soon."], "End": ["Over."]}
XML = """<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>
<w:p><w:r><w:t>Priya </w:t></w:r><w:ins><w:r><w:t>leads</w:t></w:r></w:ins><w:del><w:r><w:delText>left</w:delText>
</w:r></w:del><w:r><w:t xml:space="preserve"> it.</w:t></w:r></w:p>
<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt></w:body></w:document>"""


def read(tmp_path: Path, data: bytes):
    path = tmp_path / "blob"
    path.write_bytes(data)
    return READ(path, Limits(), tmp_path)


def test_headings_make_sections(tmp_path: Path) -> None:
    found = read(tmp_path, making.docx(title="The plan", sections=SECTIONS))
    assert found.title == "The plan" and found.authors == []
    assert [(block.section, block.text) for block in found.blocks] == [
        (None, "Before."),
        ("Plan", "Plan\n\nWe begin.\n\nOn Monday."),
        ("Plan > Dates", "Dates\n\nSoon."),
        ("End", "End\n\nOver."),
    ]


def test_tables_are_rows_within_their_section(tmp_path: Path) -> None:
    found = read(
        tmp_path, making.docx(sections={"Costs": ["As follows:"]}, table=[["Item", "Cost"], ["Table", "18,900"]])
    )
    assert (found.blocks[-1].kind, found.blocks[-1].section) == ("table", "Costs")
    assert found.blocks[-1].text == "Item | Cost\nTable | 18,900"


def test_tracked_insertions_are_kept_and_deletions_are_not(tmp_path: Path) -> None:
    data = making.with_member(making.docx(), "word/document.xml", XML.encode())
    assert read(tmp_path, data).blocks[0].text == "Priya leads it.\n\nIn a control."
