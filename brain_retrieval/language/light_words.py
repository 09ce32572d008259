"""Words that two sentences may share without being about the same thing.

They are verbs that fit any subject, verbs of change, numbers, and words for when and how much; those of all known
languages together, as a memory says nothing about its language.
"""

import re
from functools import cache

from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain, word_pattern

SUBJECT = "light_words"


@cache
def light_words() -> frozenset[str]:
    """Return the light words of every language in the form of content words."""
    words = SHARED.every_language(SUBJECT).listed("light")
    dates = SHARED.every_language("dates")
    counted = (word for key in ("numbers", "months", "weekdays") for word in dates.listed(key))
    return frozenset(word_form(plain(word.casefold())) for word in (*words, *counted))


def points_back(low: str, language: str | None) -> bool:
    """Return whether a lowered text has a word for what the sentence before names: "it", "there"."""
    return _pointing(language if language and SHARED.has(SUBJECT, language) else ENGLISH).search(low) is not None


@cache
def _pointing(language: str) -> re.Pattern[str]:
    return word_pattern(SHARED.read(SUBJECT, language).listed("pointing"))
