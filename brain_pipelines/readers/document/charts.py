"""Charts of Office documents: title, axes, and the figures of each series, as lines of text."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.ooxml import read_member
from brain_pipelines.readers.extracted import Block
from brain_retrieval.errors import BadInputError

MAX_POINTS = 200  # of one series
MOST_CHARTS = 200
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MEMBER = re.compile(r"(?:word|xl)/charts/chart(\d{0,6})\.xml")


def chart_blocks(path: Path, *, figures: bool = True) -> list[Block]:
    """Return a block for each chart of a checked package; damaged charts are left out.

    Args:
        path: a .docx or .xlsx file.
        figures: whether the values are given; those of a workbook are in its cells.
    """
    with zipfile.ZipFile(path) as archive:
        numbered = [(int(found[1] or 0), name) for name in archive.namelist() if (found := _MEMBER.fullmatch(name))]
    blocks = []
    for _, name in sorted(numbered)[:MOST_CHARTS]:
        try:
            root = read_member(path, name)
        except BadInputError:
            continue
        lines = list(chart_lines(root, figures=figures))
        if lines:
            blocks.append(Block("\n".join(lines), "data", section=_title(root) or None))
    return blocks


def chart_lines(root: Any, *, figures: bool = True) -> Iterator[str]:
    """Yield the title of a chart, the titles of its axes, and its series: "North: Q1 12, Q2 15"."""
    if title := _title(root):
        yield title
    axes = [text for axis in root.iterfind(f".//{_C}plotArea/*/{_C}title") if (text := _text(axis))]
    if axes:
        yield " / ".join(axes)
    for series in root.iter(f"{_C}ser"):
        name = " ".join(_points(series.find(f"{_C}tx")).values())
        values = ", ".join(_figures_of(series)) if figures else ""
        if name or values:
            yield f"{name}: {values}" if values else name


def _figures_of(series: Any) -> Iterator[str]:
    across = _points(series.find(f"{_C}cat")) or _points(series.find(f"{_C}xVal"))
    up = _points(series.find(f"{_C}val")) or _points(series.find(f"{_C}yVal"))
    for number, value in sorted(up.items())[:MAX_POINTS]:
        try:
            figure = f"{float(value):g}"
        except ValueError:
            figure = value
        yield f"{across[number]} {figure}" if number in across else figure


def _points(parent: Any) -> dict[int, str]:
    """Return the stored values of a part of a series by their places."""
    if parent is None:
        return {}
    found = {int(p.get("idx") or 0): "".join(p.itertext()).strip() for p in parent.iter(f"{_C}pt")}
    if found:
        return found
    value = parent.find(f"{_C}v")
    return {0: value.text.strip()} if value is not None and value.text else {}


def _title(root: Any) -> str:
    title = root.find(f".//{_C}chart/{_C}title")
    return _text(title) if title is not None else ""


def _text(element: Any) -> str:
    paragraphs = ("".join(run.text or "" for run in one.iter(f"{_A}t")) for one in element.iter(f"{_A}p"))
    return " ".join(" ".join(paragraphs).split())
