"""Whether a text is made of names, numbers and keys, like a table, a form, a ticket, and not of sentences."""

from functools import cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.stop_words import STOP_WORDS

READ = 600  # characters that are looked at
FEWEST = 8  # words; a heading is neither
MOST = 0.15  # share of function words in a table, where it is about 0.05; in talk it is about 0.45


def is_tabular(text: str) -> bool:
    """Return whether few of the words at the beginning of `text` are function words of any language."""
    words = text[:READ].lower().split()
    return len(words) >= FEWEST and sum(map(_function_words().__contains__, words)) < MOST * len(words)


@cache
def _function_words() -> frozenset[str]:
    return SHARED.every_language(STOP_WORDS).words("function")
