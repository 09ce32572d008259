"""Decoding of QR codes and barcodes in a picture. Runs in the sandbox's child."""

from typing import Any

MAX_CODES = 50
MAX_CHARS = 4000
MIN_CHARS = 4
# Only formats with a check digit or error correction: the others give false positives on any page of text.
FORMATS = (
    "QRCode",
    "MicroQRCode",
    "DataMatrix",
    "Aztec",
    "PDF417",
    "MaxiCode",
    "EAN13",
    "EAN8",
    "UPCA",
    "UPCE",
    "Code128",
    "Code93",
)


def read_codes(picture: Any) -> list[dict[str, Any]]:
    """Return format, text and box (fractions of the picture) of every code in an RGB picture, from top to bottom."""
    import zxingcpp

    formats = zxingcpp.barcode_formats_from_str("|".join(FORMATS))
    found = [code for code in zxingcpp.read_barcodes(picture, formats=formats) if len(code.text) >= MIN_CHARS]
    codes = [{"format": code.format.name, "text": code.text[:MAX_CHARS], "box": _box(code, picture)} for code in found]
    return sorted(codes, key=lambda code: (code["box"][1], code["box"][0], code["text"]))[:MAX_CODES]


def _box(code: Any, picture: Any) -> list[float]:
    place = code.position
    corners = (place.top_left, place.top_right, place.bottom_right, place.bottom_left)
    xs = [min(max(corner.x / picture.width, 0), 1) for corner in corners]
    ys = [min(max(corner.y / picture.height, 0), 1) for corner in corners]
    return [round(value, 5) for value in (min(xs), min(ys), max(xs), max(ys))]
