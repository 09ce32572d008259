"""Whether a sentence says of its speaker what stays true for long, or asks to be remembered, in all languages.

Who one is, where one lives and works, family, health, likes, numbers and codes, and requests such as "from now on":
what people tell an assistant so that it knows. Found by the beginning of a clause, without a parse.
"""

import re
from functools import cache, lru_cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered

SUBJECT = "self_description"
BETWEEN = ("joins", "fillers")  # keys of the words in front
LONGEST = 400  # characters of a sentence that are looked at


@lru_cache(maxsize=1 << 12)
def describes_speaker(text: str) -> bool:
    """Return whether a sentence, without the name of its speaker in front, says such a thing.

    >>> describes_speaker("I'm allergic to peanuts."), describes_speaker("I like that idea.")
    (True, False)
    """
    return not text.rstrip().endswith("?") and _pattern().search(lowered(text[:LONGEST])) is not None


@cache
def _pattern() -> re.Pattern[str]:
    lexicon = SHARED.every_language(SUBJECT)
    front = rf"(?:\A|[.;:!,–—-]\s{{1,2}}|\b(?:{lexicon.pattern('joins')})\s{{1,2}})"
    kinds = [key for key in lexicon.keys if key not in BETWEEN]
    return re.compile(rf"{front}(?:(?:{lexicon.pattern('fillers')})\s{{1,2}})?(?:{lexicon.expression(*kinds)})")
