"""Hostile Office files, e-books, tables and PDFs: a clear reason or a bounded result, never a crash."""

import re
import time
from pathlib import Path

import pytest

from brain_pipelines.readers.registry import readers_of
from brain_retrieval.settings import Limits
from tests.samples import bad_office
from tests.samples.bad_inputs import BadInput
from tests.samples.bad_office import BAD_OFFICE
from tests.samples.taking import take_one

HUGE = bad_office.IMAGE.format(90_000, 90_000)


@pytest.mark.parametrize("bad", BAD_OFFICE, ids=lambda bad: bad.name)
def test_the_reason_is_clear(tmp_path: Path, bad: BadInput) -> None:
    taken = take_one(bad.source, bad.write(tmp_path), name=bad.name)
    assert re.search(bad.reason, taken.refusal), taken.reasons


def take(tmp_path: Path, name: str, data: bytes, seconds: float = 120):
    path = tmp_path / "blob"
    path.write_bytes(data)
    began = time.monotonic()
    taken = take_one("document", path, name=name)
    assert time.monotonic() - began < seconds
    return taken


def test_hundreds_of_thousands_of_repeated_rows_are_bounded(tmp_path: Path) -> None:
    row = '<table:table-row table:number-rows-repeated="{}"><table:table-cell{}</table:table-row>'
    filled = ' office:value-type="string"><text:p>again</text:p></table:table-cell>'
    body = f'<table:table table:name="S">{row.format(1, filled)}{row.format(300_000, "/>")}</table:table>'
    taken = take(tmp_path, "blank.ods", bad_office.odf("spreadsheet", body))
    assert taken.text == "again"
    body = f'<table:table table:name="S">{row.format(101_000, filled)}</table:table>'
    taken = take(tmp_path, "full.ods", bad_office.odf("spreadsheet", body))
    assert taken.refusal or any("left out" in reason for reason in taken.reasons)


def test_repeated_columns_of_a_text_are_bounded(tmp_path: Path) -> None:
    cell = '<table:table-cell table:number-columns-repeated="9000000"><text:p>x</text:p></table:table-cell>'
    body = f"<table:table><table:table-row>{cell * 20}</table:table-row></table:table>"
    assert 100 < len(take(tmp_path, "wide.odt", bad_office.odf("text", body)).text) < 5000


def test_chapter_outside_of_the_archive_is_not_read(tmp_path: Path) -> None:
    chapters = {"../../../etc/passwd": "", "a.xhtml": "<h1>One</h1><p>Rows load late.</p>"}
    taken = take(tmp_path, "book.epub", bad_office.epub(chapters))
    assert "Rows load late." in taken.text and "root:" not in taken.text
    assert taken.reasons == ["a chapter is missing: ../../etc/passwd"]


@pytest.mark.parametrize(
    ("resources", "content", "more"),
    [
        ("/XObject << /X 6 0 R >>", bad_office.TEXT + "/X Do", [bad_office.LOOP]),
        (
            "/XObject << /X 6 0 R >>",
            bad_office.TEXT + "100 0 0 100 0 0 cm /X Do",
            [HUGE],
        ),
        ("", bad_office.TEXT + "0 0 5 5 re f " * 100_000, []),
    ],
    ids=["a form within itself", "a picture of eight billion pixels", "100,000 boxes"],
)
def test_a_hostile_page_gives_its_text(tmp_path: Path, resources: str, content: str, more: list[str]) -> None:
    taken = take(tmp_path, "page.pdf", bad_office.pdf_page(resources, content, *more))
    assert "A line of text that is long enough." in taken.text


def test_huge_page_is_rendered_within_the_pixel_limit(tmp_path: Path) -> None:
    from PIL import Image

    image = bad_office.IMAGE.format(2, 1)
    data = bad_office.pdf_page("/XObject << /X 6 0 R >>", "14000 0 0 14000 0 0 cm /X Do", image)
    path = tmp_path / "blob"
    path.write_bytes(data.replace(b"[0 0 600 800]", b"[0 0 14000 14000]"))
    found = readers_of()["pdf"](path, Limits(max_pixels=1_000_000), tmp_path)
    (block,) = found.blocks
    assert block.picture and block.page == 1
    with Image.open(tmp_path / block.picture) as picture:
        assert picture.width * picture.height <= 1_010_000
