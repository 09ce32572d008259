"""Which line breaks of a short passage its writer meant: a few lines show little of how they are wrapped."""

import re
from collections.abc import Sequence
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.line_breaks import OPEN, goes_on_with, has_long_word
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered
from brain_retrieval.language.stop_words import function_words

_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[^\W\d_]{3}[.!?…]+[\"'”’)\]]*\s")
_ROOM = 0.75  # of the width: up to there a wrap would have put another word
_LEAST = 3  # breaks of which most are meant, so that the others are, too
_MOST_SHARE = 0.6
SHORT = 1000  # characters of a passage that someone has jotted down
_NARROWEST, _WIDEST = 60, 110  # characters at which mail programs, editors and people wrap lines


def jotted(runs: Sequence[Sequence[str]], ended: Sequence[Sequence[bool]]) -> list[frozenset[int]]:
    """Return for each run of lines of a passage the numbers of those that begin a block."""
    width = wrap_width([line for lines in runs for line in lines])
    return [jotted_breaks(lines, marks, width) for lines, marks in zip(runs, ended, strict=True)]


def wrap_width(lines: Sequence[str]) -> int:
    """Return the number of characters at which the lines of a short passage may have been wrapped, 0 if at none.

    Lines that are longer than any wrap are whole paragraphs of a writer who does not wrap.
    """
    widths = (len(line.strip()) for line in lines if not has_long_word(line))
    width = max((one for one in widths if one <= _WIDEST), default=0)
    return width if width >= _NARROWEST else 0


def jotted_breaks(lines: Sequence[str], ended: Sequence[bool], width: int) -> frozenset[int]:
    """Return the numbers of the lines that begin a block, as `line_breaks.meant_breaks` does in longer texts.

    In a note of a few lines few of them show how it is wrapped, if it is; so a break is meant wherever no wrap explains
    it: behind a line longer than any wrap, where the next word would have fitted, or where all lines are short; and if
    most breaks are such, at the others. Of a single wide line nothing shows that it was wrapped, if another break is
    meant. A line that ends with "the" or "and" goes on, and so does a single wide one before "of".

    Args:
        lines: without a blank line or a list marker between them.
        ended: whether each ends with a mark.
        width: of the passage, by `wrap_width`.
    """
    opened = [n for n in range(1, len(lines)) if not ended[n - 1] and not OPEN.search(lines[n - 1])]
    free = {n for n in opened if _is_free(lines[n - 1], lines[n], width)}
    if len(opened) >= _LEAST and len(free) >= _MOST_SHARE * len(opened):
        free = {n for n in opened if _begins(lines[n - 1], lines[n])}  # the widest line, too
    elif not free and _is_list(lines, opened):
        free = set(opened)
    elif free and sum(len(line.strip()) >= _NARROWEST for line in lines) == 1:
        free |= {n for n in opened if _begins(lines[n - 1], lines[n]) and not goes_on_with(lines[n])}
    return frozenset(free)


def _is_list(lines: Sequence[str], opened: Sequence[int]) -> bool:
    """Return whether lines about as long as each other are a list: no wrap has ended any, and no sentence ends inside.

    Wrapped lines leave out a word only if it does not fit, and of three or more lines some hold the end of a sentence.
    """
    width = max((len(line.strip()) for line in lines), default=0)
    shorter = [n for n in opened if len(lines[n - 1].strip()) < width]
    if len(opened) + 1 != len(lines) or len(shorter) < _LEAST - 1 or any(_SENTENCE_END.search(line) for line in lines):
        return False
    begin = all(_begins(lines[n - 1], lines[n]) and not _joins_on(lines[n]) for n in opened)
    return begin and all(_would_fit(lines[n - 1], lines[n], width) for n in shorter)


def _is_free(line: str, following: str, width: int) -> bool:
    """Return whether no wrap at a width has ended a line."""
    if len(line.strip()) > _WIDEST:
        return not has_long_word(line)
    return (not width or _fits(line, following, width)) and _begins(line, following)


def _begins(line: str, following: str) -> bool:
    """Return whether a line may begin a thought: it is not indented, and the one before does not end with "the"."""
    return not following[:1].isspace() and not _leads_on(line)


def _leads_on(line: str) -> bool:
    """Return whether a line ends with an article, a preposition or an "and", as far as the languages list them."""
    words = lowered(line).split()
    return bool(words) and words[-1] in _leading()


@cache
def _leading() -> frozenset[str]:
    articles = (LEXICONS.every_language(name).words("articles") for name in ("attributes", "stated_dates"))
    evidence = LEXICONS.every_language("sentence_evidence")
    prepositions = (evidence.words(f"{kind}_prepositions") for kind in ("place", "belonging"))
    return SHARED.every_language("self_description").words("joins").union(*articles, *prepositions)


@cache
def _joining() -> frozenset[str]:
    """Return the function words of all languages without those of a subject: articles and persons."""
    persons = LEXICONS.every_language("persons")
    subjects = (persons.words(key) for key in ("first", "first_plural", "he", "she", "it", "they"))
    words = frozenset[str]().union(*(function_words(code) for code in SHARED.languages("stop_words")))
    return words.difference(LEXICONS.every_language("attributes").words("articles"), *subjects)


def _fits(line: str, following: str, width: int) -> bool:
    return _would_fit(line, following, _ROOM * width)


def _would_fit(line: str, following: str, width: float) -> bool:
    word = _WORD.search(following)
    return word is not None and len(line.strip()) + 1 + len(word.group()) <= width


def _joins_on(line: str) -> bool:
    """Return whether a line begins with a function word that is no part of a subject: "of", "and", "is"."""
    words = line.split(None, 1)
    return bool(words) and words[0].islower() and words[0] in _joining()
