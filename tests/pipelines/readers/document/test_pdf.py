"""PDF: pages, ruled tables, titles; read in the sandbox, as in production."""

from pathlib import Path

import pytest

from brain_pipelines.readers.document.tables import table_text
from brain_pipelines.readers.registry import readers_of
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits
from tests.samples import making

READ = readers_of()["pdf"]

TABLE = [["Item", "Owner", "Cost"], ["Table component", "Bob Smith", "18,900"], ["Tests", "Mei", ""]]


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "blob"
    path.write_bytes(data)
    return path


def test_each_page_is_a_block(tmp_path: Path) -> None:
    found = READ(write(tmp_path, making.pdf("First page.", "Second page.")), Limits(), tmp_path)
    assert [(block.text, block.kind, block.page) for block in found.blocks] == [
        ("First page.", "page", 1),
        ("Second page.", "page", 2),
    ]


def test_a_ruled_table_becomes_rows_in_place(tmp_path: Path) -> None:
    found = READ(write(tmp_path, making.pdf("Before.", "The costs follow.", table=TABLE)), Limits(), tmp_path)
    kinds = [(block.kind, block.page) for block in found.blocks if block.text]
    assert kinds == [("page", 1), ("page", 2), ("table", 2)]
    table = next(block for block in found.blocks if block.kind == "table")
    assert table.text.split("\n")[1] == "Table component | Bob Smith | 18,900"
    text = "\n".join(block.text for block in found.blocks)
    assert text.count("Bob Smith") == 1 and text.count("The costs follow.") == 1


def test_wrapped_lines_are_joined(tmp_path: Path) -> None:
    sentence = (
        "This sentence is long enough that it has to be broken over at least two lines of an ordinary page, we think."
    )
    found = READ(write(tmp_path, making.pdf(sentence)), Limits(), tmp_path)
    assert found.blocks[0].text == sentence


def test_too_many_pages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="too many pages: 3, the limit is 2"):
        READ(write(tmp_path, making.pdf("a", "b", "c")), Limits(max_pages=2), tmp_path)


def test_a_scanned_page_becomes_a_picture(tmp_path: Path) -> None:
    data = making.pdf("This page has a picture and enough text to stand alone.", "", image=True)
    found = READ(write(tmp_path, data), Limits(), tmp_path)
    first, second = [block for block in found.blocks if block.kind == "page"]
    assert first.text and first.picture is None and second.text == "" and second.picture == "page-2.png"
    assert (tmp_path / "page-2.png").read_bytes().startswith(b"\x89PNG") and not found.repairs
    assert found.attributes["scanned_pages"] == 1


def test_scanned_pages_beyond_the_limit_are_reported(tmp_path: Path) -> None:
    data = making.pdf("This page has enough text to stand alone.", "", "", image=True)
    found = READ(write(tmp_path, data), Limits(max_scanned_pages=1), tmp_path)
    assert found.repairs == ["no text taken from page 3: more than 1 scanned pages"]


def test_every_line_has_its_box(tmp_path: Path) -> None:
    found = READ(write(tmp_path, making.pdf("Up here.\nThen Below.")), Limits(), tmp_path)
    (block,) = found.blocks
    boxes = {block.text[a.start : a.end]: a.box for a in block.anchors}
    assert list(boxes) == ["Up here.", "Then Below."] and all(a.page == 1 for a in block.anchors)
    upper, lower = boxes["Up here."], boxes["Then Below."]
    assert upper and lower and upper[3] <= lower[1] + 0.01 and 0 < upper[0] < upper[2] < 0.5


def test_a_wrapped_cell_is_one_line() -> None:
    assert table_text([["a\nb", None], ["", " "], ["c", "d"]]) == "a b | \nc | d"
