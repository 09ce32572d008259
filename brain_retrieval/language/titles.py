"""Titles that a text may name: what they are without a qualifier, and in which forms a text writes them.

Pages of one name differ in a qualifier in brackets ("Ashby (village)"), which texts leave out. No list of
titles is read here: the forms of a text are looked up where the titles are.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.names import capital_letters
from brain_retrieval.language.stop_words import question_words

QUALIFIER = " ("  # begins a qualifier
MOST = 400  # forms of one text
JOINED = 3  # parts of a run, between commas or small words, that one title may have
DROPPED = 2  # first words that a text may set before a title: "President", "Lieutenant General"


def unqualified(title: str) -> str:
    """Return a title without a qualifier in brackets.

    >>> unqualified("Ashby (village)")
    'Ashby'
    """
    return title.partition(QUALIFIER)[0]


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a run of capitalised words, initials among them, and what stands between its parts."""
    inside = SHARED.read("names").pattern("inside")
    capitals = capital_letters()
    word = rf"(?:[{capitals}][\w'’&.-]*\w|[{capitals}]\.?(?!\w)|\d+[A-Z]\w*)"
    joint = rf"(?: (?:(?:{inside}|&) ){{1,2}}|, )"
    return re.compile(rf"(?<![\w'’]){word}(?:(?: |{joint}){word})*"), re.compile(joint)


@lru_cache(maxsize=4_000)
def title_forms(text: str) -> tuple[str, ...]:
    """Return the distinct forms of titles that `text` may name, as written, in their order; at most 400.

    A run of capitalised words is a form, and so are its parts at commas and small words, as a list of names looks like
    one name, and either without a word or two before it.

    >>> title_forms("by R. J. Ashby and Lady Ada Wren")[-4:]
    ('J. Ashby and Lady Ada Wren', 'Ashby and Lady Ada Wren', 'Lady Ada Wren', 'Ada Wren')
    """
    run, joint = _patterns()
    found: dict[str, None] = {}
    for match in run.finditer(text):
        whole = match.group()
        between = [place.span() for place in joint.finditer(whole)]
        starts, ends = [0, *(end for _, end in between)], [*(start for start, _ in between), len(whole)]
        for number, start in enumerate(starts):
            for end in ends[number : number + JOINED]:
                found.update(dict.fromkeys(_shortened(whole[start:end])))
        if len(found) >= MOST:
            break
    return tuple(found)[:MOST]


def _shortened(part: str) -> Iterator[str]:
    """Yield a part of a run and what is left of it without its first words.

    What is left is two words at least, or one after a word that begins questions; such a word alone is no title.
    """
    stop, form, least = question_words(), part.rstrip(".'’-"), 1
    for _ in range(DROPPED + 1):
        words = form.count(" ") + 1
        if len(form) > 1 and words >= least and not form[0].islower() and (words > 1 or fold(form) not in stop):
            yield form
        first, _, form = form.partition(" ")
        least = 1 if fold(first) in stop else 2
