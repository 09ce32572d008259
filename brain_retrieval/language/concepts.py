"""Concepts of a text: what it is about beyond its own words, such as a home, a job or a price.

The words are in `lexicons/<language>/concepts.toml`. A concept is written with a colon (":residence"), so that it can
stand among the content words of a memory without being taken for one.
"""

from functools import cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import lowered
from brain_retrieval.language.word_search import WordSearch

SUBJECT = "concepts"
MARK = ":"
TITLED = ":title:"  # before a word of the title of a source, which its sentences need not repeat
NEW = ":new:"  # before a word that a text calls new


def concepts_of(text: str, language: str | None = None) -> tuple[str, ...]:
    """Return the concepts that `text` has a word of, in `language`, or in any language if that is None.

    >>> concepts_of("Helga moved to Bodø", "en")
    (':residence',)
    """
    found = _searched(language).keys_in(lowered(text))
    return tuple(MARK + key for key in SHARED.read(SUBJECT).keys if key in found)


@cache
def _searched(language: str | None) -> WordSearch:
    if language is None:
        lexicon = SHARED.every_language(SUBJECT)
    else:
        lexicon = SHARED.read(SUBJECT, language if SHARED.has(SUBJECT, language) else ENGLISH)
    return WordSearch({key: lexicon.listed(key) for key in SHARED.read(SUBJECT).keys})
