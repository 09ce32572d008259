"""Which memories can have ended another one: an index by words and concepts, so that not every pair is compared."""

from collections.abc import Sequence

from brain_retrieval.knowledge.memories.facets import Facet

MOST_SHARING = 1000  # memories that share a word, the newest; a word of more says nothing about a common subject


class LaterOnes:
    """Memories by what `ending` requires both to share: a content word or a concept."""

    def __init__(self, facets: Sequence[Facet]) -> None:
        """Index the memories, which are in order of time."""
        self._sharing: dict[str, list[int]] = {}
        self._facets = facets
        for place, facet in enumerate(facets):
            for key in (*facet.words, *facet.concepts):
                self._sharing.setdefault(key, []).append(place)

    def of(self, facet: Facet) -> list[Facet]:
        """Return the memories that may have ended one, in order of time.

        What is asserted and affirmed is only ended by what states a change, a value or an attribute.
        """
        shared = [self._sharing[key][-MOST_SHARING:] for key in (*facet.words, *facet.concepts)]
        any_may = not facet.asserted or facet.negated
        found = (self._facets[place] for place in sorted(set().union(*shared)))
        return [other for other in found if any_may or other.can_change]
