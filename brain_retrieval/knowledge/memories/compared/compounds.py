"""Words that are part of compounds of different things: the key of a car, and a car wash.

Such a word is no matter that two memories have in common, unless one of them names the thing of the other as well:

    The spare car key is with Ruth. / The car wash costs 12 now.      ─► "car" of other things
    The garage door code is 7715. / The garage code was changed.      ─► "code" is in both
"""

from functools import lru_cache

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.concepts import concepts_of


def in_other_compounds(a: Facet, b: Facet, common: frozenset[str]) -> frozenset[str]:
    """Return those of some common words that are part of compounds of other things in each of two memories."""
    old, new = a.compounds, b.compounds
    return frozenset(
        word
        for word in common & old.keys() & new.keys()
        if old[word].isdisjoint(b.words) and new[word].isdisjoint(a.words) and not _alike(old[word], new[word])
    )


def _alike(heads: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two heads say the same: "contract" and "agreement"."""
    return any(not _concepts(head).isdisjoint(_concepts(other)) for head in heads for other in others)


@lru_cache(maxsize=1 << 12)
def _concepts(word: str) -> frozenset[str]:
    return frozenset(concepts_of(word))
