"""Whether a text may be parsed as English. The parser knows no other language and would invent names."""

import re

SAMPLE_CHARS = 4000
MIN_LATIN = 0.7  # of the letters, for a text whose language was too short to tell

_LETTERS = re.compile(r"[^\W\d_]")


def is_english(language: str | None, text: str) -> bool:
    """Return whether `language` (ISO 639-1, None where it could not be told) and the letters speak for English."""
    if language is not None:
        return language.lower().split("-")[0] == "en"
    letters = _LETTERS.findall(text[:SAMPLE_CHARS])
    return bool(letters) and sum(c.isascii() for c in letters) / len(letters) >= MIN_LATIN
