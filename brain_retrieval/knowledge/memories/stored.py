"""Reading memories from the lake: the rows of all sources that Brain has now, indexed while they are unchanged.

They are read as they are stored, so a memory is visible as soon as its day has been extracted, without a snapshot.
"""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.endings import carry_over
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.postings import Rows
from brain_retrieval.knowledge.memories.shown.display import MIN_KEEP, OPENING, ROUTINE
from brain_retrieval.knowledge.memories.shown.fitness import FEW, KNOWN
from brain_retrieval.knowledge.memories.shown.matters import is_matter
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.knowledge.memory_states import EPISODIC_DAYS
from brain_retrieval.language.concepts import MARK
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_cache import Change, LakeCache

MOST_CACHED = 1_500_000  # rows of all users that one process keeps; about 1 KB each
TOPIC_SOURCES, TOPIC_POWER = 3, 0.4  # 3 of 10 sources, 7 of 100, 16 of 1,000
_ROUTINE, _NAMES, _SURROUNDINGS = "routine openings", "known names", "surroundings"  # of what an index keeps
_TOPICS, _MATTERS = "topics", "matters of a life"


def _renewed(index: MemoryIndex, change: Change) -> MemoryIndex:
    after, places = index.renewed(change)
    carry_over(index, after, places)
    return after


_INDEXES = LakeCache("memories", MemoryIndex.of, most_rows=MOST_CACHED, renew=_renewed)


def memory_index(space: Space, catalog: Catalog | None = None) -> MemoryIndex:
    """Return the index of a user's memories as they are now; it is kept until a lake file of them changes."""
    return _INDEXES.of(space, catalog)


def has_memories(space: Space, catalog: Catalog) -> bool:
    """Return whether the index of a user's memories as they are now is in memory."""
    return _INDEXES.has(space, catalog)


def visible(
    index: MemoryIndex, *, until: datetime | None = None, echoes: pl.DataFrame | None = None
) -> np.ndarray | None:
    """Return for each memory whether it was received by `until`, has not expired and is no echo; None if all are so.

    Args:
        index: of the memories.
        until: None: now.
        echoes: ECHOES of a snapshot.
    """
    wanted = []
    if until is not None:
        wanted.append(pl.col("received_at") <= until)
    if index.ephemeral:
        wanted.append(~_expired(until or datetime.now(UTC)))
    if echoes is not None and not echoes.is_empty():
        wanted.append(~pl.int_range(pl.len()).is_in(_echoed(index.rows, echoes).implode()))
    return index.rows.select(pl.all_horizontal(wanted)).to_series().to_numpy() if wanted else None


def routine_openings(index: MemoryIndex) -> frozenset[str]:
    """Return the openings of evidence that ROUTINE sources or more have in common; computed once for an index."""
    if _ROUTINE not in index.kept:
        likely = index.rows.lazy().filter(pl.col("keep") >= MIN_KEEP)
        often = likely.group_by(pl.col("evidence").str.slice(0, OPENING).alias("opening"))
        found = often.agg(pl.col("source_id").n_unique().alias("sources")).filter(pl.col("sources") >= ROUTINE)
        index.kept[_ROUTINE] = frozenset(found.collect()["opening"].to_list())
    return index.kept[_ROUTINE]


def known_names(index: MemoryIndex) -> frozenset[str] | None:
    """Return the names that KNOWN sources or more have; None if there are fewer than FEW sources. Computed once."""
    if _NAMES not in index.kept:
        names = index.rows.lazy().select("source_id", pl.col("entities").list.eval(pl.element().struct.field("name")))
        often = names.explode("entities").group_by("entities").agg(pl.col("source_id").n_unique().alias("sources"))
        found = often.filter(pl.col("sources") >= KNOWN).select("entities").drop_nulls().collect()
        few = index.rows["source_id"].n_unique() < FEW
        index.kept[_NAMES] = None if few else frozenset(found["entities"].to_list())
    return index.kept[_NAMES]


def surroundings(index: MemoryIndex) -> Surroundings:
    """Return what the memories of an index have in common; computed once for an index."""
    if _SURROUNDINGS not in index.kept:
        index.kept[_SURROUNDINGS] = Surroundings.of(index.rows)
    return index.kept[_SURROUNDINGS]


def topics(index: MemoryIndex) -> frozenset[str]:
    """Return the words that come up again and again: in TOPIC_SOURCES sources, in more of a large home."""
    if _TOPICS not in index.kept:
        home = surroundings(index)
        least = max(TOPIC_SOURCES, home.sources**TOPIC_POWER)
        words = (word for word, count in home.of_word.items() if count >= least and not word.startswith(MARK))
        index.kept[_TOPICS] = frozenset(words)
    return index.kept[_TOPICS]


def life_matters(index: MemoryIndex, rows: Rows, *, most: int) -> Rows:
    """Return the `most` surest of the rows that tell what a life turns on (`shown/matters.py`), in order.

    Each row is read once for an index.
    """
    home, turning = surroundings(index), index.kept.setdefault(_MATTERS, {})
    unread = [number for number in rows.tolist() if number not in turning]
    for number, row in zip(unread, index.rows[unread].iter_rows(named=True), strict=True):
        turning[number] = is_matter(row, home)
    numbers = [number for number in rows.tolist() if turning[number]]
    found = index.rows[numbers].select("memory_id", "keep").with_columns(row=pl.Series(numbers, dtype=pl.Int64))
    surest = found.sort("keep", "memory_id", descending=[True, False]).head(most)
    return surest["row"].sort().to_numpy()


def jotted(index: MemoryIndex) -> frozenset[str]:
    """Return the ids of the notes of a few lines."""
    return surroundings(index).jotted


def worth_judging(
    memories: pl.DataFrame, counted: np.ndarray | None, *, at: datetime, most: int, least_keep: float = MIN_KEEP
) -> Rows:
    """Return the `most` likely and most recent asserted memories; from these the ones to show first are chosen.

    Args:
        memories: rows of MEMORIES.
        counted: bool (n,), those that count; None: all do.
        at: the time asked about.
        most: of them.
        least_keep: the least probability of being worth keeping.
    """
    days = (pl.lit(at) - pl.col("effective_from")).dt.total_days().clip(0)
    rank = pl.col("keep") + 0.5 * (-days / 180).exp()
    wanted = (pl.col("modality") == "asserted") & (pl.col("keep") >= least_keep) & (pl.col("said_at") <= at)
    numbered = memories.lazy().with_columns(_row=pl.int_range(pl.len(), dtype=pl.Int64), rank=rank)
    kept = numbered.filter(wanted if counted is None else wanted & pl.lit(pl.Series(counted)))
    best = kept.sort(["rank", "memory_id"], descending=[True, False]).head(most).select("_row").collect()
    return best.to_series().sort().to_numpy()


def outside_echoes(memories: pl.DataFrame, echoes: pl.DataFrame) -> pl.DataFrame:
    """Return the memories whose evidence does not lie in agent output that repeats retrieved text.

    Args:
        memories: rows of MEMORIES.
        echoes: ECHOES of a snapshot.
    """
    return memories.filter(~pl.int_range(pl.len()).is_in(_echoed(memories, echoes).implode()))


def _echoed(memories: pl.DataFrame, echoes: pl.DataFrame) -> pl.Series:
    """Return the numbers of the rows whose evidence lies in an echo."""
    spans = echoes.select("source_id", pl.col("start").alias("from"), pl.col("end").alias("to"))
    numbered = memories.lazy().select("source_id", "start", "end", row=pl.int_range(pl.len(), dtype=pl.Int64))
    inside = (pl.col("start") >= pl.col("from")) & (pl.col("end") <= pl.col("to"))
    return numbered.join(spans.lazy(), on="source_id").filter(inside).select("row").collect().to_series().unique()


def _expired(now: datetime) -> pl.Expr:
    ephemeral = (pl.col("ttl_policy") == "ephemeral").fill_null(value=False)
    return ephemeral & (pl.col("received_at") <= now - timedelta(days=EPISODIC_DAYS))
