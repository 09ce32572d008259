"""How well memories answer a question, beside each other."""

from collections.abc import Mapping, Set
from typing import NamedTuple

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.compared.world_pages import is_of_page
from brain_retrieval.knowledge.memories.facets import Facet

AS_GOOD = 0.2  # less of a question than the best answer has that another one may have to stand before it if it is newer
ROUNDING = 1e-6


class Rating(NamedTuple):
    """How well a memory answers: how much of the question it has, and that with all that speaks for it.

    `full` says that it names a person or place if one is asked for; `behind`, that it was read on a page of the world,
    and what is the owner's own answers about as well.
    """

    covered: float
    whole: float
    full: bool = True
    behind: bool = False


def own_first(rated: Mapping[str, Rating], facets: Mapping[str, Facet], others: Set[str]) -> dict[str, Rating]:
    """Return the ratings, of what is of `others` or of pages of the world `behind` what is about as good an answer."""
    read = {key for key in rated if is_of_page(facets[key].row)} | others
    own = max((one.covered for key, one in rated.items() if key not in read), default=0.0)
    near = own + AS_GOOD + ROUNDING
    return {key: one._replace(behind=key in read and one.covered <= near) for key, one in rated.items()}


def with_changes(rated: Mapping[str, Rating], known: Mapping[str, MemoryCard], changes: Set[str]) -> dict[str, Rating]:
    """Return the ratings, of a change that came after the best answer as good as of that one."""
    if not changes or changes >= rated.keys():
        return dict(rated)
    first = max(rated.keys() - changes, key=lambda key: (rated[key].whole, key))
    best, since = rated[first], known[first].said_at
    later = {key for key in changes if known[key].said_at > since and rated[key].whole < best.whole}
    return {key: best if key in later else one for key, one in rated.items()}
