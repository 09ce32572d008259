"""Whether two memories have a matter in common, so that a change which one tells can concern the other."""

from brain_retrieval.knowledge.memories.attitudes import words_of
from brain_retrieval.knowledge.memories.concept_groups import GONE, VAGUE
from brain_retrieval.knowledge.memories.facets import Facet


def evident(a: Facet, b: Facet, shared: frozenset[str], topic: frozenset[str], *, same: bool) -> bool:
    """Return whether a change can concern `a`: one name in both ("in Lisbon") is no matter in common.

    Nor is a person in both with a home, a day or a price, unless both are about that person.
    """
    concepts = (a.concepts & b.concepts) - VAGUE
    if not same:
        own = shared - names_of_people(a, b)
        concepts = concepts if own & topic or own - words_saying(concepts) else frozenset[str]()
    if same or concepts or GONE in b.concepts:
        return True
    if a.row["kind"] == "event":
        return len(shared - a.names) > 1
    return bool(shared - (a.names & b.names) or shared & topic)


def words_saying(concepts: frozenset[str]) -> frozenset[str]:
    """Return the words that say one of some concepts themselves."""
    return frozenset[str]().union(*map(words_of, concepts))


def names_of_people(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of the names of the people of two memories, and of who says them."""
    return frozenset[str]().union(a.voice, b.voice, *a.people, *b.people)
