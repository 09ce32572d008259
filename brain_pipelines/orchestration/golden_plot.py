"""A line chart of the measures of golden questions by day, as a PNG for the Dagster UI."""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

Days = Mapping[str, Mapping[str, float | None]]
LINES = {"recall_all": "#1f77b4", "recall_any": "#7fb3d9", "mrr": "#ff7f0e", "as_of_accuracy": "#2ca02c"}
WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 140, 16, 30  # margins
SHOWN_DAYS = 90
GREY, DARK = "#dddddd", "#444444"


def chart_markdown(days: Days) -> str:
    """Return the chart as a picture inside Markdown."""
    coded = base64.b64encode(chart(days)).decode("ascii")
    return f"![golden questions by day](data:image/png;base64,{coded})"


def chart(days: Days) -> bytes:
    """Return a PNG with one line for each measure that any day has; the vertical axis is 0 to 1."""
    from PIL import Image, ImageDraw, ImageFont

    shown = dict(list(days.items())[-SHOWN_DAYS:])
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(12)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        height = _height(share)
        pen.line([(LEFT, height), (WIDTH - RIGHT, height)], fill=GREY)
        pen.text((LEFT - 8, height), f"{share:g}", fill=DARK, font=font, anchor="rm")
    below, names = HEIGHT - BOTTOM + 8, list(shown)
    if names:
        pen.text((LEFT, below), names[0], fill=DARK, font=font, anchor="la")
    if len(names) > 1:
        pen.text((WIDTH - RIGHT, below), names[-1], fill=DARK, font=font, anchor="ra")
    rows = [*shown.values()]
    drawn = [name for name in LINES if any(row.get(name) is not None for row in rows)]
    for number, name in enumerate(drawn):
        _draw(pen, [row.get(name) for row in rows], LINES[name])
        pen.rectangle(
            [WIDTH - RIGHT + 16, TOP + 20 * number + 4, WIDTH - RIGHT + 28, TOP + 20 * number + 8], LINES[name]
        )
        label = name.replace("_", " ")
        pen.text((WIDTH - RIGHT + 34, TOP + 20 * number + 6), label, fill=DARK, font=font, anchor="lm")
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()


def _draw(pen: Any, values: Sequence[float | None], colour: str) -> None:
    points = [(_across(n, len(values)), _height(value)) for n, value in enumerate(values) if value is not None]
    pen.line(points, fill=colour, width=2)
    for across, height in points:
        pen.ellipse([across - 2, height - 2, across + 2, height + 2], fill=colour)


def _across(place: int, count: int) -> float:
    return LEFT + (WIDTH - RIGHT - LEFT) * (place / (count - 1) if count > 1 else 0.0)


def _height(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)
