"""Cells of the ruled tables of a PDF page, from the lines and boxes that pdfium finds drawn on it.

pdfplumber's table finder joins the lines to cells. Runs in the sandbox's child.
"""

import ctypes
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Any

from brain_pipelines.readers.document.pdf_page.lines import Box
from brain_pipelines.readers.document.pdf_page.words import Place

Edge = dict[str, Any]  # pdfplumber's form of a horizontal or vertical line
Matrix = tuple[float, float, float, float, float, float]

STRAIGHT = 0.5  # points by which a line may deviate from the horizontal or vertical
NEAR = 3.0  # points between lines that count as one
MAX_SEGMENTS = 200_000
MAX_EDGES = 4000  # horizontal or vertical ones; their intersections are looked for pair by pair
Grid = list[list[Box | None]]  # rows of cells; None where a merged cell covers the position


def grids_of(paths: list[Any], place: Place) -> list[Grid]:
    """Return the grids of cells of a page, each of at least two rows and columns."""
    from pdfplumber.table import Table, cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges
    from pdfplumber.utils.geometry import filter_edges

    drawn = [edge for edge in _edges(paths, place) if max(edge["width"], edge["height"]) >= 1]
    edges = filter_edges(merge_edges(drawn, NEAR, NEAR, NEAR, NEAR), min_length=NEAR)
    if len(edges) > MAX_EDGES:
        return []
    if closing := [*_open_sides(edges, "h"), *_open_sides(edges, "v")]:
        edges = merge_edges([*edges, *closing], NEAR, NEAR, NEAR, NEAR)
    cells = intersections_to_cells(edges_to_intersections(edges, NEAR, NEAR))
    tables = [[row.cells for row in Table(None, group).rows] for group in cells_to_tables(cells)]  # pyright: ignore[reportArgumentType]
    return [rows for rows in tables if len(rows) > 1 and len(rows[0]) > 1]


def _edges(paths: list[Any], place: Place) -> Iterator[Edge]:
    left = MAX_SEGMENTS
    for path in paths:
        points: list[tuple[float, float]] = []
        for (x0, y0), (x1, y1) in _segments(path, place):
            points.append((x0, y0))
            if abs(x0 - x1) <= STRAIGHT or abs(y0 - y1) <= STRAIGHT:
                yield _edge(x0, y0, x1, y1)
        left -= len(points)
        if left < 0:
            return


def _edge(x0: float, y0: float, x1: float, y1: float) -> Edge:
    level = abs(y0 - y1) <= abs(x0 - x1)
    if level:
        y0 = y1 = (y0 + y1) / 2
    else:
        x0 = x1 = (x0 + x1) / 2
    x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    return {
        "object_type": "line",
        "orientation": "h" if level else "v",
        "x0": x0,
        "x1": x1,
        "top": y0,
        "bottom": y1,
        "width": x1 - x0,
        "height": y1 - y0,
        "doctop": y0,
    }


def _segments(path: Any, place: Place) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Yield the straight lines of a path object as pairs of points on the displayed page."""
    import pypdfium2.raw as raw

    a, b, c, d, e, f = _matrix(path)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = here = (0.0, 0.0)
    for index in range(min(raw.FPDFPath_CountSegments(path.raw), MAX_SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path.raw, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        to = place(a * x.value + c * y.value + e, b * x.value + d * y.value + f)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = to
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield here, to
        here = to
        if raw.FPDFPathSegment_GetClose(segment):
            yield here, start
            here = start


def _matrix(item: Any) -> Matrix:
    """Return the matrix from an object's own coordinates to those of the page, through the forms that hold it."""
    a, b, c, d, e, f = item.get_matrix().get()
    outer = item.container
    while outer is not None:
        p, q, r, s, t, u = outer.get_matrix().get()
        a, b, c, d = a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s
        e, f = e * p + f * r + t, e * q + f * s + u
        outer = outer.container
    return a, b, c, d, e, f


def _open_sides(edges: list[Edge], orientation: str) -> Iterator[Edge]:
    """Yield the missing outer lines of a table without a frame.

    Two rules that begin at the same place, one below the other and joined by a line between columns, are closed there;
    the same where they end, and for rules beside one another.
    """
    along, across = (("x0", "x1"), "top") if orientation == "h" else (("top", "bottom"), "x0")
    rules = [edge for edge in edges if edge["orientation"] == orientation]
    joints = [edge for edge in edges if edge["orientation"] != orientation]
    ends = ("top", "bottom") if orientation == "h" else ("x0", "x1")
    middle = "x0" if orientation == "h" else "top"
    for side in along:
        ordered = sorted(rules, key=lambda rule: (round(rule[side] / NEAR), rule[across]))
        for _, group in groupby(ordered, key=lambda rule: round(rule[side] / NEAR)):
            for one, other in pairwise(group):
                low, high = one[across], other[across]
                begin, end = max(one[along[0]], other[along[0]]), min(one[along[1]], other[along[1]])
                joints_here = [
                    joint
                    for joint in joints
                    if begin - NEAR <= joint[middle] <= end + NEAR
                    and joint[ends[0]] <= low + NEAR
                    and joint[ends[1]] >= high - NEAR
                ]
                at = (one[side] + other[side]) / 2
                if joints_here and all(abs(joint[middle] - at) > NEAR for joint in joints_here):
                    yield _edge(at, low, at, high) if orientation == "h" else _edge(low, at, high, at)
