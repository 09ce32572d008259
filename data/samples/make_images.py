"""Draws the picture samples: a screenshot of an error, a photo of a sign with camera data, a ticket with a QR code.

.venv/bin/python data/samples/make_images.py
"""
# ruff: noqa: TID253

from pathlib import Path

import numpy as np
import zxingcpp
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from PIL.TiffImagePlugin import IFDRational

ALICE = Path(__file__).parent / "alice"
INK, PAPER, ACCENT, ALERT = "#1d2433", "#ffffff", "#2d5fc8", "#b3261e"


def write(pen: ImageDraw.ImageDraw, place: tuple[int, int], text: str, size: int, fill: str = INK) -> None:
    """Draw a text in Pillow's own font, which every machine has."""
    pen.text(place, text, fill=fill, font=ImageFont.load_default(size))


def screenshot() -> Image.Image:
    """The component library's preview with a dialog over it, 1280 x 800."""
    image = Image.new("RGB", (1280, 800), "#eef1f6")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 1280, 64), fill=ACCENT)
    write(pen, (28, 18), "Component library 3.0 - preview", 26, PAPER)
    for row, name in enumerate(("Buttons", "Date picker", "Table", "Avatar menu", "Settings")):
        write(pen, (32, 110 + 52 * row), name, 22)
    pen.rounded_rectangle((360, 220, 1080, 580), 14, fill=PAPER, outline="#c3cad6", width=2)
    write(pen, (400, 252), "Preview could not be built", 30, ALERT)
    for row, line in enumerate(
        (
            "The table component failed to load its theme.",
            "Error TBL-4102: token --color-accent is not defined",
            "File: packages/table/src/theme.css, line 48",
            "Ask Bob Smith or open the build log.",
        )
    ):
        write(pen, (400, 320 + 42 * row), line, 22)
    for left, label, fill, ink in ((780, "Retry", ACCENT, PAPER), (920, "Close", "#dfe4ec", INK)):
        pen.rounded_rectangle((left, 506, left + 120, 554), 8, fill=fill)
        write(pen, (left + 32, 516), label, 22, ink)
    return image


def sign() -> Image.Image:
    """Something like a photo: an uneven sky over a wall with a sign on it, a little blurred and noisy."""
    rng = np.random.default_rng(20260207)
    height, width = 900, 1200
    rows = np.linspace(0, 1, height)[:, None, None]
    sky, wall = np.array([120, 170, 225]), np.array([215, 190, 150])
    ground = np.where(rows < 0.35, sky + 60 * rows, wall - 40 * rows)
    image = Image.fromarray(np.clip(np.broadcast_to(ground, (height, width, 3)), 0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((250, 380, 950, 700), 20, fill="#1f4f8b", outline="#f3ead2", width=10)
    write(pen, (290, 410), "Miradouro da Senhora", 58, "#f8f4e6")
    write(pen, (290, 500), "Bar aberto 9h - 20h", 48, "#f8f4e6")
    write(pen, (290, 590), "Lisboa", 48, "#f8f4e6")
    image = image.rotate(2.5, resample=Image.Resampling.BICUBIC, fillcolor=(205, 180, 145))
    image = image.filter(ImageFilter.GaussianBlur(0.8))
    noisy = np.asarray(image, dtype=np.int16) + rng.normal(0, 5, (height, width, 3)).astype(np.int16)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


def camera_data(image: Image.Image) -> Image.Exif:
    """EXIF of a phone in Lisbon on 7 February 2026, 16:42 there."""
    exif = image.getexif()
    exif[0x010F], exif[0x0110], exif[0x0112] = "Fairphone", "FP5", 1
    exif.get_ifd(0x8769).update({0x9003: "2026:02:07 16:42:10", 0x9011: "+00:00"})
    lat, lon = ((38, 43, 0.84), (9, 7, 52.2))
    exif.get_ifd(0x8825).update(
        {
            1: "N",
            2: tuple(IFDRational(round(part * 100), 100) for part in lat),
            3: "W",
            4: tuple(IFDRational(round(part * 100), 100) for part in lon),
            5: b"\x00",
            6: IFDRational(79),
        }
    )
    return exif


def ticket() -> Image.Image:
    """A train ticket with a QR code."""
    image = Image.new("RGB", (900, 420), PAPER)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 900, 70), fill="#206a4f")
    write(pen, (30, 18), "Comboios do Sul - ticket", 30, PAPER)
    lines = ("Passenger: Alice Chen", "Lisboa Oriente to Porto Campanha", "20 March 2026, 09:09", "Coach 4, seat 52")
    for row, line in enumerate((*lines, "31.90 EUR")):
        write(pen, (30, 110 + 56 * row), line, 26)
    code = zxingcpp.create_barcode("TICKET CS-2026-03-20 A4-52 K7Q9", zxingcpp.QRCode)
    dots = Image.fromarray(np.asarray(code.to_image(scale=8))).convert("RGB")
    image.paste(dots, (870 - dots.width, 110))
    return image


def main() -> None:
    """Write the three pictures."""
    shots, photos = ALICE / "screenshot", ALICE / "image"
    for folder in (shots, photos):
        folder.mkdir(parents=True, exist_ok=True)
    screenshot().save(shots / "Screenshot 2026-01-29 at 15.20.41.png", optimize=True)
    photo = sign()
    photo.save(photos / "miradouro.jpg", quality=80, exif=camera_data(photo))
    ticket().save(photos / "2026-02-11 train ticket.png", optimize=True)


if __name__ == "__main__":
    main()
