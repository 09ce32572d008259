"""Whether two words are forms of one, or one is part of the other as a compound."""

from collections.abc import Iterable

from brain_retrieval.knowledge.memories.matching import similarity

_LEAST_STEM, _SHARE_OF_STEM = 5, 0.7  # letters that two forms of a word begin with, and their share of the longer one
_LEAST_BEGINNING = 3  # letters of a compound before a word that it ends with


def has_form(word: str, words: Iterable[str]) -> bool:
    """Return whether a word, in the form of content words, is one of some others in any form, or part of one."""
    return any(_is_near(word, other) for other in words)


def of_one_stem(word: str, other: str) -> bool:
    """Return whether two words are most likely forms of one: "allergic" and "allergy"."""
    same = next(
        (place for place, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    return same >= _LEAST_STEM and same >= _SHARE_OF_STEM * max(len(word), len(other))


def has_beginning(word: str, own: str, others: Iterable[str]) -> bool:
    """Return whether a memory has not only the end of a compound: the "Termin" of "Tierarzttermin" needs a vet.

    Args:
        word: of the question.
        own: of the memory, similar to it.
        others: what else the memory has, and the titles that it stands under.
    """
    if len(own) >= len(word) or not word.endswith(own):
        return True
    first = word.removesuffix(own)
    return len(first) < _LEAST_BEGINNING or any(len(one) >= len(first) and _is_near(first, one) for one in others)


def _is_near(word: str, other: str) -> bool:
    return bool(similarity(word, other)) or of_one_stem(word, other)
