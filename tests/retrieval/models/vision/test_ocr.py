"""Text recognition: what it reads, in which order, whichever way the page is turned."""

from pathlib import Path

import pytest
from PIL import Image

from brain_retrieval.models.vision.build import build_ocr
from brain_retrieval.models.vision.protocol import TextLine
from brain_retrieval.settings import OcrSettings, load_settings
from tests.pipelines.readers.image.drawn import draw_lines, save_png

PAGE = [
    ((60, 40), "Minutes of the design review"),
    ((60, 120), "The booking page keeps the old header"),
    ((60, 160), "until the component library is ready."),
    ((60, 260), "Total"),
    ((560, 260), "1240.50"),
]
# The detector scales the shorter side up to 736 pixels: a page that is nearly square has the fewest to look at.
WIDTH, HEIGHT = 900, 600


@pytest.fixture(scope="module")
def reader():
    reader = build_ocr(load_settings())
    assert reader is not None
    return reader


@pytest.fixture(scope="module")
def upright(reader, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[TextLine]]:
    """The page as it stands, and what is read in it."""
    path = save_png(draw_lines(PAGE, (WIDTH, HEIGHT)), tmp_path_factory.mktemp("upright") / "page.png")
    return path, reader.read(path)


def _texts(lines: list[TextLine]) -> list[str]:
    return [line.text for line in lines]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_reads_in_order_whichever_way_it_is_turned(reader, upright, tmp_path: Path, turn: int) -> None:
    page = draw_lines(PAGE, (WIDTH, HEIGHT)).rotate(turn, expand=True)
    lines = reader.read(save_png(page, tmp_path / "page.png")) if turn else upright[1]
    assert _texts(lines) == [text for _, text in PAGE]
    assert [line.row for line in lines] == [0, 1, 2, 3, 3]
    assert [line.paragraph for line in lines] == [0, 1, 1, 2, 2]


def test_boxes_are_fractions_around_the_words(upright) -> None:
    _, lines = upright
    left, top, right, bottom = lines[-1].box
    assert left < 600 / WIDTH < right <= 1
    assert top < 275 / HEIGHT < bottom <= 1
    assert left > 500 / WIDTH
    assert top > 240 / HEIGHT and bottom < 310 / HEIGHT
    assert all(0.5 <= line.confidence <= 1 for line in lines)


def test_a_tilted_page_keeps_its_order(reader, tmp_path: Path) -> None:
    page = draw_lines(PAGE, (WIDTH, HEIGHT)).rotate(8, expand=True, fillcolor="white")
    assert _texts(reader.read(save_png(page, tmp_path / "page.png"))) == [text for _, text in PAGE]


def test_the_same_picture_gives_the_same_lines(reader, upright) -> None:
    path, lines = upright
    assert reader.read(path) == lines


@pytest.mark.parametrize("size", [(1, 1), (3, 4000), (40, 40), (600, 20)])
def test_nothing_to_read_is_no_error(reader, tmp_path: Path, size: tuple[int, int]) -> None:
    assert reader.read(save_png(Image.new("RGB", size, "white"), tmp_path / "blank.png")) == []


def test_a_page_much_longer_than_wide_stays_legible(reader, tmp_path: Path) -> None:
    rows = [((20, 60 + 200 * i), f"Message number {i}") for i in range(20)]
    lines = reader.read(save_png(draw_lines(rows, (500, 4200), font=24), tmp_path / "long.png"))
    assert _texts(lines) == [text for _, text in rows]


def test_off_is_no_reader_and_settings_share_one() -> None:
    settings = load_settings()
    assert build_ocr(settings.model_copy(update={"ocr": OcrSettings(provider="off")})) is None
    assert build_ocr(settings) is build_ocr(load_settings())
