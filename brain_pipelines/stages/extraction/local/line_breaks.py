"""Which line breaks of a paragraph its writer meant: lines of a note without marks between them, each a thought."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\S+")
_OPEN = re.compile(r"[,;(\[{\"“„«&/+–—-]\s*$")  # a line that goes on
_LONG_WORD = 30  # characters: the address of a page makes a line wider than its paragraph was wrapped
_ROOM = 0.75  # of the widest line: up to there a wrap would have put another word
_LEAST = 3  # lines: of two the first is the widest if it was wrapped
_MOST = 15  # lines: a text without blank lines is a document
_SHARE, _MOST_SHARE = 0.5, 0.6  # of the breaks without an end mark that leave such room, in a paragraph of meant lines


def meant_breaks(lines: Sequence[str], ended: Sequence[bool]) -> frozenset[int]:
    """Return the numbers of the lines that begin a block, in a run without a blank line or a list marker.

    A line is wrapped where the next word no longer fits. Where it would have fitted, and the next line begins with a
    large letter, its writer ended it. If at least half of the breaks leave such room, the others before a
    large letter are meant, too; if most do, also those before a small letter or a number.

    Args:
        lines: the lines.
        ended: whether each ends with a mark; whether what follows begins a new one is then no question.
    """
    if not _LEAST <= len(lines) <= _MOST:
        return frozenset()
    widths = sorted(len(line.strip()) for line in lines if not _has_long_word(line))
    if not widths:
        return frozenset()
    width = widths[-2 if len(lines) > _LEAST and len(widths) > 1 else -1]  # one line may just be longer than the others
    opened = [n for n in range(1, len(lines)) if not ended[n - 1] and not _OPEN.search(lines[n - 1])]
    roomy = {n for n in opened if _fits(lines[n - 1], lines[n], width)}
    meant = {n for n in roomy if _first(lines[n]).isupper()}
    if not meant or len(roomy) < _SHARE * len(opened):
        return frozenset()
    if len(roomy) < _MOST_SHARE * len(opened):
        roomy = set()
    return frozenset(n for n in opened if n in roomy or _first(lines[n]).isupper())


def _fits(line: str, following: str, width: int) -> bool:
    word = _WORD.search(following)
    return word is not None and len(line.strip()) + 1 + len(word.group()) <= _ROOM * width


def _first(line: str) -> str:
    return line.lstrip()[:1]


def _has_long_word(line: str) -> bool:
    return any(len(word) > _LONG_WORD for word in line.split())
