"""Storylines that say nothing beside others: a person's who only takes part in what another one tells."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brain_pipelines.knowledge.memory.topics import Topics

PERSON, FILE = "Person", "Document"
CLOSE = (PERSON, "Relative", "Theme")  # a child, and what one does, may well be in every entry of a diary
MEMORY_SHARE = 0.5  # of the memories of a person's storyline, which others tell
INSIDE_SHARE = 0.8  # of the sources of a storyline, which a larger one has
PARTS_OF_GROUP = 3  # storylines within a group, from which on it is about none of them
MEMBER_SHARE = 0.6  # of the sources of a person's storyline, which a group of a chat has
NAMED_SHARE = 0.5  # which a larger one has whose title names its anchor
# What more than this share of so many sources name is everywhere: the town of a club, its chairman.
EVERYWHERE_SHARE, EVERYWHERE_SOURCES = 0.5, 20


@dataclass(frozen=True)
class Line:
    """A storyline as it is compared.

    `memories`: ids of those that belong to it and are kept; `moves`: of those that say that the owner has moved house;
    `bare`: whether its title is only a name and months; `in_series`: whether most of its sources are the minutes of
    meetings, or others with one title but for the date.
    """

    storyline_id: str
    anchor: str
    type: str
    title: str
    sources: frozenset[str]
    memories: frozenset[str]
    recalled: bool = False
    whole: bool = False  # all that is written in a group of a chat, whatever it is about
    moves: frozenset[str] = frozenset()
    bare: bool = False
    in_series: bool = False


def beside_others(lines: Sequence[Line], total: int) -> set[str]:
    """Return the ids of storylines of which nothing is said, and of those that the rest of them tell as well."""
    bare = without_subject(lines, total)
    return bare | superfluous([line for line in lines if line.storyline_id not in bare])


def without_subject(lines: Iterable[Line], total: int) -> set[str]:
    """Return the ids of storylines of which nothing is said but a name that is everywhere, in all minutes, or a file's.

    Args:
        lines: the storylines of a user.
        total: number of sources of the user.
    """
    least = EVERYWHERE_SHARE * total
    bare = [line for line in lines if line.bare and not line.recalled and not line.whole]
    everywhere = {line.storyline_id for line in bare if line.type not in CLOSE and len(line.sources) > least}
    everywhere = everywhere if total >= EVERYWHERE_SOURCES else set()  # fewer may well be about one project
    only_named = {line.storyline_id for line in bare if line.type == FILE or (line.type == PERSON and line.in_series)}
    return everywhere | only_named


def superfluous(lines: Sequence[Line]) -> set[str]:
    """Return the ids of storylines that others tell as well. One whose anchor was recalled is none of them."""
    groups = [line for line in lines if line.whole]
    ordered = sorted(
        (line for line in lines if not line.whole), key=lambda line: (-len(line.sources), line.storyline_id)
    )
    of_things: list[Line] = []
    of_people: list[Line] = []
    things = [line for line in ordered if line.type != PERSON]
    for line in things:
        # A thing may be taken for a person, and have others in its title.
        within = any(_is_part(line, other) for other in ordered if len(other.sources) > len(line.sources))
        if line.recalled or not (within or any(_is_inside(line, other) for other in of_things)):
            of_things.append(line)
    memories = frozenset(one for line in of_things for one in line.memories)
    sources = frozenset(one for line in of_things for one in line.sources)
    for line in (one for one in ordered if one.type == PERSON):
        elsewhere = _share(line.memories, memories) >= MEMORY_SHARE or any(_titles(line, other) for other in things)
        # Nothing more can be said than the months of someone on the minutes of what has a storyline.
        elsewhere |= ": " not in line.title and _share(line.sources, sources) >= INSIDE_SHARE
        # Who writes in a group is in all that it tells.
        elsewhere |= any(_share(line.sources, group.sources) >= MEMBER_SHARE for group in groups)
        if line.recalled or not (elsewhere or any(_takes_part(line, other) for other in of_people)):
            of_people.append(line)
    others = [*of_things, *of_people]
    kept = [*others, *(group for group in groups if group.recalled or not _is_divided(group, others))]
    return {line.storyline_id for line in lines} - {line.storyline_id for line in kept}


def parts_of_names(lines: Sequence[Mapping[str, Any]], attached: Iterable[tuple[Any, ...]]) -> set[str]:
    """Return the ids of storylines of an anchor whose name is a part of another's that has INSIDE_SHARE of its sources.

    A town is mentioned wherever the club is that bears its name.
    """
    sources: dict[str, set[str]] = defaultdict(set)
    for storyline_id, source_id, *_ in attached:
        sources[storyline_id].add(source_id)
    words = {line["storyline_id"]: Topics.words((line["anchor"],)) for line in lines}
    having: dict[str, list[str]] = defaultdict(list)
    for storyline_id, found in words.items():
        for word in found:
            having[word].append(storyline_id)
    return {
        one
        for one, found in words.items()
        for other in (min((having[word] for word in found), key=len) if found else ())
        if found < words[other] and len(sources[one] & sources[other]) >= INSIDE_SHARE * len(sources[one])
    }


def _is_divided(group: Line, others: Sequence[Line]) -> bool:
    """Return whether a group writes of several things that have storylines, which have most of its sources."""
    within = [line for line in others if _share(line.sources, group.sources) >= INSIDE_SHARE]
    sources = frozenset(one for line in within for one in line.sources)
    return len(within) >= PARTS_OF_GROUP and _share(group.sources, sources) >= NAMED_SHARE


def _share(own: Collection[str], others: Collection[str]) -> float:
    return sum(one in others for one in own) / len(own) if own else 0.0


def _is_inside(line: Line, other: Line) -> bool:
    if line.anchor.casefold() in other.title.casefold():
        return _share(line.sources, other.sources) >= NAMED_SHARE
    if line.moves & other.moves:  # a theme's "Moving house" beside "Moving to Lisbon"
        return _share(line.sources, other.sources) >= INSIDE_SHARE
    # Minutes of a body name it in every source; what they tell has several subjects.
    return _takes_part(line, other)


def _titles(line: Line, other: Line) -> bool:
    """Return whether the title of a person's storyline says that it is about what another one is about."""
    named = other.anchor.casefold() in line.title.casefold().partition(": ")[2]
    return named and _share(line.sources, other.sources) >= NAMED_SHARE and not _is_part(other, line)


def _is_part(line: Line, other: Line) -> bool:
    """Return whether the storyline of a thing is within one that has it in its title."""
    named = line.anchor.casefold() in other.title.casefold().partition(": ")[2]
    return named and _share(line.sources, other.sources) >= INSIDE_SHARE


def _takes_part(line: Line, other: Line) -> bool:
    """Return whether a storyline is within another, in its sources and in what it tells."""
    inside = _share(line.sources, other.sources) >= INSIDE_SHARE
    return inside and _share(line.memories, other.memories) >= MEMORY_SHARE
