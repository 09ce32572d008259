"""How much of a question and of each other two memories share: compounds, things they are about, words asked for."""

from collections.abc import Sequence
from itertools import pairwise

from brain_retrieval.knowledge.memories.amounts import words_of_sums
from brain_retrieval.knowledge.memories.asked.answer import LONGEST_PARTICLE, Answer, kinds_asked
from brain_retrieval.knowledge.memories.compared.bearers import of_other_bearers
from brain_retrieval.knowledge.memories.compared.in_time import occasion
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.language.plain import lowered

_LEAST_MORE = 3  # letters of a compound beside a part of it: "codename", and "rehearsal" is none of "rehearse"


def kinds_of(about: str, answers: Sequence[Answer]) -> frozenset[str]:
    """Return the kinds of what a question asks for, without that of a word that only begins a compound: "date picker".

    It does if a memory has both words in a row and says nothing of the kind.
    """
    asked = kinds_asked(about)
    words = lowered(about).split()
    for first, second in pairwise(words) if asked else ():
        begun = kinds_asked(first) & asked
        if len(second) > LONGEST_PARTICLE and begun and not kinds_asked(second):
            pair = f"{first} {second}"
            named = [one for one in answers if pair in lowered(one.facet.row["text"])]
            apart = frozenset(kind for kind in begun if any(kind not in one.fillers for one in named))
            asked -= apart - kinds_asked(" ".join(words).replace(pair, ""))
    return asked


def only_in_compounds(word: str, facet: Facet, known: frozenset[str]) -> bool:
    """Return whether a memory has a word of a question only as the first part of a compound with an unknown head."""
    heads = facet.compounds.get(word, frozenset())
    if word in facet.words:
        return bool(heads) and heads.isdisjoint(known)
    longer = [own for own in facet.words - known if similarity(word, own)]
    return bool(longer) and all(own.startswith(word) and len(own) >= len(word) + _LEAST_MORE for own in longer)


def of_other_things(a: Facet, b: Facet) -> bool:
    """Return whether all that both speak of is of another thing in each: the code of a door, and of an alarm."""
    common = (a.telling & b.telling) - a.voice - b.voice - (a.measured | b.measured)
    return bool(common) and common <= of_other_bearers(a, b, common)


def begins_otherwise(a: Answer, b: Answer) -> bool:
    """Return whether `b` tells no change, has no word of the question, and is about another thing than `a`.

    "The pharmacy opens at 8" says nothing of the bakery that is asked for, though it opens as well.
    """
    old, new = a.facet.telling_heads, b.facet.telling_heads
    if b.match or b.facet.cue != "none" or old.isdisjoint(a.topic):
        return False
    return bool(new) and new.isdisjoint(a.facet.words) and not b.facet.is_about_oneself


def matches_less(a: Answer, b: Answer) -> bool:
    """Return whether `b` matches only what the question stands for, less than `a`, and has no other word of it.

    "We slept there for 92 euros" has an amount, as "we pay 1,260 euros" has, and says nothing of the rent; "Abschlag
    steigt auf 81" has a word of "Abschlag Strom". Words that stand with any amount are none in common, nor are numbers
    and the "de" of a name.
    """
    if b.has_word or b.score >= a.score or occasion(a.facet) == occasion(b.facet):
        return False
    if b.facet.cue != "none" and a.match.keys() & a.facet.names and a.match.keys() <= b.match.keys():
        return False  # "Is Ivy still a vegetarian?" "She has been eating fish again": about the same person
    common = a.own & b.own
    telling = any(len(word) > LONGEST_PARTICLE and word.isalpha() for word in common - words_of_sums())
    return not telling and (bool(common) or bool(b.match))
