"""How much of the words of a claim a statement has, in other forms, in compounds and by near synonyms too."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from brain_retrieval.evidence.kinds_of_words import has_narrower, is_same
from brain_retrieval.evidence.words import content_forms, form_of, opposite_by_prefix, tokens_of
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.language.lexicon import SHARED

SYNONYM, CONTEXT = 0.6, 0.7  # strength of a match by another word, and of one outside the sentence
NARROWER = 0.9  # of what is of the kind that a word names
Aliases = Mapping[str, frozenset[str]]  # form of a word of a name -> forms of the other names


def forms_in(text: str, language: str | None) -> tuple[str, ...]:
    """Return the distinct content words of a text in the form in which they are compared."""
    return tuple(dict.fromkeys(token.form for token in content_forms(tokens_of(text), language)))


def match(word: str, own: Collection[str], context: Collection[str], aliases: Aliases) -> float:
    """Return how well a statement has a word: 1 in the sentence, less for a synonym, or in what it stands under."""
    if word in own:
        return 1.0
    if others := aliases.get(word):
        if any(other in own for other in others):
            return 1.0
        if any(other in context for other in others):
            return CONTEXT
    if word in context:
        return CONTEXT
    if is_same(word, own):
        return 1.0
    if has_narrower(word, own):
        return NARROWER
    near = max((similarity(word, other) for other in own), default=0.0)
    if any(opposite_by_prefix(word, other) for other in own):
        return 1.0
    groups = _groups().get(word)
    alike = groups is not None and any(groups & _groups().get(other, frozenset()) for other in own)
    return max(near, SYNONYM if alike else 0.0)


def share(words: Sequence[str], own: Collection[str], context: Collection[str], aliases: Aliases) -> float:
    """Return the share of `words` that a statement has; 0 of no words."""
    return sum(match(word, own, context, aliases) for word in words) / len(words) if words else 0.0


def aliases_of(names: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return for each word of a name the words of the other names of the same person or thing.

    Args:
        names: all names of each person or thing.
    """
    found: dict[str, frozenset[str]] = {}
    for group in names:
        forms = frozenset(form_of(token.low) for name in group for token in tokens_of(name) if len(token.low) > 1)
        found.update((form, found.get(form, frozenset()) | forms) for form in forms)
    return found


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    """Return the groups of words for one thing, by the form of the word."""
    lexicons = [SHARED.read("expansion", code) for code in SHARED.languages("expansion")]
    found: dict[str, frozenset[str]] = {}
    for number, lexicon in enumerate(lexicons):
        for key in lexicon.keys:
            for word in lexicon.listed(key):
                form = form_of(word.lower())
                found[form] = found.get(form, frozenset()) | {f"{number}:{key}"}
    return found
