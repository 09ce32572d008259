"""Where a text may be cut: paragraphs, sentences, and the best place near a limit. Sizes are not known here."""

import re
import unicodedata

from brain_pipelines.stages.chunking.ruler import Span

PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*")
# A full stop, with closing quotes or brackets, before white space; or a CJK full stop before anything. A run is
# tried from its first stop only and never given back, or a megabyte of dots would take hours.
_STOPS = ".!?…؟۔।"
_SENTENCE_END = re.compile(rf"""(?<![{_STOPS}])[{_STOPS}]++["'”’»)\]]*+(?=\s)|[。！？]++[」』”’)）]*+""")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs etc e.g i.e cf fig no nos vol pp p ch dept est inc ltd co corp approx jan feb mar "
    "apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun u.s u.k a.m p.m".split()
)
_WORD_BEFORE = re.compile(r"[\w.]{1,20}$")  # no longer than what is looked at
_SEPARATORS = ("\n\n", "\n", None, " ")  # None: the end of a sentence
_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA = 9  # canonical combining class of the signs that tie two Indic consonants into one
MAX_FLAG_LETTERS = 1024  # two make a flag; who writes more in a row may see one parted
MAX_CHARACTER = 16  # code points that are searched for the beginning of a character
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
    return between_characters(text, start, limit)


def _last_sentence_end(text: str, start: int, limit: int) -> int:
    last = -1
    for match in _SENTENCE_END.finditer(text, start, limit):
        if match.end() < limit and _ends_sentence(text, match.start(), match.end(), start):
            last = match.end()
    return last


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
