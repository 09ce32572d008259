"""Titles of storylines and macros: a headline from the memories, else the anchor with its topic or its months."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.stories.headlines import LONG_WORDS, MOST_WORDS, WHOLE, Headline, headline
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemory, weigh
from brain_pipelines.stages.enrichment.words import empty_words
from brain_retrieval.language.folding import fold, without_accents

CUT_LOSS = 0.2  # for each step from a whole sentence to a cut one
NAMES_ANCHOR, BEGINS_WITH_ANCHOR = 0.2, 0.4
OTHER_NAME_LOSS = 0.4  # for a headline about another name that does not name the anchor
VAGUE_LOSS = 0.4  # for "we" and "them"
LOUD_LOSS = 0.2  # for an exclamation
HABIT_LOSS = 0.6  # for what is always so, or how one feels: a title names what happened
MOST_TITLES = 12  # that a storyline may choose from
FEWEST_SHARED = 4  # words of a name in front of a headline
# A headline is about the storyline if one of its words, other than the anchor, occurs in this share of its sources.
LEAST_SPREAD = 0.15
STEM = 4  # letters by which a normalised word is found in a text
_WORD = re.compile(r"\w+")
SPREAD = 1.0  # weight of the mean share of its words


def storyline_titles(
    anchor: str,
    names: Names,
    memories: Sequence[StoryMemory],
    topic: str,
    began: datetime,
    ended: datetime,
    *,
    series: frozenset[str] = frozenset(),
) -> list[str]:
    """Return the titles that a storyline may have, the best first; the same for the same memories in any order.

    Args:
        anchor: its name.
        names: all its names.
        memories: of the storyline.
        topic: its commonest keywords, "" if there are none.
        began: event time of the first source.
        ended: of the last.
        series: words that say nothing: of the title that the sources share.
    """
    weights, spread = weigh(memories), _spread(memories)
    titles = _headlines(anchor, names, memories, weights, spread, Names(series), MOST_WORDS)
    titles = titles or _headlines(anchor, names, memories, weights, spread, Names(series), LONG_WORDS)
    plain = [f"{anchor}: {topic}"] if topic else []
    return [*titles, *plain, f"{anchor}, {_months(began, ended)}", f"{anchor}, {began:%Y-%m-%d} – {ended:%Y-%m-%d}"]


def _headlines(
    anchor: str,
    names: Names,
    memories: Sequence[StoryMemory],
    weights: Mapping[str, float],
    spread: Mapping[str, float],
    empty: Names,
    most: int,
) -> list[str]:
    """Return the titles of at most `most` words that memories give, the best first."""
    found: list[tuple[float, Any, Headline]] = []
    for m in memories:
        made = headline(m.text, m.language, m.names, most) if m.kept else None
        if made and not _stands(made, m, names):
            continue
        shares = [
            0.0 if empty.has_word(word[:STEM]) else spread.get(word, 0.0)
            for word in sorted(m.words)
            if made and _is_in(word, made, names)
        ]
        if made and max(shares, default=0.0) >= LEAST_SPREAD:
            score = weights[m.memory_id] + _shape(made, m, names) + SPREAD * math.fsum(shares) / len(shares)
            found.append((round(score, 9), m.order, made))
    best = sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_TITLES]
    return [one.text if names.mentioned_in(one.text) else f"{anchor}: {one.text}" for _, _, one in best]


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
    score = CUT_LOSS * (WHOLE - made.cut)
    if names.mentioned_in(made.text):
        score += NAMES_ANCHOR + BEGINS_WITH_ANCHOR * names.begin(made.text)
    elif memory.names and Names(memory.names).begin(made.text):
        score -= OTHER_NAME_LOSS
    score -= VAGUE_LOSS * made.vague + HABIT_LOSS * (made.habitual or memory.kind in ("preference", "feeling"))
    return score - LOUD_LOSS * memory.text.rstrip().endswith("!")


def _months(began: datetime, ended: datetime) -> str:
    first, last = f"{began:%Y-%m}", f"{ended:%Y-%m}"
    return first if first == last else f"{first} – {last}"
