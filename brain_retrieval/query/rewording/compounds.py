"""Compounds of a question that no memory has, in their parts: "Autoversicherung" is "auto versicherung".

Only languages that write compounds as one word have joints in their list (`compounds.toml`).
"""

from collections.abc import Callable, Collection, Iterator
from functools import cache

from brain_retrieval.language.content_words import WORD
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered

SUBJECT = "compounds"
LEAST_PART = 4  # letters of a part


def parts_of_compounds(
    text: str, taken: Collection[tuple[int, int]], language: str, rows: Callable[[str], int]
) -> Iterator[tuple[int, int, str]]:
    """Yield where a text has such a compound, first character and the one after the last, and its parts.

    Args:
        text: the question.
        taken: where words stand that are to stay.
        language: of the text.
        rows: how many memories have a word.
    """
    if not _joints(language):
        return
    for match in WORD.finditer(text):
        word = lowered(match.group())
        if len(word) < 2 * LEAST_PART or any(start < match.end() and match.start() < end for start, end in taken):
            continue
        if not rows(word) and (parts := _parts(word, language, rows)):
            yield match.start(), match.end(), " ".join(parts)


def _parts(word: str, language: str, rows: Callable[[str], int]) -> tuple[str, str] | None:
    """Return the two parts of a word of which most memories have the rarer one; None if it has no such parts."""
    found = [
        (min(rows(first), rows(word[place:])), first, word[place:])
        for place in range(LEAST_PART, len(word) - LEAST_PART + 1)
        for joint in ("", *_joints(language))
        if len(first := word[:place].removesuffix(joint)) >= LEAST_PART and word[:place].endswith(joint)
    ]
    least, *parts = max(found, key=lambda one: (one[0], -len(one[1])), default=(0, "", ""))
    return (parts[0], parts[1]) if least else None


@cache
def _joints(language: str) -> tuple[str, ...]:
    return SHARED.read(SUBJECT, language).listed("joints") if SHARED.has(SUBJECT, language) else ()
