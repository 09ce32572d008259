"""Text folding: normalisation of spellings before words and names are compared. All comparisons use this module."""

import unicodedata
from functools import lru_cache

# Typographic variants of apostrophes, quotation marks and dashes.
PLAIN_MARKS = str.maketrans("’‘‚‛ʼ＇“”„‟«»–—‑−", "''''''\"\"\"\"\"\"----")
_APOSTROPHES = str.maketrans("’‘ʼ`´＇", "''''''")
# Letters that Unicode does not decompose into a base letter and an accent.
_LETTERS = {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d"}
_SPELLED_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}


def fold(text: str) -> str:
    """Return `text` for comparison: NFKC, case-folded, plain apostrophes, single spaces.

    >>> fold("  O’Neill  GmbH ")
    "o'neill gmbh"
    """
    if text.isascii():
        return " ".join(text.replace("`", "'").casefold().split())
    return " ".join(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).casefold().split())


@lru_cache(maxsize=1 << 18)
def without_accents(folded: str) -> str:
    """Return Latin letters without accents; other scripts, where marks make other letters, stay as they are."""
    return folded if folded.isascii() else "".join(_plain_letter(char) for char in folded)


def plain_forms(folded: str) -> frozenset[str]:
    """Return the forms without accents: "muller" and "mueller" of "müller"."""
    spelled = "".join(_SPELLED_OUT.get(char, char) for char in folded)
    return frozenset((without_accents(folded), without_accents(spelled)))


def fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return the folded text and, for each of its characters, the offset in the original text."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text.translate(PLAIN_MARKS)):
        if letter.isspace():
            if letters and letters[-1] == " ":
                continue
            letter = " "
        for plain in letter.casefold():
            letters.append(plain)
            places.append(place)
    return "".join(letters), places


def _plain_letter(char: str) -> str:
    if char in _LETTERS:
        return _LETTERS[char]
    base = unicodedata.normalize("NFD", char)[:1]
    return base if base.isascii() else char
