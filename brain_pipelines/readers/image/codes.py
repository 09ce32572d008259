"""Decoding of QR codes and barcodes in a picture. Runs in the sandbox's child."""

from typing import Any

MAX_CODES = 50
MAX_CHARS = 4000
MIN_CHARS = 4
# Formats with error correction, or a check that all of their codes have.
CHECKED = (
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
# Formats without a check, or with a weak one, that a pattern of lines may look like: reported if another size of the
# picture gives the same text, and from a length on that lines hardly reach by chance.
UNCHECKED = {"Code39": 4, "ITF": 6, "Codabar": 6, "DataBar": MIN_CHARS}  # smallest number of characters
SIZES = (1.25, 1.5, 0.75, 0.5)  # a true code is nearly always found again at the first
MAX_PIXELS = 32_000_000  # of an enlarged picture


def read_codes(picture: Any) -> list[dict[str, Any]]:
    """Return format, text and box (fractions of the picture) of every code in an RGB picture, from top to bottom."""
    import zxingcpp

    formats = zxingcpp.barcode_formats_from_str("|".join((*CHECKED, *UNCHECKED)))
    found = [code for code in zxingcpp.read_barcodes(picture, formats=formats) if len(code.text) >= MIN_CHARS]
    if unsure := {(code.format.name, code.text) for code in found if _unchecked(code)}:
        sure = confirmed(picture, unsure)
        found = [code for code in found if not _unchecked(code) or (code.format.name, code.text) in sure]
    codes = [{"format": code.format.name, "text": code.text[:MAX_CHARS], "box": _box(code, picture)} for code in found]
    return sorted(codes, key=lambda code: (code["box"][1], code["box"][0], code["text"]))[:MAX_CODES]


def _unchecked(code: Any) -> str:
    """Return the format without a check that a code is of, "" for the others: Code39Ext is a Code39."""
    return next((name for name in UNCHECKED if code.format.name.startswith(name)), "")


def confirmed(picture: Any, unsure: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return which formats and texts are long enough and found in the picture at another size too."""
    import zxingcpp

    formats = zxingcpp.barcode_formats_from_str("|".join(UNCHECKED))
    least = [(name, text) for name, text in unsure if len(text) >= _least(name)]
    waiting, sure = set(least), set()
    for size in SIZES:
        width, height = (max(1, round(side * size)) for side in picture.size)
        if waiting and width * height <= MAX_PIXELS:
            again = zxingcpp.read_barcodes(picture.resize((width, height)), formats=formats)
            sure |= waiting & {(code.format.name, code.text) for code in again}
            waiting -= sure
    return sure


def _least(name: str) -> int:
    return next(least for start, least in UNCHECKED.items() if name.startswith(start))


def _box(code: Any, picture: Any) -> list[float]:
    place = code.position
    corners = (place.top_left, place.top_right, place.bottom_right, place.bottom_left)
    xs = [min(max(corner.x / picture.width, 0), 1) for corner in corners]
    ys = [min(max(corner.y / picture.height, 0), 1) for corner in corners]
    return [round(value, 5) for value in (min(xs), min(ys), max(xs), max(ys))]
