"""Names that a text has only as those of someone's relatives: "Ben's mother" is about the mother, and not about Ben."""

import re
from functools import cache

from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, plain, word_expression

_CALLINGS, _POSSESSORS = SHARED.every_language("callings"), SHARED.every_language("possessors")


def only_of_relatives(text: str, names: frozenset[str], question: str) -> frozenset[str]:
    """Return those of some names that a text has only to say whose relative is meant, unless the question does so, too.

    >>> only_of_relatives("Ruth (Ben's mother) 9 November", frozenset({"ben"}), "When is Ben's birthday?")
    frozenset({'ben'})

    Args:
        text: of a memory.
        names: in the form of content words.
        question: as it is asked.
    """
    if not names or (of_relatives := _names_before(text) & names) <= _names_before(question):
        return frozenset()
    words = [word_form(plain(word)) for word in WORD.findall(lowered(text))]
    often = {name: sum(_is_name(word, name) for word in words) for name in of_relatives}
    return frozenset(name for name in of_relatives if often[name] <= 1) - _names_before(question)


def _is_name(word: str, name: str) -> bool:
    return word == name or word == f"{name}s"


def _names_before(text: str) -> frozenset[str]:
    """Return the names in a text that stand beside a word for a relative of theirs."""
    found = (match["before"] or match["behind"] for match in _beside_relative().finditer(text))
    words = [word_form(plain(lowered(name))) for name in found]
    return frozenset((*words, *(word.removesuffix("s") for word in words)))


@cache
def _beside_relative() -> re.Pattern[str]:
    callings = word_expression(_CALLINGS.listed("callings"), lowered)
    of = word_expression(_POSSESSORS.listed("of"), lowered)
    name = r"[A-ZÀ-ÖØ-Þ][\w-]{1,30}"
    before = rf"(?<!\w)(?P<before>{name}?)(?:['’]s|['’]|s)\s(?:[\w-]{{2,20}}\s)?(?i:{callings})(?!\w)"
    return re.compile(rf"{before}|(?<!\w)(?i:{callings})\s(?i:{of})\s?(?P<behind>{name})")
