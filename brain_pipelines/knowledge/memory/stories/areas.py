"""Areas of life (trips, family, meals): what most memories of a storyline are about, by words of six languages."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.plain import plain

SUBJECT, NAMES, FRAMES, TRIP, MOVE = "areas", "names", "frames", "trip", "move"
LEAST_SOURCES, LEAST_SHARE = 2, 0.3
LEAST_OF_MEMORIES = 0.25  # so that a word in long minutes is no area of the people in them


def areas_of(memories: Sequence[StoryMemory], language: str, *, without: str = "") -> list[str]:
    """Return the names of areas that enough of the sources and memories tell of, most sources first.

    Args:
        memories: of a storyline; those that are neither asserted nor plans, or hardly worth keeping, do not count.
        language: of the names, a code.
        without: the key of an area that is left out.
    """
    kept = [m for m in memories if m.kept]
    total = len({m.source_id for m in kept})
    sources: dict[str, set[str]] = defaultdict(set)
    telling: Counter[str] = Counter()
    for m in kept:
        areas = _areas(code_of(m.language))
        of_memory = {area for word in m.words for area in areas.get(word, ())}
        telling.update(of_memory)
        for area in of_memory:
            sources[area].add(m.source_id)
    names = _table(NAMES, language)
    wanted = max(LEAST_SOURCES, LEAST_SHARE * total)
    often = [one for one, count in telling.items() if count >= LEAST_OF_MEMORIES * len(kept)]
    found = sorted((area for area in often if len(sources[area]) >= wanted), key=lambda a: (-len(sources[a]), a))
    return [names[area] for area in found if area in names and area != without]


def trip_to(name: str, language: str) -> str:
    """Return the title of a journey to a place: "Trip to Switzerland"."""
    return _table(FRAMES, language)[TRIP].format(name=name)


def move_to(name: str, language: str) -> str:
    """Return the title of the owner's move to a place: "Moving to Porto"."""
    return _table(FRAMES, language)[MOVE].format(name=name)


def _table(key: str, language: str) -> Mapping[str, str]:
    return LEXICONS.read(SUBJECT, language if LEXICONS.has(SUBJECT, language) else ENGLISH).table(key)


@cache
def _areas(code: str) -> dict[str, list[str]]:
    """Return the areas of each word of a language, in the form that memories have them."""
    found: dict[str, list[str]] = {}
    if LEXICONS.has(SUBJECT, code):
        lexicon = LEXICONS.read(SUBJECT, code)
        for area in lexicon.table(NAMES):
            for word in {word_form(plain(one)) for one in lexicon.listed(area)}:
                found.setdefault(word, []).append(area)
    return found
