"""Whether two memories state other weekdays for one thing: "bins on Monday", and "the bins come on Thursdays now"."""

import re
from functools import cache, lru_cache

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain


def on_other_weekdays(a: Facet, b: Facet, shared: frozenset[str], *, same: bool) -> bool:
    """Return whether `b` states with a cue of change other weekdays than `a` for the same thing.

    `shared` are words that both have besides their subject, `same` is whether both are about the same thing.
    """
    if b.cue == "none" or b.negated or not (same or shared - a.names - b.names):
        return False
    before, after = weekdays_of(a.row["text"]), weekdays_of(b.row["text"])
    return bool(before and after) and before.isdisjoint(after)


@lru_cache(maxsize=1 << 14)
def weekdays_of(text: str) -> frozenset[int]:
    """Return the weekdays that a text names, from 0."""
    return frozenset(_numbers()[match["day"]] for match in _pattern().finditer(plain(text)))


@cache
def _pattern() -> re.Pattern[str]:
    """Return a pattern for the weekdays of all languages and what ends with one: "montags", "Mittwochabend"."""
    days = "|".join(sorted(map(re.escape, _numbers()), key=lambda day: (-len(day), day)))
    return re.compile(rf"(?<!\w)(?P<day>{days})\w{{0,6}}")


@cache
def _numbers() -> dict[str, int]:
    named = (SHARED.read("dates", language).listed("weekdays") for language in SHARED.languages("dates"))
    return {plain(word): number for words in named for number, word in enumerate(words)}
