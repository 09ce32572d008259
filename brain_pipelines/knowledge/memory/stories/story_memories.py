"""The memories that belong to the storylines of an anchor, and which sources are about the anchor.

A memory of a source belongs to an anchor if it names it or the anchor says it, not if it is only said to the anchor. In
a source whose memories mostly name the anchor, the others that are probably worth keeping belong to it too.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

import polars as pl

from brain_pipelines.knowledge.memory.extractive_summary import content_words
from brain_pipelines.knowledge.memory.machine_turns import is_machine
from brain_pipelines.knowledge.memory.naming import Names
from brain_pipelines.knowledge.memory.passages import CITED_COLUMNS
from brain_pipelines.knowledge.memory.stories.groups import groups_of
from brain_pipelines.knowledge.memory.stories.matters import found_matters, group_matters
from brain_pipelines.knowledge.memory.stories.memories_by_source import MemoriesBySource
from brain_pipelines.knowledge.memory.stories.named_in_text import named_in_text, real_titles
from brain_pipelines.knowledge.memory.stories.passing import is_listed, names_people
from brain_pipelines.knowledge.memory.stories.projects import project_matters, projects_of
from brain_pipelines.knowledge.memory.stories.published import own_first
from brain_pipelines.knowledge.memory.stories.story_memory import (
    KEPT,
    Row,
    StoryMemory,
    is_asserted,
    is_heading,
    repeated,
)
from brain_pipelines.knowledge.memory.stories.story_rows import TALKS, TELLING, counted, counted_ones, is_past, naming
from brain_pipelines.knowledge.memory.stories.themes import journeys, theme_name, themed, themes
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.stories.closed import CLOSED_SHARE, closed_sources
from brain_retrieval.language.concepts import MARK

KEPT_UNNAMED = 0.5  # of a memory that does not name the anchor, in a source mostly about it
ABOUT_SHARE = 0.25  # of the kept memories of a source must name the anchor, for the source to be about it
MOSTLY, MOSTLY_SHARE = 2, 0.5  # of the kept memories of a source, for it to be mostly about the anchor
COLUMNS = """
    memory_id source_id source said_at start end clause text evidence kind keep self_contained speaker entities anchors
    values effective_from from_stated valid_to polarity modality cue slot_subject slot_attribute slot_value
    ends_hint
""".split()


class StoryMemories:
    """The memories of a snapshot by source and anchor.

    Args:
        memories: rows of MEMORIES with COLUMNS; optionally `language`.
        members: ENTITY_MEMBERS.
        now: the snapshot's end.
        known: KNOWN_ENTITIES, whose names are looked for in texts too.
        sources: source_id, title, keywords, for what they are about without a name; optionally `sensitivity`.
        folders: of the sources that are sessions of programs, the folder in which they worked.
        published: sources that were written for everybody.
    """

    def __init__(
        self,
        memories: pl.DataFrame,
        members: pl.DataFrame,
        now: datetime,
        *,
        known: pl.DataFrame | None = None,
        sources: pl.DataFrame | None = None,
        folders: Mapping[str, str] | None = None,
        published: frozenset[str] = frozenset(),
    ) -> None:
        memories = counted_ones(memories)
        self._rows = memories.sort("source_id", "memory_id")
        self.forms = repeated(memories)  # sentences, as one line
        self.now, self._published = now, published
        named = naming(memories, members)
        self._themed = themed(memories)
        written = {} if sources is None else groups_of(sources)
        self.groups = frozenset(written)
        matters = {} if sources is None else found_matters(self._rows, sources, known)
        projects = projects_of(folders or {})
        self.projects = frozenset(projects)
        self.matters = {**matters, **group_matters(self._rows, written), **project_matters(self._rows, projects)}
        found = self._themed.select("anchor_id", "memory_id")
        self.titled = dict[str, frozenset[str]]()
        if known is not None:
            unmentioned = named_in_text(
                self._rows, known, members, self.sources_of_words, real_titles(sources, self._rows)
            )
            found, self.titled = pl.concat([found, unmentioned.memories]), dict(unmentioned.titled)
        self.titled |= {key: frozenset(one.sources) for key, one in (*written.items(), *projects.items())}
        of_matters = [(one.anchor_id, memory_id) for one in self.matters.values() for memory_id in one.memories]
        found = pl.concat([found, pl.DataFrame(of_matters, schema=found.schema, orient="row")])
        judged = memories.select("memory_id", "source_id", "keep", "self_contained", telling=TELLING)
        others = (
            found.join(named, on=["anchor_id", "memory_id"], how="anti")
            .join(judged, on="memory_id")
            .with_columns(spoken=pl.lit(value=False))
        )
        self._named = pl.concat([named, others.select(named.columns)])
        places = self._rows.with_row_index("at").group_by("source_id").agg(pl.col("at").min(), pl.len().alias("count"))
        self._places = {source_id: (at, count) for source_id, at, count in places.iter_rows()}
        self._closed = closed_sources(sources)
        self._by_source = MemoriesBySource(self._rows, self._places)

    @cached_property
    def writers(self) -> dict[str, frozenset[str]]:
        """Who speaks, by source with memories of a speaker."""
        spoken = (
            self._rows.filter(pl.col("speaker").is_not_null()).group_by("source_id").agg(pl.col("speaker").unique())
        )
        return {source_id: frozenset(found) for source_id, found in spoken.iter_rows()}

    def about(self, anchor_id: str, source_ids: Iterable[str]) -> dict[str, bool]:
        """Return for each source with kept memories whether ABOUT_SHARE of them name the anchor."""
        named, kept = self._counts.get(anchor_id, {}), self._kept
        return {one: named.get(one, 0) >= ABOUT_SHARE * kept[one] for one in source_ids if one in kept}

    def telling(self, anchor_id: str) -> frozenset[str]:
        """Return the sources with a memory that counts, asserted or a plan, whose text or title names the anchor.

        Without such a title there are none if no such memory can be understood alone.
        """
        return self._telling.get(anchor_id, frozenset())

    def have(self, source_ids: Iterable[str]) -> bool:
        """Return whether one of the sources has a memory worth keeping."""
        return any(one in self._kept for one in source_ids)

    def words(self, source_id: str) -> frozenset[str]:
        """Return the words of the memories of a short source that count; long ones have keywords enough."""
        return self._words.get(source_id, frozenset())

    def journeys(self, anchor_id: str) -> int:
        """Return the number of sources that tell of the anchor, a place, as of one that someone goes to."""
        return self._journeys.get(anchor_id, 0)

    def theme_anchors(self) -> dict[str, tuple[str, frozenset[str]]]:
        """Return by theme id its name, in the language of most of its memories, and the sources that tell of it."""
        codes = self._themed.group_by("anchor_id").agg("code")
        return {
            one: (theme_name(one, listed), self.telling(one)) for one, listed in codes.sort("anchor_id").iter_rows()
        }

    def quotable(self, source_ids: Iterable[str]) -> list[str]:
        """Return the sources of a storyline that its title and summary may quote.

        Those of high sensitivity are left out, unless half of the sources are: then the whole waits for its name.
        """
        every = list(source_ids)
        kept = [one for one in every if one not in self._closed]
        return kept if len(kept) > CLOSED_SHARE * len(every) else every

    def of(self, anchor_id: str, source_ids: Iterable[str], names: Names) -> list[StoryMemory]:
        """Return the memories of quotable sources that belong to the anchor, in the order in which they were said."""
        source_ids = self.quotable(source_ids)
        return own_first(self._marked(self._belonging(anchor_id, source_ids, names), anchor_id), self._published)

    def _belonging(self, anchor_id: str, source_ids: Sequence[str], names: Names) -> list[StoryMemory]:
        known, counts = self._ids.get(anchor_id, frozenset()), self._memory_texts_of.get(anchor_id, {})
        if anchor_id in themes():
            rows = self._rows.filter(
                pl.col("source_id").is_in(list(source_ids)), pl.col("memory_id").is_in(list(known))
            )
            return sorted((self._memory(row, named=True) for row in rows.iter_rows(named=True)), key=lambda m: m.order)
        titled = self.titled.get(anchor_id, frozenset())
        found: list[StoryMemory] = []
        rows_of = self._by_source.of(source_ids)
        for source_id in source_ids:
            own: list[StoryMemory] = []
            others: list[Row] = []
            for row, text in rows_of[source_id]:
                named, listed = names.mentioned_in(text), is_listed(text, names)
                meant = row["memory_id"] in known and (anchor_id in self.matters or not names_people(row))
                if names.match_speaker(row["speaker"]) or ((named or meant) and not listed):
                    own.append(self._memory(row, named=named))
                else:
                    others.append(row)
            least = max(MOSTLY, MOSTLY_SHARE * self._kept.get(source_id, math.inf))
            if source_id in titled:
                found += own + self._likely(others)
            else:
                found += own + (self._near(names, own, others) if counts.get(source_id, 0) >= least else [])
        return sorted(found, key=lambda m: m.order)

    def _marked(self, memories: Sequence[StoryMemory], anchor_id: str) -> list[StoryMemory]:
        """Return the memories of a storyline, those marked whose source has its name as title or is mostly about it.

        A sentence beside much else only mentions what the storyline is about, and talk drifts.
        """
        counts = Counter(m.source_id for m in memories if m.source_type not in TALKS)
        titled = self.titled.get(anchor_id, frozenset())
        about = titled | {one for one, n in counts.items() if n > MOSTLY_SHARE * self._places[one][1]}
        return [replace(m, mostly=m.source_id in about) for m in memories]

    def _near(self, names: Names, own: Sequence[StoryMemory], others: Sequence[Row]) -> list[StoryMemory]:
        """Return the other memories of a source mostly about the anchor that share a word with those that name it."""
        common = {word for m in own if m.named for word in m.words if not names.has_form(word)}
        spoken = [row for row in others if not is_machine(row["speaker"] or "")]  # what programs answer drifts
        likely = [m for m in self._likely(spoken) if m.words & common]
        return [m for m in likely if not (m.facet and names_people(m.facet.row))]

    def _likely(self, rows: Iterable[Row]) -> list[StoryMemory]:
        return [self._memory(row, named=False) for row in rows if row["keep"] >= KEPT_UNNAMED]

    def mentions(self) -> pl.DataFrame:
        """Return anchor_id and source_id of what is named in texts and titles, and of matters."""
        named = self._named.filter(~pl.col("spoken")).select("anchor_id", "source_id")
        titles = [(anchor_id, source_id) for anchor_id, ids in self.titled.items() for source_id in sorted(ids)]
        return pl.concat([named, pl.DataFrame(titles, schema=named.schema, orient="row")]).unique()

    def cited(self, source_ids: pl.Series) -> pl.DataFrame:
        """Return what citations of memories of sources need."""
        return self._rows.filter(pl.col("source_id").is_in(source_ids.unique().to_list())).select(CITED_COLUMNS)

    def _memory(self, row: Row, *, named: bool) -> StoryMemory:
        return StoryMemory(
            memory_id=row["memory_id"],
            source_id=row["source_id"],
            source_type=row["source"],
            said_at=row["said_at"],
            start=row["start"],
            end=row["end"],
            text=" ".join(row["text"].split()),
            kind=row["kind"],
            keep=row["keep"],
            cue=row["cue"],
            valued=bool(row["values"]),
            asserted=is_asserted(row)
            and not is_heading(row["text"].strip())
            and " ".join(row["evidence"].split()) not in self.forms,
            whole=row["self_contained"],
            named=named,
            over=row["valid_to"] is not None and row["valid_to"] <= self.now,
            past=is_past(row, self.now),
            ahead=row["effective_from"] > self.now,
            language=row.get("language"),
            names=tuple(entity["name"] for entity in row["entities"] or ()),
            words=frozenset(word for word in row["anchors"] if not word.startswith(MARK)) or content_words(row["text"]),
            facet=Facet(row),
            counted=row["counted"],
            short=row["short"],
        )

    @cached_property
    def sources_of_words(self) -> Mapping[str, frozenset[str]]:
        """Return by form of a word the sources whose memories have it."""
        words = self._rows.select("source_id", word="anchors").explode("word").drop_nulls()
        grouped = words.group_by("word").agg(pl.col("source_id").unique())
        return {word: frozenset(ids) for word, ids in grouped.iter_rows()}

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        counted = self._rows.filter("counted", "short").select("source_id", word="anchors").explode("word").drop_nulls()
        plain = counted.filter(~pl.col("word").str.starts_with(MARK)).group_by("source_id").agg("word")
        return {source_id: frozenset(words) for source_id, words in plain.iter_rows()}

    @cached_property
    def total(self) -> int:
        """Return the number of sources with memories."""
        return self._rows["source_id"].n_unique()

    @cached_property
    def _kept(self) -> dict[str, int]:
        return dict(self._rows.filter(pl.col("keep") >= KEPT).group_by("source_id").len().iter_rows())

    @cached_property
    def _counts(self) -> dict[str, dict[str, int]]:
        """Kept memories by anchor and source that name it or that it says."""
        return counted(self._named)

    @cached_property
    def _memory_texts_of(self) -> dict[str, dict[str, int]]:
        """Kept memories by anchor and source that name it."""
        return counted(self._named.filter(~pl.col("spoken")))

    @cached_property
    def _telling(self) -> Mapping[str, frozenset[str]]:
        named = self._named.filter(pl.col("telling") & ~pl.col("spoken"))
        whole = named.filter("self_contained").select("anchor_id").unique()
        grouped = named.join(whole, on="anchor_id", how="semi").group_by("anchor_id").agg(pl.col("source_id").unique())
        found = {anchor_id: frozenset(ids) for anchor_id, ids in grouped.iter_rows()}
        counted = frozenset(self._rows.filter(TELLING)["source_id"])
        return found | {key: found.get(key, frozenset()) | (ids & counted) for key, ids in self.titled.items()}

    @cached_property
    def _journeys(self) -> Mapping[str, int]:
        found = self._named.filter(pl.col("telling") & ~pl.col("spoken")).join(
            journeys(self._rows), on="memory_id", how="semi"
        )
        return dict(found.group_by("anchor_id").agg(pl.col("source_id").n_unique()).iter_rows())

    @cached_property
    def _ids(self) -> Mapping[str, frozenset[str]]:
        grouped = self._named.group_by("anchor_id").agg("memory_id")
        return {anchor_id: frozenset(ids) for anchor_id, ids in grouped.iter_rows()}
