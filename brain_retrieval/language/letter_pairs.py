"""Words of scripts that write none apart (Chinese, Japanese) or write endings onto them (Korean), as pairs of letters.

A word index splits at blanks and marks, so that of these scripts a whole clause would be one word, found only by the
same clause. Overlapping pairs of letters find any part of it, in both the text and the question.
"""

import re

# Chinese signs with their repetition marks, the two Japanese syllabaries without the middle dot, and Korean syllables.
_LETTERS = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_LETTERS}]+")
_LOOKED_AT = 200  # characters at the beginning of a text


def with_letter_pairs(text: str) -> str:
    """Return the text with each run of such letters as overlapping pairs between blanks; other text is unchanged.

    >>> with_letter_pairs("目的地は京都 (Kyoto)")
    ' 目的 的地 地は は京 京都  (Kyoto)'
    """
    return _RUN.sub(_pairs, text)


def is_in_letter_pairs(text: str) -> bool:
    """Return whether at least half of the letters at the beginning of a text are such letters."""
    letters = [letter for letter in text[:_LOOKED_AT] if letter.isalpha()]
    return 2 * sum(map(len, _RUN.findall("".join(letters)))) >= max(1, len(letters))


def _pairs(run: re.Match[str]) -> str:
    letters = run.group()
    pairs = [letters[place : place + 2] for place in range(len(letters) - 1)] or [letters]
    return f" {' '.join(pairs)} "
