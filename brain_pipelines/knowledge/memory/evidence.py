"""Evidence for the summaries of a snapshot: the sources of each storyline and the passages that can be cited."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.citation_check import is_valid
from brain_pipelines.knowledge.memory.extractive_summary import FIRST, summarise_storyline
from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.passages import Library, Passage, Source
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_pipelines.knowledge.memory.stories.story_parts import memory_passage, parts_of, unread
from brain_pipelines.knowledge.memory.stories.themes import themes

NEWEST = 15  # newest sources of a storyline that are read in addition to the FIRST
READ = FIRST + NEWEST
MOST_MEMORIES = 3  # of a source that are given to a model
DELTA = 10  # new sources used at most to update an existing summary of a model
Row = dict[str, Any]


class Evidence:
    """The sources of storylines and their citable passages, from the tables of one snapshot; see `build_summaries`."""

    def __init__(
        self,
        storylines: pl.DataFrame,
        storyline_sources: pl.DataFrame,
        library: Library,
        known_entities: pl.DataFrame | None,
        previous_sources: pl.DataFrame | None,
        memories: StoryMemories | None = None,
    ) -> None:
        self.library = library
        self._names = _names(storylines, known_entities)
        self._anchor = dict(storylines.select("storyline_id", "anchor_id").iter_rows())
        self._sources = by_storyline(storyline_sources)
        self._before = _ids_by_storyline(previous_sources)
        self._knows_before = previous_sources is not None
        self._memories = memories
        self._memory_texts: dict[str, list[StoryMemory]] = {}

    def ids(self, storyline_ids: Iterable[str]) -> set[str]:
        """Return the ids of the sources of storylines."""
        return {s.source_id for storyline_id in storyline_ids for s in self._sources[storyline_id]}

    def digest(self, storyline_id: str) -> list[Passage]:
        """Return the extractive summary of a storyline: its parts made of memories, without any its best sentences.

        A source without memories takes part with its passages, if it is one of the first or newest.
        """
        usable = self._memories_of(storyline_id)
        if self._memories is None or not any(m.tellable for m in usable):
            return summarise_storyline(self._quoted(storyline_id, selected(self._quotable(storyline_id))))
        known = {m.source_id for m in usable} | {s for s in self.ids([storyline_id]) if self._memories.have([s])}
        if self._anchor[storyline_id] in themes():  # sentences of other sources are found by names
            return [memory_passage(m, part) for part, m in parts_of(usable, self._memories.now)]
        silent = [s for s in selected(self._quotable(storyline_id)) if s.source_id not in known]
        others = [unread(p) for p in self._quoted(storyline_id, silent) if p.text not in self._memories.forms]
        return [memory_passage(m, part) for part, m in parts_of([*usable, *others], self._memories.now)]

    def newest(self, storyline_id: str) -> list[Passage]:
        """Return the passages of a storyline's newest sources, for a summary without a previous version."""
        return self._of(storyline_id, self._quotable(storyline_id)[-READ:])

    def fresh(self, storyline_id: str) -> list[Passage]:
        """Return the passages of at most DELTA sources that the storyline did not have in the previous snapshot."""
        return self._of(storyline_id, _fresh(self._quotable(storyline_id), self._before.get(storyline_id, set())))

    def cited(self, row: Row, storyline_ids: Iterable[str]) -> list[Passage]:
        """Return the passages that a row of SUMMARIES cites from storylines, in the order of events."""
        at = {s.source_id: s for storyline_id in storyline_ids for s in self._sources[storyline_id]}
        found = [
            Passage(at[c["source_id"]], c["start"], c["end"], self.library.memory_text(c), memory_id=c["memory_id"])
            for c in row["citations"]
            if c["source_id"] in at
        ]
        return sorted(found, key=lambda p: (p.source.at, p.source.source_id, p.start))

    def lost(self, storyline_ids: Iterable[str]) -> bool:
        """Return whether storylines lost a source since the previous snapshot."""
        return any(not self._before.get(one, set()) <= self.ids([one]) for one in storyline_ids)

    def vanished(self) -> bool:
        """Return whether a storyline of the previous snapshot no longer exists."""
        return not self._before.keys() <= self._sources.keys()

    def grew(self, storyline_ids: Iterable[str]) -> bool:
        """Return whether storylines gained a source since the previous snapshot; True if that is unknown."""
        return not self._knows_before or any(self.ids([one]) - self._before.get(one, set()) for one in storyline_ids)

    def usable(self, row: Row | None, storyline_ids: Sequence[str]) -> Row | None:
        """Return a previous summary if its citations still exist and still belong to the storylines, else None."""
        if row is None or not {c["source_id"] for c in row["citations"]} <= self.ids(storyline_ids):
            return None
        return row if is_valid(row, self.library) else None

    def _of(self, storyline_id: str, sources: Iterable[Source]) -> list[Passage]:
        """Return the best memories of each source, in the order in which they were said; else its best sentences."""
        usable: dict[str, list[StoryMemory]] = {}
        for m in self._memories_of(storyline_id):
            if m.tellable:
                usable.setdefault(m.source_id, []).append(m)
        found: list[Passage] = []
        for source in sources:
            best = sorted(usable.get(source.source_id, ()), key=lambda m: (-m.keep, m.order))[:MOST_MEMORIES]
            memories = [memory_passage(m) for m in sorted(best, key=lambda m: m.order)]
            found += memories or self._quoted(storyline_id, [source])
        return found

    def _quotable(self, storyline_id: str) -> list[Source]:
        sources = self._sources[storyline_id]
        if self._memories is None:
            return sources
        kept = set(self._memories.quotable(s.source_id for s in sources))
        return [s for s in sources if s.source_id in kept]

    def _memories_of(self, storyline_id: str) -> list[StoryMemory]:
        anchor_id = self._anchor[storyline_id]
        names = self._names.get(anchor_id)
        if self._memories is None or names is None:
            return []
        if storyline_id not in self._memory_texts:
            ids = [s.source_id for s in self._sources[storyline_id]]
            self._memory_texts[storyline_id] = self._memories.of(anchor_id, ids, names)
        return self._memory_texts[storyline_id]

    def _quoted(self, storyline_id: str, sources: Iterable[Source]) -> list[Passage]:
        names = self._names.get(self._anchor[storyline_id])
        return [p for source in sources for p in self.library.passages(source, names)]


def selected(sources: Sequence[Source]) -> Sequence[Source]:
    """Return the FIRST and the NEWEST sources of a chronological list."""
    return sources if len(sources) <= READ else [*sources[:FIRST], *sources[-NEWEST:]]


def readable(storyline_sources: pl.DataFrame, previous_sources: pl.DataFrame | None) -> Iterator[set[str]]:
    """Yield for each storyline the ids of the sources whose text may be read for its summary."""
    before = _ids_by_storyline(previous_sources)
    for storyline_id, sources in by_storyline(storyline_sources).items():
        fresh = _fresh(sources, before.get(storyline_id, set()))
        yield {s.source_id for s in (*selected(sources), *sources[-READ:], *fresh)}


def _fresh(sources: Sequence[Source], known: set[str]) -> list[Source]:
    return [s for s in sources if s.source_id not in known][-DELTA:]


def by_storyline(storyline_sources: pl.DataFrame) -> dict[str, list[Source]]:
    """Return the sources of each storyline in the order of events."""
    found: dict[str, list[Source]] = {}
    rows = storyline_sources.sort("event_at", "source_id")
    for storyline_id, *values in rows.select("storyline_id", "source_id", "source_type", "event_at").iter_rows():
        found.setdefault(storyline_id, []).append(Source(*values))
    return found


def _ids_by_storyline(storyline_sources: pl.DataFrame | None) -> dict[str, set[str]]:
    if storyline_sources is None:
        return {}
    return {key: {s.source_id for s in sources} for key, sources in by_storyline(storyline_sources).items()}


def _names(storylines: pl.DataFrame, known_entities: pl.DataFrame | None) -> dict[str, Names]:
    """Return the names of each anchor."""
    names: dict[str, set[str]] = {}
    for anchor_id, anchor in storylines.select("anchor_id", "anchor").iter_rows():
        names.setdefault(anchor_id, set()).add(anchor)
    if known_entities is not None:
        for entity_id, aliases in known_entities.select("entity_id", "aliases").iter_rows():
            if entity_id in names:
                names[entity_id] |= set(aliases)
    return {anchor_id: Names(found) for anchor_id, found in names.items()}
