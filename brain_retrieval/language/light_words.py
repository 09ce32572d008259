"""Words that two sentences may share without being about the same thing.

They are verbs that fit any subject, verbs of change, numbers, and words for when and how much; those of all known
languages together, as a memory says nothing about its language.
"""

from functools import cache

from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain

SUBJECT = "light_words"


@cache
def light_words() -> frozenset[str]:
    """Return the light words of every language in the form of content words."""
    words = SHARED.every_language(SUBJECT).listed("light")
    dates = SHARED.every_language("dates")
    counted = (word for key in ("numbers", "months", "weekdays") for word in dates.listed(key))
    return frozenset(word_form(plain(word.casefold())) for word in (*words, *counted))
