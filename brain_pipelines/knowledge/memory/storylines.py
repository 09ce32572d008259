"""Storylines: the threads of an anchor entity with enough evidence, computed from the sources without stored state.

A snapshot depends on its input rows only, not on earlier snapshots. `anchors.py` selects the anchor entities,
`threads.py` groups their sources.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from brain_pipelines.knowledge.entities.names import is_email
from brain_pipelines.knowledge.memory.anchors import mentions_by_anchor
from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.promotion import micros, promotion
from brain_pipelines.knowledge.memory.stories.everywhere import has_name_of_user, is_everywhere
from brain_pipelines.knowledge.memory.stories.passing import PERSON
from brain_pipelines.knowledge.memory.stories.projects import WEIGHT
from brain_pipelines.knowledge.memory.stories.sources_of_anchors import (
    PLACE,
    about_anchor,
    is_series,
    names_of,
    telling_sources,
    terms,
)
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_pipelines.knowledge.memory.stories.story_parts import parts_of
from brain_pipelines.knowledge.memory.stories.subjects import Home
from brain_pipelines.knowledge.memory.stories.superfluous import Line, beside_others, parts_of_names
from brain_pipelines.knowledge.memory.stories.telling import digest
from brain_pipelines.knowledge.memory.stories.themes import is_move
from brain_pipelines.knowledge.memory.stories.titles import (
    RELATIVE,
    THEME_TYPE,
    UNTOLD,
    Anchor,
    storyline_titles,
    titles_apart,
)
from brain_pipelines.knowledge.memory.threads import DAY_US, Mention, Terms, Thread, threads_of
from brain_pipelines.knowledge.memory.topics import Topics, word_forms
from brain_retrieval.ids import content_id, stable_hash
from brain_retrieval.settings.knowledge import MemorySettings
from brain_retrieval.stores.memory_tables import STORYLINE_SOURCES, STORYLINES

MATTER = "Matter"
LEAST_PARTS = 2  # of the summary of an anchor that was never looked up and that few sources name
MANY_SOURCES = 10  # that say the same again and again are a story all the same
TIME = pl.Datetime("us", "UTC")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def build_storylines(
    members: pl.DataFrame,
    known_entities: pl.DataFrame,
    sources: pl.DataFrame,
    *,
    recalls: Mapping[str, int],
    now: datetime,
    settings: MemorySettings,
    team: str | None = None,
    memories: StoryMemories | None = None,
    user: str = "",
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return STORYLINES and STORYLINE_SOURCES at the end of a snapshot.

    Args:
        members: ENTITY_MEMBERS.
        known_entities: KNOWN_ENTITIES.
        sources: one row for each source: source_id, source_type, title, event_at, summary, keywords, parent_id;
            optionally `digest`, a hash of the text, and `team`, the team of the source or null.
        recalls: number of recalls by entity id; without recalls UNRECALLED times as many sources are needed.
        now: the snapshot's end, aware.
        settings: thresholds.
        team: of all sources, where `sources` has no column for it.
        memories: of the sources, for titles and for what a source is about.
        user: id of the user, whose name is no anchor either.
    """
    if memories is not None:
        members, known_entities = _with_themes(members, known_entities, memories)
    rows = known_entities.select("entity_id", "type", "name", "aliases").iter_rows(named=True)
    anchors = {row["entity_id"]: row for row in rows}
    people = (name for row in anchors.values() if row["type"] == "Person" for name in names_of(row))
    topics = Topics(sources, team, people)
    times = sources["event_at"].dt.epoch("us").sort().to_list()
    lines: list[dict[str, Any]] = []
    attached: list[tuple[Any, ...]] = []
    compared: list[Line] = []
    for entity_id, mentions in mentions_by_anchor(members, known_entities, sources, now=now, settings=settings):
        anchor = anchors[entity_id]
        if _is_none(anchor, mentions, topics) or _has_all(anchor, mentions, memories, len(times), user, settings):
            continue
        own = topics.words(names_of(anchor))
        threads = _threads(anchor, mentions, topics, memories, settings, times)
        about = None if recalls.get(entity_id, 0) else about_anchor(anchor, mentions, topics, memories)
        telling = telling_sources(anchor, mentions, topics, memories)
        for thread, storyline_id in zip(threads, _ids(entity_id, threads), strict=True):
            promoted_at = promotion(thread.mentions, now, settings, about, telling)
            usable = [] if promoted_at is None else _usable(anchor, thread, memories)
            if promoted_at is None or (about is not None and _says_nothing(anchor, thread, usable, memories)):
                continue
            made = (topics, own, promoted_at, now, settings, usable, memories)
            lines.append(_storyline(storyline_id, anchor, thread, *made))
            attached += [(storyline_id, m.source_id, m.source_type, m.at, m.weight) for m in thread.mentions]
            whole = memories is not None and entity_id in memories.groups
            series = topics.in_series([m.source_id for m in thread.mentions], own)
            how = {"recalled": about is None, "whole": whole, "in_series": series}
            compared.append(_compared(lines[-1], anchor, thread, usable, **how))
    dropped = parts_of_names(lines, attached) | beside_others(compared, len(times))
    kept = [line for line in lines if line["storyline_id"] not in dropped]
    return _storylines_frame(kept), _sources_frame([row for row in attached if row[0] not in dropped])


def _is_none(anchor: Mapping[str, Any], mentions: Sequence[Mention], topics: Topics) -> bool:
    """Return whether an anchor has no story: an address, or a series of alike sources."""
    return is_email(anchor["name"]) or is_series(anchor, mentions, topics)


def _has_all(
    anchor: Mapping[str, Any],
    mentions: Sequence[Mention],
    memories: StoryMemories | None,
    total: int,
    user: str,
    settings: MemorySettings,
) -> bool:
    """Return whether a person is the owner by name, or one in most sources that writes to several others in them."""
    if anchor["type"] != PERSON:
        return False
    if has_name_of_user(names_of(anchor), user):
        return True
    writers = [memories.writers.get(m.source_id, frozenset()) for m in mentions] if memories else []
    return is_everywhere(Names(names_of(anchor)), writers, total=total, share=settings.hub_share)


def _threads(
    anchor: Mapping[str, Any],
    mentions: Sequence[Mention],
    topics: Topics,
    memories: StoryMemories | None,
    settings: MemorySettings,
    times: Sequence[int],
) -> list[Thread]:
    if memories is not None and anchor["entity_id"] in memories.projects:
        mentions = [replace(m, weight=max(m.weight, WEIGHT)) for m in mentions]
    own = topics.words(names_of(anchor))
    # What one does and a matter have one subject already.
    one_subject = anchor["type"] in (THEME_TYPE, MATTER, RELATIVE)
    return threads_of(
        mentions,
        {m.source_id: terms(m.source_id, topics, memories) - own for m in mentions},
        idle_days=settings.storyline_idle_days,
        established=math.inf if one_subject else settings.storyline_sources,
        times=times,
        quiet=settings.storyline_quiet_sources,
    )


def _with_themes(
    members: pl.DataFrame, known: pl.DataFrame, memories: StoryMemories
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the columns of members and entities that anchors need, with themes, matters and names in texts."""
    found = memories.theme_anchors()
    columns = ["entity_id", "type", "name", "aliases", "is_owner"]
    rows = [(theme_id, THEME_TYPE, name, [], False) for theme_id, (name, _) in found.items()]
    rows += [
        (one.anchor_id, RELATIVE if one.is_relative else MATTER, one.name, list(one.forms), False)
        for one in memories.matters.values()
    ]
    sources = [(theme_id, source_id) for theme_id, (_, telling) in found.items() for source_id in sorted(telling)]
    sources += [row for row in memories.mentions().iter_rows() if row[0] not in found]
    entities = known.select(columns)
    named = members.select("entity_id", "source_id")
    return (
        pl.concat([named, pl.DataFrame(sources, schema=named.schema, orient="row")]).unique(maintain_order=True),
        pl.concat([entities, pl.DataFrame(rows, schema=entities.schema, orient="row")]),
    )


def _usable(anchor: Mapping[str, Any], thread: Thread, memories: StoryMemories | None) -> list[StoryMemory]:
    """Return the memories of a thread that belong to the anchor."""
    ids = [m.source_id for m in thread.mentions]
    return [] if memories is None else memories.of(anchor["entity_id"], ids, Names(names_of(anchor)))


def _says_nothing(
    anchor: Mapping[str, Any], thread: Thread, usable: Sequence[StoryMemory], memories: StoryMemories | None
) -> bool:
    """Return whether a thread has memories, but no part of a summary, or of few sources or a person only one.

    Someone on lists of those present, a tool that is named beside what is done with it.
    """
    if memories is None or not memories.have(m.source_id for m in thread.mentions):
        return False
    few = len(thread.mentions) < MANY_SOURCES or anchor["type"] == PERSON
    return len(parts_of(usable, memories.now)) < (LEAST_PARTS if few else 1)


def _ids(anchor_id: str, threads: Iterable[Thread]) -> list[str]:
    """Return an id for each thread, from anchor and first day, and a number if several began on that day."""
    begun: Counter[int] = Counter()
    ids = []
    for thread in threads:
        begun[thread.first_day] += 1
        number = (begun[thread.first_day],) if begun[thread.first_day] > 1 else ()
        ids.append(content_id("storyline", anchor_id, _date(thread.first_day), *number))
    return ids


def _storyline(
    storyline_id: str,
    anchor: Mapping[str, Any],
    thread: Thread,
    topics: Topics,
    own: Terms,
    promoted_at: int,
    now: datetime,
    settings: MemorySettings,
    usable: Sequence[StoryMemory],
    memories: StoryMemories | None,
) -> dict[str, Any]:
    mentions = thread.mentions
    ids = [m.source_id for m in mentions]
    quoted = memories.quotable(ids) if memories else ids
    series = topics.series(ids)
    journeys = memories.journeys(anchor["entity_id"]) if memories and anchor["type"] == PLACE else 0
    about = Anchor(anchor["name"], Names(names_of(anchor)), anchor["type"], journeys)
    home = Home(memories.sources_of_words, memories.total, topics.forms_of_people) if memories else None
    keyed = {one: topics.forms(one) for one in quoted} if memories else {}
    topic = ", ".join(topics.commonest(quoted, own | series, [m.text for m in usable]))
    times = [EPOCH + timedelta(microseconds=m.at) for m in (mentions[0], mentions[-1])]
    evidence = [sorted(names_of(anchor)), sorted((one, topics.digest(one)) for one in ids), sorted(quoted)]
    return {
        "storyline_id": storyline_id,
        "anchor_id": anchor["entity_id"],
        "anchor": anchor["name"],
        "name": storyline_titles(about, usable, topic, *times, series=word_forms(series), keyed=keyed, home=home),
        "topic": topic,
        "open": micros(now) // DAY_US - thread.last_day <= settings.storyline_idle_days,
        "source_count": len(mentions),
        "weight": sum(m.weight for m in mentions),
        "distinct_days": len({m.day for m in mentions}),
        "started_at": mentions[0].at,
        "last_source_at": mentions[-1].at,
        "promoted_at": promoted_at,
        "team": topics.team(ids),
        "evidence_hash": stable_hash([*evidence, digest(usable)] if usable else evidence),
    }


def _compared(
    line: Mapping[str, Any], anchor: Mapping[str, Any], thread: Thread, usable: Sequence[StoryMemory], **how: bool
) -> Line:
    sources = frozenset(m.source_id for m in thread.mentions)
    memories = frozenset(m.memory_id for m in usable if m.kept)
    moves = frozenset(m.memory_id for m in usable if m.facet and is_move(m.facet.row))
    title, bare = line["name"][0], len(line["name"]) == UNTOLD
    return Line(
        line["storyline_id"], anchor["name"], anchor["type"], title, sources, memories, moves=moves, bare=bare, **how
    )


def _storylines_frame(lines: list[dict[str, Any]]) -> pl.DataFrame:
    """Return the rows of STORYLINES, given with a list of titles to choose from as `name`."""
    lines = sorted(lines, key=lambda line: (line["started_at"], -line["source_count"], line["storyline_id"]))
    for line, title in zip(lines, titles_apart([line["name"] for line in lines]), strict=True):
        line["name"] = title
    times = ("started_at", "last_source_at", "promoted_at")
    empty = pl.DataFrame(STORYLINES.empty_table())
    schema = {name: pl.Int64 if name in times else kind for name, kind in empty.schema.items()}
    frame = pl.DataFrame(lines, schema=schema)
    return frame.with_columns(pl.col(name).cast(TIME) for name in times).sort("storyline_id")


def _sources_frame(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    empty = pl.DataFrame(STORYLINE_SOURCES.empty_table())
    schema = {name: pl.Int64 if name == "event_at" else kind for name, kind in empty.schema.items()}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(pl.col("event_at").cast(TIME)).sort("storyline_id", "source_id")


def _date(day: int) -> str:
    return (EPOCH + timedelta(days=day)).date().isoformat()
