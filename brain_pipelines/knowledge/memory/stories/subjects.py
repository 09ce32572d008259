"""What the memories of a storyline are about: phrases and names that several of its sources have, others rarely."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.headlines import without_label
from brain_pipelines.knowledge.memory.stories.passing import PERSON, SPEAKING
from brain_pipelines.knowledge.memory.stories.phrases import Key, phrases, without_context
from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_pipelines.knowledge.memory.topics import says_subject
from brain_pipelines.stages.enrichment.words import vague_nouns, words_of
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.plain import plain

FEWEST, FEWEST_SINGLE = 2, 3  # sources that have a phrase, a single word
LEAST_SHARE, SINGLE_SHARE = 0.15, 0.25  # of the sources with memories
LEAST_LIFT = 1.5  # how much more frequent it is in the storyline than in other sources
NOUN_SHARE, SINGLE_NOUN = 0.5, 0.6  # of the places where a phrase stands behind a word that nouns follow
LONGER = 0.6  # of the sources of a word, from which on the longer phrase is named
ELSEWHERE = 0.05  # added to the share of other sources, so that few sources are no proof
KEYED = 0.5  # weight of a source that has it as a keyword
WHOLE_NAME = 0.8  # of the sources that name an anchor, which have a longer name
LENGTH = 0.5  # weight of each doubling of its words


@dataclass(frozen=True, slots=True)
class Subject:
    """A phrase as it is written, the forms of its words, and the share of the sources whose memories have it."""

    text: str
    words: Key
    sources: int
    share: float
    score: float


@dataclass(frozen=True)
class Home:
    """What the titles of one storyline need of all sources.

    elsewhere: by form of a word the sources whose memories have it. total: number of sources with memories. people:
    forms of the words of names of people.
    """

    elsewhere: Mapping[str, frozenset[str]] = field(default_factory=dict)
    total: int = 0
    people: frozenset[str] = frozenset()

    def share_without(self, words: Collection[str], sources: Collection[str]) -> float:
        """Return the share of all other sources that have the rarest of the words."""
        rarest = min(len(self.elsewhere.get(word, frozenset()).difference(sources)) for word in words)
        return rarest / max(1, self.total - len(sources))


@dataclass
class _Found:
    """Where a phrase stands: sources, sentences, its forms, how often, and how often where nouns stand."""

    sources: set[str] = field(default_factory=set)
    sentences: set[frozenset[str]] = field(default_factory=set)
    forms: Counter[str] = field(default_factory=Counter)
    nouns: int = 0
    seen: int = 0

    def add(self, memory: StoryMemory, form: str, *, noun: bool) -> None:
        self.sources.add(memory.source_id)
        self.sentences.add(memory.words)
        self.forms[form] += 1
        self.nouns += noun
        self.seen += 1


def subjects_of(
    memories: Sequence[StoryMemory],
    names: Names,
    home: Home,
    *,
    keyed: Mapping[str, Collection[str]],
    empty: Collection[str] = (),
) -> list[Subject]:
    """Return the subjects of the memories of one storyline, best first.

    A single word is one of the sources' keywords, and so is one word of a phrase, where they have any. A subject stands
    in several sentences of several sources, and is rarer in other sources than in these.

    Args:
        memories: of the storyline.
        names: of its anchor, which are no subjects.
        home: of all sources.
        keyed: by source of the storyline the forms of the words of its keywords.
        empty: forms of words that say nothing: of the title that the sources share.
    """
    kept = [m for m in memories if m.kept]
    own = {m.source_id for m in kept}
    known = frozenset(word for words in keyed.values() for word in words)
    barred = {word_form(plain(w)) for m in kept for w in _people_of(m)}.union(home.people, empty, headings())
    found: dict[Key, _Found] = defaultdict(_Found)
    for m in kept:
        for key, form, noun in phrases(without_label(without_context(m.text)), m.language):
            likely = known.issuperset(key) or (len(key) > 1 and not (known and known.isdisjoint(key)))
            if likely and barred.isdisjoint(key) and not any(names.has_form(word) for word in key):
                found[key].add(m, form, noun=noun)
    found = {key: seen for key, seen in found.items() if len(seen.sources) >= FEWEST}
    made = [one for key, seen in found.items() if (one := _subject(key, seen, own, home, keyed))]
    return _apart(sorted(made, key=lambda s: (-s.score, -len(s.words), s.words)))


def _subject(
    key: Key, seen: _Found, own: Collection[str], home: Home, keyed: Mapping[str, Collection[str]]
) -> Subject | None:
    """Return a phrase as a subject, None if it is too rare, too common elsewhere or no noun."""
    single = len(key) == 1
    count = min(len(seen.sources), len(seen.sentences))
    if seen.nouns < (SINGLE_NOUN if single else NOUN_SHARE) * seen.seen or all(word in _vague() for word in key):
        return None
    titled = sum(set(key) <= set(words) for words in keyed.values())
    share = (count + KEYED * min(titled, count)) / len(own)
    lift = share / (home.share_without(key, own) + ELSEWHERE)
    if count < (FEWEST_SINGLE if single else FEWEST) or share < (SINGLE_SHARE if single else LEAST_SHARE):
        return None
    if lift < LEAST_LIFT:
        return None
    score = (count + KEYED * titled) * (1 + LENGTH * math.log2(len(key))) * math.log2(1 + lift)
    text = min(seen.forms, key=lambda form: (-seen.forms[form], form))
    return Subject(text, key, count, round(share, 9), round(score, 9)) if says_subject(text) else None


def full_name(name: str, memories: Sequence[StoryMemory]) -> str:
    """Return the name of an anchor, or the longer phrase it is the end or beginning of nearly everywhere.

    An extractor may find "Concept" where all texts say "Proof of Concept".
    """
    own = {word_form(plain(word.key)) for word in words_of(name)}
    named = [m for m in memories if m.named]
    found: dict[Key, _Found] = defaultdict(_Found)
    for m in named:
        for key, form, _ in phrases(without_label(without_context(m.text)), m.language):
            if own < set(key) and form[:1].isupper() and form.rpartition(" ")[2][:1].isupper() and not _calls(form):
                found[key].add(m, form, noun=True)
    least = max(FEWEST_SINGLE, WHOLE_NAME * len({m.source_id for m in named}))
    longer = [key for key, seen in found.items() if len(seen.sources) >= least]
    best = max(longer, key=lambda key: (len(found[key].sources), len(key), key), default=None)
    return min(found[best].forms, key=lambda form: (-found[best].forms[form], form)) if best else name


def _calls(form: str) -> bool:
    """Return whether a phrase has a word of headings in capitals: "Boat ATTENTION", but not "Boat Committee"."""
    return any(word.isupper() and word_form(plain(word)) in headings() for word in form.split())


def _apart(ranked: Sequence[Subject]) -> list[Subject]:
    """Return subjects that share no word; a longer phrase stands for its words if most of their sources have it."""
    chosen: list[Subject] = []
    taken: set[str] = set()
    for one in ranked:
        if not taken.isdisjoint(one.words):
            continue
        within = (s for s in ranked if set(one.words) < set(s.words) and taken.isdisjoint(s.words))
        longer = [s for s in within if s.sources >= LONGER * one.sources]
        best = max(longer, key=lambda s: (len(s.words), s.score, s.words), default=one)
        chosen.append(best)
        taken |= set(best.words)
    return chosen


def _people_of(memory: StoryMemory) -> Iterator[str]:
    for one in memory.entities:
        if one["type"] == PERSON or one["role"] in SPEAKING:
            yield from one["name"].split()


@cache
def headings() -> frozenset[str]:
    """Return the forms of words of headings and tables, which are no subject: "ACTION", "Status"."""
    return frozenset(word_form(plain(word)) for word in LEXICONS.every_language("labels").words("headings"))


@cache
def _vague() -> frozenset[str]:
    return frozenset(word_form(plain(word)) for word in vague_nouns())
