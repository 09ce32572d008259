"""OCR text of pictures: appended to their blocks with a box for each piece, wrapped sentences joined."""

from pathlib import Path

import pytest
from PIL import Image

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import Anchor, Block, Extracted
from brain_pipelines.readers.image.ocr import join_lines, read_pictures
from brain_retrieval.models.vision.protocol import TextLine
from brain_retrieval.settings import OcrSettings, load_settings
from tests.pipelines.readers.image.drawn import draw_lines, save_png

BOX = (0.1, 0.1, 0.9, 0.2)


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    save_png(draw_lines([((40, 40), "Invoice 4711"), ((40, 140), "Lisbon")], (500, 220)), tmp_path / "scan.png")
    save_png(Image.new("RGB", (300, 200), "white"), tmp_path / "blank.png")
    return Reading(load_settings(), tmp_path)


def _line(text: str, row: int, paragraph: int = 0) -> TextLine:
    return TextLine(text, BOX, 0.9, row, paragraph)


def test_text_is_appended_with_anchors(reading: Reading) -> None:
    before = Anchor(0, 4, page=3)
    block = Block("Page", "page", page=3, anchors=(before,), picture="scan.png")
    found = read_pictures(Extracted("pdf", [block]), reading)
    (done,) = found.blocks
    assert done.text == "Page\n\nInvoice 4711\n\nLisbon"
    assert done.picture is None
    assert done.anchors[0] == before
    assert [done.text[a.start : a.end] for a in done.anchors[1:]] == ["Invoice 4711", "Lisbon"]
    assert all(a.page == 3 and a.box and 0 <= a.box[0] < a.box[2] <= 1 for a in done.anchors[1:])


def test_picture_without_text_is_left_out_unless_its_block_has_text(reading: Reading) -> None:
    blocks = [Block("", picture="blank.png"), Block("caption", picture="blank.png"), Block("", "body")]
    found = read_pictures(Extracted("docx", blocks), reading)
    assert found.blocks == [Block("caption"), Block("", "body")]


def test_disabled_ocr_is_reported(reading: Reading) -> None:
    off = Reading(reading.settings.model_copy(update={"ocr": OcrSettings(provider="off")}), reading.scratch)
    found = read_pictures(Extracted("docx", [Block("text", picture="scan.png"), Block("", picture="scan.png")]), off)
    assert found.blocks == [Block("text")]
    assert found.repairs == ["2 pictures not read: text recognition is switched off"]


def test_a_picture_outside_scratch_is_never_opened(reading: Reading) -> None:
    with pytest.raises(ValueError, match="scratch"):
        read_pictures(Extracted("pdf", [Block("", picture="../scan.png")]), reading)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([_line("Total", 0), _line("9.00", 0)], "Total 9.00"),
        ([_line("Total", 0), _line("Cash", 1)], "Total\nCash"),
        ([_line("Heading", 0), _line("Body", 1, 1)], "Heading\n\nBody"),
        (
            [_line("The booking page keeps the", 0), _line("old header for now.", 1)],
            "The booking page keeps the old header for now.",
        ),
        ([_line("the compo-", 0), _line("nent library", 1)], "the component library"),
        ([_line("10-", 0), _line("a day", 1)], "10-\na day"),
        ([], ""),
    ],
)
def test_lines_become_paragraphs(lines: list[TextLine], text: str) -> None:
    joined, anchors = join_lines(lines, offset=7, page=2)
    assert joined == text
    pieces = [line.text.removesuffix("-") if "compo-" in line.text else line.text for line in lines]
    assert [joined[a.start - 7 : a.end - 7] for a in anchors] == pieces
    assert all(a.page == 2 for a in anchors)
