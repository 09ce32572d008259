"""Whether two memories have a matter in common, so that a change which one tells can concern the other."""

import re
from functools import cache, lru_cache

from brain_retrieval.knowledge.memories.attitudes import words_of
from brain_retrieval.knowledge.memories.compared.weekdays import weekdays_of
from brain_retrieval.knowledge.memories.concept_groups import GONE, VAGUE
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.value_changes import DATED
from brain_retrieval.knowledge.memories.whose import names_in_common
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain, word_expression

_MOST_SHARED = 2  # words of an amount and of what has none
_PART = re.compile(r"[,;:()–]\s")


def evident(a: Facet, b: Facet, shared: frozenset[str], topic: frozenset[str], *, same: bool) -> bool:
    """Return whether a change can concern `a`: one name in both ("in Lisbon") is no matter in common.

    Nor is a person in both with a home, a day or a price, unless both are about that person.
    """
    concepts = (a.concepts & b.concepts) - VAGUE
    if not same:
        own = shared - names_of_people(a, b)
        concepts = concepts if own & topic or own - words_saying(concepts) else frozenset[str]()
    if same or concepts:
        return True
    if GONE in b.concepts and (given := _given_up(b)) is not None:
        return not given or not given.isdisjoint(a.words)
    if a.row["kind"] == "event":
        return len(shared if a.cue == b.cue == "strong" else shared - a.names) > 1
    return bool(shared - names_in_common(a, b) or shared & topic)


def gives_up(a: Facet, b: Facet) -> bool:
    """Return whether `b` says that its subject has given up what `a` says of it: "Omar left the tile factory"."""
    given = _given_up(b) if GONE in b.concepts else None
    return bool(given) and given <= a.words and bool(a.telling_heads & b.telling_heads & (a.names | b.names))


def _given_up(b: Facet) -> frozenset[str] | None:
    """Return the words of what is given up, none if its subject itself is gone: "ballet" of "Ivy gave up ballet".

    None where another part of the sentence tells of that.
    """
    gone = words_of(GONE)
    for words in _words_of_parts(b.row["text"]):
        if not words.isdisjoint(gone):
            return (words & b.telling) - b.heads - gone - b.voice
    return None


@lru_cache(maxsize=1 << 12)  # a change is compared with many memories
def _words_of_parts(text: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(content_words(part)) for part in _PART.split(text))


def leaves_it(a: Facet, b: Facet, topic: frozenset[str]) -> bool:
    """Return whether `b` changes an amount that `a` has nothing to do with, or nothing but a plan."""
    return _changes_amount_only(a, b, topic) or drops_plan(a, b)


def _changes_amount_only(a: Facet, b: Facet, topic: frozenset[str]) -> bool:
    """Return whether `b` changes an amount, and `a` states none and speaks of nothing such: a cracked window.

    "Gas costs 12.9 cents for the workshop from today" leaves "the workshop's window is cracked" as it is.
    """
    if GONE in b.concepts or b.comparable.keys() <= DATED or a.values or weekdays_of(a.row["text"]):
        return False
    shared = (a.telling & b.telling) - topic
    of_one_thing = len(a.telling_heads & b.telling_heads) > 1  # "Puzzle app free" and "puzzle app 2.99 now"
    return not ((a.concepts & b.concepts) - VAGUE or of_one_thing or len(shared) > _MOST_SHARED)


def drops_plan(a: Facet, b: Facet) -> bool:
    """Return whether `b` only says that something planned will not be, and `a` is no plan but what holds.

    "We thought about a salad bar but gave up the idea" leaves the caterer as it is.
    """
    if a.row["kind"] == "plan" or a.starts > b.row["said_at"] or not a.asserted:
        return False
    intended, dropped = _dropping(b.language)
    text = plain(b.row["text"])
    return (
        dropped.search(text) is not None
        and intended.search(text) is not None
        and not intended.search(plain(a.row["text"]))
    )


@cache
def _dropping(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of plain text for what was only planned, and for that it will not be."""
    known = language if SHARED.has("outcomes", language) else ENGLISH
    own = SHARED.read("outcomes", known)
    intended, dropped = (word_expression(own.listed(key)) for key in ("intended", "dropped"))
    return re.compile(rf"(?<!\w)(?:{intended})(?!\w)"), re.compile(rf"(?<!\w)(?:{dropped})(?!\w)")


def words_saying(concepts: frozenset[str]) -> frozenset[str]:
    """Return the words that say one of some concepts themselves."""
    return frozenset[str]().union(*map(words_of, concepts))


def names_of_people(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of the names of the people of two memories, and of who says them."""
    return frozenset[str]().union(a.voice, b.voice, *a.people, *b.people)
