"""The feature groups in their order, and the matrix of all features of a question's candidates.

To add a feature, write a function that takes a `Pool` and returns named arrays, and list it here; then train the ranker
again (docs/retrieval.md), or give the feature a weight in the formula.
"""

from collections.abc import Mapping

import numpy as np

from brain_retrieval.query.features.beside import beside
from brain_retrieval.query.features.dates import dates
from brain_retrieval.query.features.form import form
from brain_retrieval.query.features.memories import memories
from brain_retrieval.query.features.names import names
from brain_retrieval.query.features.people import people
from brain_retrieval.query.features.pool import Group, Pool
from brain_retrieval.query.features.scores import scores
from brain_retrieval.query.features.words import words

GROUPS: Mapping[str, Group] = {
    "scores": scores,
    "beside": beside,
    "words": words,
    "people": people,
    "dates": dates,
    "form": form,
    "names": names,
    "memories": memories,
}

# Rows and numbers of pages, no scores; what the formula alone counts.
NOT_LEARNED = frozenset({"names.linker", "names.bridge", "names.bridger", "names.page", "people.byline"})
NOT_LEARNED |= {"names.title_asked", "memories.share", "memories.silent", "form.unknown", "names.absent_things"}


def features_of(pool: Pool, groups: Mapping[str, Group] = GROUPS) -> dict[str, dict[str, np.ndarray]]:
    """Return group -> feature -> float64 (n,)."""
    return {name: dict(group(pool)) for name, group in groups.items()}
