"""Cut positions: the strongest boundary before a limit, never inside a grapheme cluster. Sizes are in `sizing.py`."""

import unicodedata

from brain_retrieval.language.sentences import sentence_ends

_SEPARATORS = ("\n\n", "\n", None, " ")  # None: the end of a sentence
_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA = 9  # canonical combining class of the signs that tie two Indic consonants into one
MAX_FLAG_LETTERS = 1024  # two make a flag; in longer runs one may be split
MAX_CHARACTER = 16  # code points searched for the start of a grapheme cluster


def best_cut(text: str, start: int, limit: int) -> int:
    """Return where to cut a span that must end by `limit`: as late as possible, at the strongest boundary.

    Only the second half is searched, so that pieces are not tiny; a boundary of a weaker kind that leaves more is
    preferred to a stronger one in the first half. Without any, the cut is at `limit`, never inside a character.
    """
    middle = start + (limit - start) // 2
    for separator in _SEPARATORS:
        ends = sentence_ends(text, middle, limit) if separator is None else ()
        cut = max(ends, default=-1) if separator is None else text.rfind(separator, middle, limit)
        if cut > start:
            return cut + (len(separator) if separator else 0)
    return between_characters(text, start, limit)


def between_characters(text: str, start: int, cut: int) -> int:
    """Move a cut back, but not to `start`, so that it does not part a letter from its accents or an emoji's pieces."""
    for place in range(cut, max(start, cut - MAX_CHARACTER), -1):
        if not inside_character(text, place):
            return place
    return cut


def inside_character(text: str, place: int) -> bool:
    """Return whether a reader sees the code points before and after `place` as one character."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    if before == _ZERO_WIDTH_JOINER or unicodedata.combining(before) == _VIRAMA or _extends(after):
        return True
    return _is_flag_letter(after) and _flag_letters_before(text, place) % 2 == 1


def _extends(character: str) -> bool:
    return (
        character == _ZERO_WIDTH_JOINER
        or unicodedata.category(character)[0] == "M"
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags of regional flags
        or "\u1160" <= character <= "\u11ff"  # vowels and finals of a Hangul syllable
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, place: int) -> int:
    first = place
    while first > max(0, place - MAX_FLAG_LETTERS) and _is_flag_letter(text[first - 1]):
        first -= 1
    return place - first
