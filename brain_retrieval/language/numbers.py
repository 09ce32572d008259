"""Numbers in figures, with marks of thousands of several languages, and in thousands: "1,150", "1.150", "85k"."""

import re
from decimal import Decimal

_THOUSANDS = "k"
NUMBER = (
    rf"\d{{1,4}}(?:[.,]\d{{1,3}})?{_THOUSANDS}(?!\w)"
    r"|\d{1,3}(?:[.,' ]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,12}(?:[.,]\d{1,6})?(?!\d)"
)


def number_of_text(text: str) -> str:
    """Return a number without marks of thousands and with a decimal point.

    >>> number_of_text("1,150"), number_of_text("1.150"), number_of_text("12,50"), number_of_text("1.2k")
    ('1150', '1150', '12.5', '1200')
    """
    if text.endswith(_THOUSANDS):
        return f"{(Decimal(text[:-1].replace(',', '.')) * 1000).normalize():f}"
    digits = text.replace("'", "").replace(" ", "")
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3}){1,4}", digits):
        return re.sub(r"[.,]", "", digits)
    whole, mark, rest = digits.rpartition(max(digits, key=lambda char: digits.rfind(char) if char in ".," else -1))
    if mark not in (".", ","):
        return digits
    rest = rest.rstrip("0")
    return re.sub(r"[.,]", "", whole) + (f".{rest}" if rest else "")
