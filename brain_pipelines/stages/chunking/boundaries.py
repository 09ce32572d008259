"""Where a text may be cut: paragraphs, sentences, and the best place near a limit. Sizes are not known here."""

import re
import unicodedata

from brain_pipelines.stages.chunking.ruler import Span

PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
# A full stop, with closing quotes or brackets, before white space; or a CJK full stop before anything.
_SENTENCE_END = re.compile(r"""[.!?…]+["'”’»)\]]*(?=\s)|[。！？]+[」』”’)）]*""")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs etc e.g i.e cf fig no nos vol pp p ch dept est inc ltd co corp approx jan feb mar "
    "apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun u.s u.k a.m p.m".split()
)
_WORD_BEFORE = re.compile(r"[\w.]+$")
_SEPARATORS = ("\n\n", "\n", None, " ")  # None: the end of a sentence
_JOINERS = {"\u200d", "\ufe0f", "\ufe0e", "\u20e3"}
MAX_ABBREVIATION = 12


def trim(text: str, start: int, end: int) -> Span:
    """Return the span without the white space at its ends; an empty span if there is nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def paragraphs(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the spans between blank lines, trimmed, without empty ones."""
    end = len(text) if end is None else end
    cuts = [(m.start(), m.end()) for m in PARAGRAPH_BREAK.finditer(text, start, end)]
    edges = [start, *(edge for cut in cuts for edge in cut), end]
    spans = (trim(text, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True))
    return [(a, b) for a, b in spans if a < b]


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the sentences of a span, trimmed, without empty ones; a blank line ends one too."""
    return [span for a, b in paragraphs(text, start, end) for span in _sentences_of_paragraph(text, a, b)]


def _sentences_of_paragraph(text: str, start: int, end: int) -> list[Span]:
    found, begin = [], start
    for match in _SENTENCE_END.finditer(text, start, end):
        if match.end() < end and _ends_sentence(text, match.start(), match.end(), begin):
            found.append(trim(text, begin, match.end()))
            begin = match.end()
    found.append(trim(text, begin, end))
    return [(a, b) for a, b in found if a < b]


def _ends_sentence(text: str, stop: int, after: int, begin: int) -> bool:
    if text[stop] != ".":
        return True
    following = text[after : after + 40].lstrip()[:1]
    if following.islower():
        return False
    word = _WORD_BEFORE.search(text, max(begin, stop - MAX_ABBREVIATION), stop)
    if word is None:
        return True
    before = word.group().lower()
    return before not in _ABBREVIATIONS and not (len(before) == 1 and before.isalpha())


def best_cut(text: str, start: int, limit: int) -> int:
    """Return where to cut a span that must end by `limit`: as late as may be, at the strongest boundary.

    Only the second half is searched, so that pieces are not tiny; a boundary of a weaker kind that leaves more is
    preferred to a stronger one in the first half. Without any, the cut is at `limit`, never inside a character.
    """
    middle = start + (limit - start) // 2
    for separator in _SEPARATORS:
        cut = _last_sentence_end(text, middle, limit) if separator is None else text.rfind(separator, middle, limit)
        if cut > start:
            return cut + (len(separator) if separator else 0)
    return _between_characters(text, start, limit)


def _last_sentence_end(text: str, start: int, limit: int) -> int:
    last = -1
    for match in _SENTENCE_END.finditer(text, start, limit):
        if match.end() < limit and _ends_sentence(text, match.start(), match.end(), start):
            last = match.end()
    return last


def _between_characters(text: str, start: int, cut: int) -> int:
    """Move a cut back so that it does not part a letter from its accents or an emoji from its modifiers."""
    for back in range(min(16, cut - start)):
        place = cut - back
        if place <= start or place >= len(text):
            break
        joined = text[place] in _JOINERS or text[place - 1] == "\u200d" or unicodedata.combining(text[place])
        if not joined:
            return place
    return cut
