"""The names of the owner of a memory in a question: "where does Ann work?", asked by Ann or by an agent of hers."""

import re
from collections.abc import Iterable

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.language.content_words import content_words

MOST_LOOKED_AT = 40  # memories with a word

_LEAST = 3  # letters of a user id that may be a name
_SURNAME = r"(?P<next>\s{1,3}[^\W\d_a-z][\w'’-]{1,40})?"  # a word behind a name that does not begin with a small letter


def owner_names(user: str, declared: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of an owner: those of the settings, and what the user id says: "ann-lee" is Ann Lee, and Ann.

    >>> owner_names("ann-lee", ("Dr. Ann Lee",))
    ('Dr. Ann Lee', 'ann lee', 'ann')
    """
    words = [word for word in re.split(r"[-\d]+", user) if word]
    by_id = (" ".join(words), words[0]) if words and len(words[0]) >= _LEAST else ()
    return tuple(dict.fromkeys((*(name for name in declared if name), *by_id)))


def owner_named(question: str, names: Iterable[str]) -> frozenset[str]:
    """Return the content words of the names that a question has, unless another surname follows: "Ann Byrne".

    >>> sorted(owner_named("Where does Ann work?", ("ann",))), sorted(owner_named("Who is Ann Byrne?", ("ann",)))
    (['ann'], [])
    """
    found: set[str] = set()
    called = tuple(names)
    own = {word for name in called for word in content_words(name)}
    for name in called:
        pattern = rf"(?<!\w)(?i:{re.escape(name)})(?:['’]?s)?(?!\w){_SURNAME}"
        for match in re.finditer(pattern, question):
            after = set(content_words(match["next"] or ""))
            if after <= own:
                found.update(content_words(name), after)
    return frozenset(found)


def may_be_name(index: MemoryIndex, word: str) -> bool:
    """Return whether one of the newest memories with a word has it in a name, or none has it."""
    facets = [Facet(row) for row in index.take(index.words.having(word)[-MOST_LOOKED_AT:])]
    return not facets or any(word in facet.names | facet.voice for facet in facets)
