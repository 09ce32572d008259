"""Generated pictures with text. Pillow's built-in font is used, so that all machines draw the same."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from PIL.TiffImagePlugin import IFDRational


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


def phone_exif() -> Image.Exif:
    """Camera data as a phone writes it in Lisbon: time with offset, position, maker and model."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Fairphone", "FP5"
    exif.get_ifd(0x8769).update({0x9003: "2026:02:07 16:42:10", 0x9011: "+01:00"})
    north = (IFDRational(38), IFDRational(43), IFDRational(84, 100))
    west = (IFDRational(9), IFDRational(7), IFDRational(522, 10))
    exif.get_ifd(0x8825).update({1: "N", 2: north, 3: "W", 4: west, 5: b"\0", 6: IFDRational(79)})
    return exif
