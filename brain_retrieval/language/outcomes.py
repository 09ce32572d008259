"""Whether a sentence tells how something came out or stands: "the kitchen is finished", "one part is missing".

The words are `outcomes.toml` of the lexicons, of all languages together, since a memory may be of any of them.
"""

import re
from functools import cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_pattern

SUBJECT = "outcomes"
REACHED, OPEN = 1.0, 0.5  # how much a sentence says of the state of something


def outcome(text: str, language: str | None = None) -> float:
    """Return how much a sentence says of how something stands, from 0 to 1.

    Args:
        text: the sentence.
        language: of it; of which words are looked for, all languages if there are none of it or it is not known.

    >>> [outcome(one, "en") for one in ("The kitchen is finished.", "The hood is still missing.", "It has a hood.")]
    [1.0, 0.5, 0.0]
    """
    code = language if language and SHARED.has(SUBJECT, language) else None
    low = plain(text)
    if _pattern("reached", code).search(low):
        return REACHED
    return OPEN if _pattern("open", code).search(low) else 0.0


@cache
def _pattern(key: str, language: str | None) -> re.Pattern[str]:
    lexicon = SHARED.every_language(SUBJECT) if language is None else SHARED.read(SUBJECT, language)
    return word_pattern(plain(word) for word in lexicon.listed(key))
