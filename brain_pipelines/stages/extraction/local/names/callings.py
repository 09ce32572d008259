"""Names behind a word for who someone is ("ma cheffe, Mme Delmas"), and relatives called by such a word ("Maman")."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from brain_pipelines.stages.extraction.local.names.mention import LISTED
from brain_pipelines.stages.extraction.memories.enumerations import PlainName
from brain_pipelines.stages.extraction.memories.writing import words_around
from brain_retrieval.language.lexicon import SHARED, code_of

_SUBJECT = "callings"
LONGEST = 48  # characters before a name that say who it is
LOOKED_BACK = 50  # characters
_WORD_BEFORE = re.compile(r"([^\W\d_]{1,40})['’ ]\s?$")


@cache
def callings(language: str | None) -> frozenset[str]:
    """Return the words of a language for who someone is, in small letters; none for a language without a list."""
    return SHARED.read(_SUBJECT, language).words(_SUBJECT) if _is_known(language) else frozenset()


def _is_known(language: str | None) -> bool:
    return SHARED.has(_SUBJECT, language) and code_of(language) == language


@cache
def _before(language: str) -> re.Pattern[str]:
    lexicon = SHARED.read(_SUBJECT, language)
    said, led = lexicon.pattern("said"), lexicon.pattern("led")
    words = lexicon.pattern("callings")
    return re.compile(rf"(?<![\w-])(?:{words})(?:,? | (?:{said}) |: )(?:(?:{led})\.? )?$")


def is_called(text: str, start: int, language: str | None) -> bool:
    """Return whether the words before a position say who the one named there is: "Mein Chef heißt "."""
    if not callings(language):
        return False
    return _before(code_of(language)).search(text[max(0, start - LONGEST) : start].lower()) is not None


def relatives_called(text: str, language: str | None, taken: Sequence[tuple[int, int]]) -> Iterator[PlainName]:
    """Yield the relatives that a text calls by what they are, without a name or an article: "Maman a dit".

    Args:
        text: of a block.
        language: without a list of such words nothing is yielded.
        taken: the spans of names, in which nothing is called so: "Oma Zenzi".
    """
    if not _is_known(language):
        return
    articles = words_around("determiners", language) - SHARED.read(_SUBJECT, code_of(language)).words("of")
    for match in _relatives(code_of(language)).finditer(text):
        start, end = match.span()
        word = match.group()
        if any(start < last and first < end + 2 for first, last in taken):
            continue
        before = _WORD_BEFORE.search(text, max(0, start - LOOKED_BACK), start)
        if before is None or before[1].lower() not in articles:
            yield PlainName(start, end, word[0].upper() + word[1:], "Person", LISTED)


@cache
def _relatives(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{SHARED.read(_SUBJECT, language).pattern('relatives')})(?![\w-])", re.IGNORECASE)
