"""Whether two memories state an attitude to the same thing: "I like the blue chair", "I no longer like it"."""

from functools import cache

from brain_retrieval.knowledge.memories.facets import ATTITUDE, Facet
from brain_retrieval.language.concepts import MARK
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain


def other_attitude(a: Facet, b: Facet, shared: frozenset[str]) -> bool:
    """Return whether both state an attitude to the same thing: one they name, or several words in common."""
    if not (a.asserted and b.asserted and ATTITUDE in a.concepts & b.concepts and a.slot is None):
        return False
    objects = shared - words_of(ATTITUDE)
    if len(objects) > 1 or bool(objects & a.names & b.names):
        return True
    own, other = a.claim.words - words_of(ATTITUDE), b.claim.words - words_of(ATTITUDE)
    return bool(objects and own) and own == other  # "I hate mushrooms", "I like mushrooms"


@cache
def words_of(concept: str) -> frozenset[str]:
    """Return the words that say a concept themselves, as "like" does: what is liked is another one."""
    listed = SHARED.every_language("concepts").listed(concept.removeprefix(MARK))
    return frozenset(word_form(plain(word)) for entry in listed for word in entry.rstrip("*").split())
