"""Titles of storylines and macros: a headline from the memories, else the anchor with its topic or its months."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.areas import areas_of, move_to, trip_to
from brain_pipelines.knowledge.memory.stories.headlines import WHOLE, Headline, headline
from brain_pipelines.knowledge.memory.stories.passing import PERSON
from brain_pipelines.knowledge.memory.stories.periods import main_language, period
from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_pipelines.knowledge.memory.stories.subjects import Home, Subject, full_name, headings, subjects_of
from brain_pipelines.knowledge.memory.stories.telling import TELLING_KINDS, weigh
from brain_pipelines.knowledge.memory.stories.themes import is_move, theme_words
from brain_pipelines.stages.enrichment.words import empty_words
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.folding import fold, without_accents
from brain_retrieval.language.lexicon import code_of
from brain_retrieval.language.plain import plain

THEME_TYPE, RELATIVE = "Theme", "Relative"
FAMILY = "family"  # an area, which says nothing of a relative
CUT_LOSS = 0.2  # for each step from a whole sentence to a cut one
NAMES_ANCHOR, BEGINS_WITH_ANCHOR = 0.2, 0.4
VAGUE_LOSS = 0.4  # for "we" and "them"
LOUD_LOSS = 0.2  # for an exclamation
MOST_TITLES = 12  # that a storyline may choose from
FEWEST_SHARED = 4  # words of a name in front of a headline
# A headline is a title if it names the anchor and one of its other words occurs in this share of the sources.
LEAST_SPREAD, LEAST_SPREAD_SOURCES = 0.4, 3
SHORT_DAYS = 45  # of a storyline that one event may name
STEM = 4  # letters by which a normalised word is found in a text
_WORD = re.compile(r"\w+")
SPREAD = 1.0  # weight of the mean share of its words
UNTOLD = 2  # titles of a storyline of which only the name and the time are known
MOST_SUBJECTS = 2
# What a second subject needs of the score of the first.
SECOND = 0.5
BEFORE_NAME = 0.5  # of the memories with a phrase, where it stands before the anchor's name
UNTYPED = ("Person", "Concept")  # types of entities that say little
CAPITAL_NOUNS = "de"
TRIP_SHARE, TRIP_DAYS = 0.3, 250
MAIN_SHARE, MOST_MAIN = 0.25, 1  # of the sources of a theme, for its title: "Renovation: Elm Road"
LEAST_LIFT = 0.6  # how frequent a keyword is, compared with other sources
LEAST_TRIPS = 2  # sources that tell of a place as of one that someone goes to


@dataclass(frozen=True)
class Anchor:
    """What a storyline is about. `journeys`: the number of sources that tell of a place as of one someone goes to."""

    name: str
    names: Names
    type: str = ""
    journeys: int = 0

    @property
    def is_theme(self) -> bool:
        """Return whether it is a theme of the word lists."""
        return self.type == THEME_TYPE


def storyline_titles(
    anchor: Anchor,
    memories: Sequence[StoryMemory],
    topic: str,
    began: datetime,
    ended: datetime,
    *,
    series: frozenset[str] = frozenset(),
    keyed: Mapping[str, Collection[str]] | None = None,
    home: Home | None = None,
) -> list[str]:
    """Return the titles that a storyline may have, the best first; the same for the same memories in any order.

    Args:
        anchor: of the storyline.
        memories: of the storyline.
        topic: its commonest keywords, "" if there are none.
        began: event time of the first source.
        ended: of the last.
        series: forms of words that say nothing: of the title that the sources share.
        keyed: by source the forms of the words of its keywords.
        home: of all sources.
    """
    home = home or Home()
    kept = [m for m in memories if m.kept]
    language = main_language(m.language for m in kept)
    when = period(began, ended, language)
    if anchor.is_theme:
        best = [s for s in subjects_of(kept, anchor.names, home, keyed=keyed or {}, empty=series) if _is_main(s)][
            :MOST_MAIN
        ]
        titled = [f"{anchor.name}: {s.text}, {when}" for s in best]
        return [*titled, f"{anchor.name}, {when}", f"{anchor.name}, {began:%Y-%m-%d} – {ended:%Y-%m-%d}"]
    name, found = full_name(anchor.name, kept), list[str]()
    if any(m.facet and is_move(m.facet.row) and anchor.names.begin(m.facet.row["slot_value"]) for m in kept):
        found.append(move_to(name, language))
    elif _is_journey(anchor, kept, (ended - began).days):
        found.append(trip_to(name, language))
    elif (ended - began).days <= SHORT_DAYS:
        found += _headlines(anchor, kept, series)
    subjects = subjects_of(kept, anchor.names, home, keyed=keyed or {}, empty=series)
    best = [s.text for s in subjects[:MOST_SUBJECTS] if s.score >= SECOND * subjects[0].score]
    best = best or [one for one in topic.split(", ") if one and _is_shared(one, kept, home) and not _is_heading(one)]
    best = [one for one in best if not _is_of_name(one, anchor.names, kept)]
    if not best and anchor.type in (PERSON, RELATIVE):
        best = areas_of(kept, language, without=FAMILY if anchor.type == RELATIVE else "")[:1]
    if best:
        found.append(f"{name}: {', '.join(best)}")
    dated = [f"{one}, {when}" for one in found if one.startswith(name)]
    return [*found, *dated, f"{name}, {when}", f"{name}, {began:%Y-%m-%d} – {ended:%Y-%m-%d}"]


def _is_main(subject: Subject) -> bool:
    """Return whether a subject of a theme is a phrase of many of its sources that is not of its word list."""
    return (
        len(subject.words) > 1
        and subject.share >= MAIN_SHARE
        and not all(word in theme_words(hints=True) for word in subject.words)
    )


def _is_journey(anchor: Anchor, memories: Sequence[StoryMemory], days: int) -> bool:
    """Return whether an anchor is a place that someone goes to for some time, and not where one lives."""
    least = max(LEAST_TRIPS, TRIP_SHARE * len({m.source_id for m in memories}))
    return anchor.journeys >= least and days <= TRIP_DAYS


def _is_of_name(phrase: str, names: Names, memories: Sequence[StoryMemory]) -> bool:
    """Return whether a phrase is a title before a name ("Prof.", "Gov."), or may be someone's name.

    That is a word with a capital everywhere which is no organisation, place, event or other thing that has a type.
    """
    having = [m for m in memories if phrase.casefold() in m.text.casefold()]
    short = re.compile(rf"(?<!\w){re.escape(phrase)}\. \w", re.IGNORECASE)  # an abbreviation
    titles = sum(names.follow(phrase, m.text) or short.search(m.text) is not None for m in having)
    if having and titles >= BEFORE_NAME * len(having):
        return True
    if " " in phrase or not phrase.istitle() or any(code_of(m.language) == CAPITAL_NOUNS for m in having):
        return False
    typed = any(one["name"] == phrase and one["type"] not in UNTYPED for m in having for one in m.entities)
    return bool(having) and not typed and not any(phrase.lower() in m.text for m in having)


def _is_shared(keyword: str, memories: Sequence[StoryMemory], home: Home) -> bool:
    """Return whether memories have a keyword that is not much commoner in other sources; or there are none."""
    own = {m.source_id for m in memories}
    having = {m.source_id for m in memories if keyword.casefold() in m.text.casefold()}
    words = [word_form(plain(word)) for word in _WORD.findall(keyword)]
    rare = bool(words) and len(having) >= LEAST_LIFT * home.share_without(words, own) * len(own)
    return not memories or (bool(having) and rare)


def _is_heading(keyword: str) -> bool:
    return all(word_form(plain(word)) in headings() for word in _WORD.findall(keyword))


def _headlines(anchor: Anchor, memories: Sequence[StoryMemory], series: frozenset[str]) -> list[str]:
    """Return the headlines that memories of what happened give, the best first."""
    names, weights, spread = anchor.names, weigh(memories), _spread(memories)
    empty = frozenset(without_accents(fold(word)) for word in series)
    least = max(LEAST_SPREAD, LEAST_SPREAD_SOURCES / max(1, len({m.source_id for m in memories})))
    found: list[tuple[float, Any, Headline]] = []
    for m in memories:
        made = headline(m.text, m.language, m.names) if m.kept and m.kind in TELLING_KINDS else None
        if made and (made.habitual or not names.begin(made.text) or not _stands(made, m, names)):
            continue
        shares = [
            0.0 if any(one.startswith(word[:STEM]) for one in empty) else spread.get(word, 0.0)
            for word in sorted(m.words)
            if made and _is_in(word, made, names)
        ]
        if made and max(shares, default=0.0) >= least:
            score = weights[m.memory_id] + _shape(made, m, names) + SPREAD * math.fsum(shares) / len(shares)
            found.append((round(score, 9), m.order, made))
    best = sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_TITLES]
    return [one.text for _, _, one in best]


def _stands(made: Headline, memory: StoryMemory, names: Names) -> bool:
    """Return whether a headline can be understood: it names the anchor in a sentence, or is a whole statement.

    What is left of a sentence that was cut may be no statement, and a line that no mark ends may be a heading.
    """
    if names.mentioned_in(made.text):
        return memory.whole or memory.text.endswith((".", "!", "…"))
    return memory.whole and made.cut == WHOLE


def titles_apart(candidates: Sequence[Sequence[str]]) -> list[str]:
    """Return a title for each storyline, in order: its best one that says something else than those before.

    Two storylines of two people often hold the same sentence; a second one with its title would look like the first.
    """
    said: set[str] = set()
    chosen = []
    for titles in candidates:
        title = next((one for one in titles if _matter(one) not in said), titles[-1])
        said.add(_matter(title))
        chosen.append(title)
    return chosen


def _matter(title: str) -> str:
    """Return what a title says without the name in front of a headline."""
    name, colon, rest = title.partition(": ")
    return fold(rest if colon and len(name.split()) <= FEWEST_SHARED else title)


def macro_title(anchor: str, topics: Sequence[str], began: datetime, ended: datetime) -> str:
    """Return the title of a macro: the anchor with its first and last topic, or with its months."""
    named = [topic for topic in topics if topic]
    if len(named) < 2 or named[0] == named[-1]:
        return f"{anchor}, {_months(began, ended)}"
    return f"{anchor}: {named[0]} – {named[-1]}"


def _spread(memories: Sequence[StoryMemory]) -> dict[str, float]:
    """Return for each word the share of the sources that have it, 0 if it is in one of several."""
    sources = {m.source_id for m in memories}
    having = Counter(
        word for word, _ in {(w, m.source_id) for m in memories for w in m.words - empty_words(m.language)}
    )
    return {word: count / len(sources) if count > 1 or len(sources) == 1 else 0.0 for word, count in having.items()}


def _is_in(word: str, made: Headline, names: Names) -> bool:
    """Return whether a headline has a content word, by its beginning, that is not of the anchor's name."""
    stem = word[:STEM]
    return any(without_accents(fold(one)).startswith(stem) for one in _WORD.findall(made.text)) and not names.has_word(
        stem
    )


def _shape(made: Headline, memory: StoryMemory, names: Names) -> float:
    """Return what the form of a headline adds to the weight of its memory."""
    score = CUT_LOSS * (WHOLE - made.cut) + NAMES_ANCHOR + BEGINS_WITH_ANCHOR * names.begin(made.text)
    return score - VAGUE_LOSS * made.vague - LOUD_LOSS * memory.text.rstrip().endswith("!")


def _months(began: datetime, ended: datetime) -> str:
    first, last = f"{began:%Y-%m}", f"{ended:%Y-%m}"
    return first if first == last else f"{first} – {last}"
