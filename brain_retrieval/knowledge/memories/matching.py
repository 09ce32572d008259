"""Matching of a topic ("Helga's rent") with memories, without a model and in any of the known languages.

A word of the topic matches a word of a memory in its light form, less a word of the title of its source ("gym.md"); a
compound matches its parts ("Miete", "Mietvertrag"), a word for a concept ("address") what speaks of it ("lives in …"),
and a word for a moment ("date") what states one. Rare words count more.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from brain_retrieval.knowledge.memories.compared.weekdays import weekdays_of
from brain_retrieval.knowledge.memories.concept_groups import SCHEDULE
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.concepts import MARK, TITLED, concepts_of
from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain

COMPOUND, CONCEPT, VOICE, ONLY_SPOKEN, UNDER_TITLE = 0.7, 0.5, 0.6, 0.4, 0.4
LEAST_PART = 4  # letters of a part of a compound
_MOMENTS = frozenset({"date", "time", "month", "year"})  # dimensions of values


def topic_words(about: str) -> tuple[str, ...]:
    """Return the words of a topic in the form of anchors."""
    return tuple(dict.fromkeys(word_form(word) for word in _words(about)))


def topic_concepts(about: str) -> set[str]:
    """Return the concepts that the words of a topic stand for."""
    return {concept for concepts in _topic(about).values() for concept in concepts}


def anchor_keys(about: str, vocabulary: Iterable[str]) -> set[str]:
    """Return the words of `vocabulary` that `about` matches: anchors, and words of names as `content_words` gives them.

    A row none of whose anchors, and none of the words of whose entities' names and speaker, is among them cannot match.
    """
    topic, concepts = topic_words(about), topic_concepts(about)
    return {word for word in vocabulary if word in concepts or any(similarity(each, word) for each in topic)}


def similarity(asked: str, word: str) -> float:
    """Return 1 for the same word, less for a part of a compound, 0 for another word."""
    if asked == word:
        return 1.0
    short, long = (asked, word) if len(asked) < len(word) else (word, asked)
    if len(short) < LEAST_PART or len(long) - len(short) < 2 or word.startswith(MARK):
        return 0.0
    return COMPOUND if long.startswith(short) or long.endswith(short) else 0.0


def title_keys(about: str) -> set[str]:
    """Return the anchors of memories whose source has a word of the topic in its title."""
    return {TITLED + word for word in topic_words(about)}


def has_word(about: str, facet: Facet) -> bool:
    """Return whether a memory, or the name of who says it, has a word of the topic, and not only what it stands for."""
    return has_one_of(topic_words(about), facet)


def has_one_of(words: Iterable[str], facet: Facet) -> bool:
    """Return whether a memory, or the name of who says it, has one of some words of a topic, or one similar to it."""
    own = facet.words | facet.voice | facet.only_spoken
    return any(similarity(asked, word) for asked in words for word in own)


def match_all(about: str, facets: Sequence[Facet]) -> list[dict[str, float]]:
    """Return for each memory the words of the topic that it matches, each with its part of the score (all sum to 1).

    Words of the topic that no memory has are left out of the sum: "my", "the", a word of another language.
    """
    topic = _topic(about)
    vocabulary = frozenset[str]().union(*(facet.words for facet in facets))
    similar = {word: _similar(word, vocabulary) for word in topic}
    # Where a wedding is spoken of, another day in the calendar is no match.
    topic = {word: found - {SCHEDULE} if similar[word] else found for word, found in topic.items()}
    concepts = frozenset[str]().union(*topic.values())
    near = frozenset[str]().union(topic, *similar.values())
    titles = title_keys(about)
    found = [
        {}
        if near.isdisjoint(facet.words)
        and facet.voice.isdisjoint(topic)
        and concepts.isdisjoint(facet.concepts)
        and titles.isdisjoint(facet.row["anchors"])
        else _matched(topic, similar, facet)
        for facet in facets
    ]
    count = Counter(word for each in found for word, strength in each.items() if strength > CONCEPT)
    weights = {word: math.log(1 + (len(facets) + 1) / number) for word, number in count.items()}
    least = min(weights.values(), default=1.0)
    weights |= {word: least for each in found for word in each if word not in weights}
    total = sum(weights.values()) or 1.0
    return [{word: strength * weights[word] / total for word, strength in each.items()} for each in found]


def _topic(about: str) -> dict[str, frozenset[str]]:
    """Return the words of a topic with the concepts they stand for; the last one with those of words together.

    No word of "where do I live" alone speaks of a home, which "live" of "live music" does not either.
    """
    words = _words(about)
    topic = {word_form(word): _concepts(word) for word in words}
    if together := _concepts(about) - frozenset[str]().union(*topic.values()):
        topic[word_form(words[-1])] |= together
    return topic


def _similar(asked: str, vocabulary: Iterable[str]) -> dict[str, float]:
    """Return the words similar to the one asked for, each with its similarity."""
    near = (word for word in vocabulary if asked in word or word in asked)  # a cheap condition that `similarity` has
    return {word: strength for word in near if (strength := similarity(asked, word))}


@lru_cache(maxsize=1 << 14)
def _concepts(word: str) -> frozenset[str]:
    return frozenset(concepts_of(word))


def asks_for_moment(topic: Iterable[str]) -> bool:
    """Return whether one of the words of a topic asks for a day or time: "date"."""
    return not _moment_words().isdisjoint(topic)


@cache
def _moment_words() -> frozenset[str]:
    """Return the words of all languages for a moment: "date", "time"; a birthday is not any day."""
    return frozenset(word_form(plain(word)) for word in SHARED.every_language("questions").words("moment_nouns"))


def _words(about: str) -> list[str]:
    return [word for word in WORD.findall(plain(about)) if len(word) > 1]


def _matched(
    topic: Mapping[str, frozenset[str]], similar: Mapping[str, Mapping[str, float]], facet: Facet
) -> dict[str, float]:
    words, voice, only_spoken = facet.words, facet.voice, facet.only_spoken
    stated = not facet.values.keys().isdisjoint(_MOMENTS) or weekdays_of(facet.row["text"])
    moments = _moment_words() if stated else frozenset[str]()
    found: dict[str, float] = {}
    for word, strength in similar.items():
        part = 0.0 if words.isdisjoint(strength) else max(strength[own] for own in strength.keys() & words)
        if (not part and word in voice) or (word in words and word not in facet.written):
            part = VOICE
        if word in only_spoken:
            part = ONLY_SPOKEN
        if not part and not topic[word].isdisjoint(facet.concepts):
            part = CONCEPT
        if not part and TITLED + word in facet.row["anchors"]:
            part = UNDER_TITLE
        if part:
            found[word] = part
    if any(strength > CONCEPT for strength in found.values()):  # or every memory with a day would be of "launch date"
        found |= dict.fromkeys(moments & topic.keys(), 1.0)
    return found
