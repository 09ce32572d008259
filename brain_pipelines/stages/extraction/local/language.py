"""Language check before parsing: the parser is trained on English and finds false names in other languages."""

import re

SAMPLE_CHARS = 4000
MIN_LATIN = 0.7  # share of ASCII letters, for a text too short for language identification

_LETTERS = re.compile(r"[^\W\d_]")


def is_english(language: str | None, text: str) -> bool:
    """Return whether `language` (ISO 639-1) is English; if it is None, whether most letters are ASCII."""
    if language is not None:
        return language.lower().split("-")[0] == "en"
    letters = _LETTERS.findall(text[:SAMPLE_CHARS])
    return bool(letters) and sum(c.isascii() for c in letters) / len(letters) >= MIN_LATIN
