"""Pictures with text, drawn for tests. Pillow's own font is used, so that every machine draws the same."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont


def draw_lines(lines: Sequence[tuple[tuple[int, int], str]], size: tuple[int, int], *, font: int = 28) -> Image.Image:
    """A white picture with each text at its place: x, y of its top left corner."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    face = ImageFont.load_default(font)
    for place, text in lines:
        pen.text(place, text, fill="black", font=face)
    return image


def save_png(image: Image.Image, path: Path) -> Path:
    """Write a picture as PNG and return its path."""
    image.save(path, "PNG")
    return path
