"""What a strong cue of change ("sold", "no longer") concerns of what was said before."""

from brain_retrieval.knowledge.memories.attitudes import words_of
from brain_retrieval.knowledge.memories.concept_groups import GONE, OF_LIFE, OF_SITUATION, SCHEDULE, VAGUE, of_slot
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.value_changes import of_other_kinds
from brain_retrieval.knowledge.memories.whose import names_in_common, parts_of_names

_OWN = ":own"


def apart(a: Facet, b: Facet, vague: frozenset[str]) -> bool:
    """Return whether they speak of different matters."""
    return not (a.concepts & b.concepts) - VAGUE and bool(a.concepts - vague and b.concepts - vague)


def of_other_people(a: Facet, b: Facet, topic: frozenset[str]) -> bool:
    """Return whether each is about another person, and `b` says what only that one has left, or is in life.

    So it is where `topic`, the words of a question, name the person of `a`: Bo's shift says nothing of Ann's.

    "Piet no longer works at the bank" leaves Ann's work there as it is, and so does "Piet works at the bank now".
    """
    if not a.is_of_person or not b.is_of_person or not (a.telling_heads and b.telling_heads):
        return _has_other_slot(a, b)
    if not (a.telling_heads.isdisjoint(b.words | b.voice) and b.telling_heads.isdisjoint(a.words | a.voice)):
        return False
    concepts = (a.concepts & b.concepts) - VAGUE
    asked = not topic.isdisjoint(a.telling_heads & a.names)
    return asked or b.negated or GONE in b.concepts or (bool(concepts) and concepts <= OF_LIFE)


def _has_other_slot(a: Facet, b: Facet) -> bool:
    """Return whether both state where someone lives or works for sure, and each of another one."""
    if a.slot is None or b.slot is None or a.slot[0] != b.slot[0] or OF_LIFE.isdisjoint(of_slot(a.slot[0])):
        return False
    return a.slot[1].isdisjoint(b.words | b.voice) and b.slot[1].isdisjoint(a.words | a.voice)


def _is_given_up(a: Facet, b: Facet) -> bool:
    """Return whether one leaves or sells the thing that `a` is about: "I left the club" ends what it costs."""
    own = b.is_about_oneself or _OWN in b.concepts or b.heads <= words_of(GONE)  # "Left the club"
    if GONE not in b.concepts or not own:
        return False
    heads = a.telling_heads - a.voice - frozenset[str]().union(*a.people)
    heads -= frozenset[str]().union(*map(words_of, a.concepts))  # "The club costs"
    if not heads <= b.words or parts_of_names(a, b, heads):
        return False
    return bool(heads and a.concepts & OF_SITUATION)


def ends_strongly(a: Facet, b: Facet, shared: frozenset[str], concepts: frozenset[str]) -> bool:
    """Return whether a strong cue concerns `a`: a common thing, not only a common person, or the end of its subject."""
    heads = b.heads - words_of(GONE)  # "Tiago" and "Clio" of "Tiago sold the Clio"
    of_subject = GONE in b.concepts and not b.is_about_oneself and bool(heads) and heads <= a.words
    if of_subject and (shared - a.heads or a.concepts & OF_SITUATION):
        return True
    if of_subject and not shared:
        return False
    if concepts and shared or _is_given_up(a, b):
        return True
    if GONE not in b.concepts and of_other_kinds(a, b):
        return False
    if b.slot is not None and b.slot[1] <= b.words and not concepts:
        return False  # it states an attribute for sure, and so a change of that one only
    about_same = bool(shared - a.names or shared - b.heads - a.heads)
    return about_same and (len(shared - names_in_common(a, b)) > 1 or not apart(a, b, VAGUE | {SCHEDULE}))
