"""What the sources of an anchor say of it: which tell of it, which are about it, and by which words they are alike."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.threads import Mention, Terms
from brain_pipelines.knowledge.memory.topics import Topics
from brain_pipelines.stages.extraction.local.names.name_forms import is_place_ending

PLACE, LEAST_JOURNEYS, LEAST_TITLED = "Location", 2, 3
TOOL, KEYED, LEAST_KEYED = "Tool", 0.2, 2
INITIALS = 6  # letters at most


def terms(source_id: str, topics: Topics, memories: StoryMemories | None) -> Terms:
    """Return the words by which sources have one subject: of the keywords, and of what its memories say."""
    return topics.terms(source_id) | (memories.words(source_id) if memories else frozenset())


def telling_sources(
    anchor: Mapping[str, Any], mentions: Sequence[Mention], topics: Topics, memories: StoryMemories | None
) -> frozenset[str]:
    """Return the sources that tell of an anchor.

    Of a place only where LEAST_JOURNEYS are of a journey or move there: the town where one lives is named all the time.
    A street or building, and a place in the title of LEAST_TITLED sources, needs none.
    Of a tool, and of what is only known by its initials ("HMAC", "IVA"), only where KEYED of the sources, but at least
    LEAST_KEYED, have it as a keyword: what is done with it is about something else.
    """
    if memories is None:
        return frozenset()
    titled = len(memories.titled.get(anchor["entity_id"], ())) >= LEAST_TITLED
    is_town = anchor["type"] == PLACE and not is_place_ending(anchor["name"].casefold().rpartition(" ")[2])
    if is_town and not titled and memories.journeys(anchor["entity_id"]) < LEAST_JOURNEYS:
        return frozenset()
    if anchor["type"] == TOOL or _is_of_initials(anchor):
        keyed = sum(topics.naming(names_of(anchor), [m.source_id for m in mentions]).values())
        if keyed < max(LEAST_KEYED, KEYED * len(mentions)):
            return frozenset()
    return memories.telling(anchor["entity_id"])


def _is_of_initials(anchor: Mapping[str, Any]) -> bool:
    """Return whether a thing has no other name than its initials."""
    unknown = anchor["type"] not in ("Person", "Project", PLACE)
    return unknown and all(name.isupper() and " " not in name and len(name) <= INITIALS for name in names_of(anchor))


def about_anchor(
    anchor: Mapping[str, Any], mentions: Iterable[Mention], topics: Topics, memories: StoryMemories | None
) -> dict[str, bool]:
    """Return for each source whether it is about the anchor by its keywords or by its memories, where it has some."""
    source_ids = [m.source_id for m in mentions]
    keyed = topics.naming(names_of(anchor), source_ids)
    usable = memories.about(anchor["entity_id"], source_ids) if memories else {}
    return {one: keyed.get(one, False) or usable.get(one, False) for one in source_ids if one in keyed or one in usable}


def is_series(anchor: Mapping[str, Any], mentions: Iterable[Mention], topics: Topics) -> bool:
    """Return whether an event is what its sources are the minutes of: "Team Meeting"."""
    return anchor["type"] == "Event" and topics.words((anchor["name"],)) <= topics.series(
        [m.source_id for m in mentions]
    )


def names_of(anchor: Mapping[str, Any]) -> set[str]:
    return {anchor["name"], *anchor["aliases"]}
