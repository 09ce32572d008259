"""Tables of PDF pages: pdfium's words in the rows and cells that the drawn lines give."""

from collections.abc import Iterable
from pathlib import Path

from brain_pipelines.readers.document.pdf import read_file
from brain_retrieval.settings import Limits
from tests.samples.bad_office import pdf_page


def words(*placed: tuple[float, float, str], matrix: str = "1 0 0 1") -> str:
    return " ".join(f"BT /F 10 Tf {matrix} {x} {y} Tm ({text}) Tj ET" for x, y, text in placed)


def lines(across: Iterable[float], up: Iterable[float], *, left: float, right: float, low: float, high: float) -> str:
    """Return vertical lines at `across` and horizontal ones at `up`, from `left` to `right` and `low` to `high`."""
    upright = " ".join(f"{x} {low} m {x} {high} l S" for x in across)
    return upright + " " + " ".join(f"{left} {y} m {right} {y} l S" for y in up) + " "


def tables(tmp_path: Path, content: str) -> list[str]:
    path = tmp_path / "page.pdf"
    path.write_bytes(pdf_page("", content))
    return [block.text for block in read_file(path, Limits(), None).blocks if block.kind == "table"]


GRID = lines((50, 120, 190), (40, 80, 120, 160), left=50, right=190, low=40, high=160)
CELLS = ((55, 140, "Bird"), (125, 140, "Count"), (55, 100, "Heron"), (125, 100, "17"), (55, 60, "Egret"))


def test_letters_printed_twice_for_bold_are_read_once(tmp_path: Path) -> None:
    twice = [(x + shift, y, text) for x, y, text in CELLS for shift in (0, 0.2)]
    assert tables(tmp_path, GRID + words(*twice)) == ["Bird | Count\nHeron | 17\nEgret | "]


def test_names_of_rows_outside_the_lines_stay_with_their_figures(tmp_path: Path) -> None:
    rows = [(20, "Heron"), (60, "Egret"), (100, "Stork"), (140, "Crane")]
    figures = [(x, y + 5, f"{x + y}") for y, _ in rows for x in (65, 125)]
    grid = lines((60, 120, 180), (15, 55, 95, 135, 175), left=60, right=180, low=15, high=175)
    names = [(10, y + 5, name) for y, name in rows]
    found = tables(tmp_path, grid + words(*figures, *names))
    assert found == ["Crane | 205 | 265\nStork | 165 | 225\nEgret | 125 | 185\nHeron | 85 | 145"]


def test_a_table_whose_rules_run_beyond_its_columns_keeps_the_outer_ones(tmp_path: Path) -> None:
    grid = lines((100, 150), (40, 80, 120, 160), left=20, right=190, low=40, high=160)
    cells = ((25, 140, "Crop"), (105, 140, "May"), (155, 140, "June"), (25, 100, "Cotton"), (105, 100, "7"))
    assert tables(tmp_path, grid + words(*cells, (155, 100, "8"))) == ["Crop | May | June\nCotton | 7 | 8"]


def test_values_stacked_between_two_lines_are_rows_of_their_own(tmp_path: Path) -> None:
    grid = lines((20, 100, 150, 190), (40, 140, 160), left=20, right=190, low=40, high=160)
    heads = ((25, 147, "Year"), (105, 147, "Men"), (155, 147, "Women"))
    rows = [(y, f"Age {y}", y, y + 1) for y in (120, 100, 80, 60)]
    cells = [cell for y, name, a, b in rows for cell in ((25, y, name), (105, y, a), (155, y, b))]
    (found,) = tables(tmp_path, grid + words(*heads, *cells))
    assert found.split("\n") == ["Year | Men | Women", *(f"{name} | {a} | {b}" for _, name, a, b in rows)]


def test_a_table_written_upwards_is_read_along_its_writing(tmp_path: Path) -> None:
    grid = lines((40, 80, 120, 160), (50, 120, 190), left=40, right=160, low=50, high=190)
    upwards = [(200 - y, x, text) for x, y, text in CELLS]
    assert tables(tmp_path, grid + words(*upwards, matrix="0 1 -1 0")) == ["Bird | Count\nHeron | 17\nEgret | "]


def test_words_across_the_lines_leave_the_page_as_text(tmp_path: Path) -> None:
    across = [(90, y, "acrosstheline") for y in (60, 100, 140)]
    assert tables(tmp_path, GRID + words(*across, (55, 75, "one"), (125, 75, "two"))) == []
