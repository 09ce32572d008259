"""What the memories of a home have in common: which words and names recur, and whether its notes are jotted facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

from brain_retrieval.knowledge.memories.shown.fitness import PROGRAMS

JOTTED = 600  # characters of a note of a few lines, which is not written to quote others
# Notes in which people log what they do have .05 to .14 of memories that are likely to be kept, notes of facts .24 to
# .65, in 8 and 13 homes.
MUCH_JOTTED, KEPT, MUCH_KEPT = 0.25, 0.6, 0.2
# An entry of a diary may be as short as a note of facts. It tells several things that happened, of which its writer did
# some; of 18 notes of a phone none did, of 20 entries of a diary 16.
LEAST_STEPS, MUCH_STEPS = 2, 0.25
_STEP = frozenset({"kind", "slot_attribute", "valid_to"})  # columns


@dataclass(frozen=True)
class Surroundings:
    """What the memories of a home have in common.

    Args:
        sources: their number.
        of_word: sources by word; of_name: sources by name; named: memories by name.
        keeps: float64 (n,), the probabilities of all memories, ascending.
        repeated: passages that stand more than once.
        jotted: sources that are notes of a few lines: all their memories lie in the first JOTTED characters, and
            they do not tell of a day.
        diaries: those that do.
        with_programs: sources in which a program answers.
        latest: when the newest of them was said; None: there are none.
        of_facts: whether these hold facts ("vet is Hannah"), and not what was done or is to do on a day.
    """

    sources: int
    of_word: Mapping[str, int]
    of_name: Mapping[str, int]
    named: Mapping[str, int]
    keeps: np.ndarray
    repeated: frozenset[str]
    jotted: frozenset[str]
    of_facts: bool
    with_programs: frozenset[str] = frozenset()
    diaries: frozenset[str] = frozenset()
    latest: datetime | None = None

    @classmethod
    def of(cls, memories: pl.DataFrame) -> "Surroundings":
        """Return the surroundings of rows of MEMORIES."""
        names = pl.col("entities").list.eval(pl.element().struct.field("name"))
        named = memories.lazy().select("source_id", names.alias("name")).explode("name").drop_nulls()
        words = memories.lazy().select("source_id", pl.col("anchors").alias("name")).explode("name").drop_nulls()
        repeated = memories.lazy().group_by("evidence").len().filter(pl.col("len") > 1).select("evidence")
        sources = pl.col("source_id").n_unique()
        jotted, diaries = _jotted(memories)
        return cls(
            sources=memories["source_id"].n_unique(),
            of_word=_counts(words.group_by("name").agg(sources.alias("n"))),
            of_name=_counts(named.group_by("name").agg(sources.alias("n"))),
            named=_counts(named.group_by("name").agg(pl.len().alias("n"))),
            keeps=memories["keep"].sort().to_numpy(),
            repeated=frozenset(repeated.collect().to_series().to_list()),
            jotted=jotted,
            of_facts=_are_facts(memories, jotted),
            with_programs=_with_programs(memories),
            diaries=diaries,
            latest=_latest(memories),
        )


def _latest(memories: pl.DataFrame) -> datetime | None:
    latest = memories["said_at"].max() if "said_at" in memories.columns else None
    return latest if isinstance(latest, datetime) else None


def _with_programs(memories: pl.DataFrame) -> frozenset[str]:
    if "speaker" not in memories.columns:
        return frozenset()
    program = pl.col("speaker").str.to_lowercase().is_in(list(PROGRAMS))
    return frozenset(memories.lazy().filter(program).select("source_id").unique().collect().to_series().to_list())


def _jotted(memories: pl.DataFrame) -> tuple[frozenset[str], frozenset[str]]:
    """Return the notes of a few lines, and apart from them those that tell of a day."""
    notes = memories.lazy().filter(pl.col("source") == "note")
    tells = _tells_of_day() if _STEP.issubset(memories.columns) else pl.lit(value=False)
    short = notes.group_by("source_id").agg(pl.col("end").max(), diary=tells).filter(pl.col("end") <= JOTTED).collect()
    diaries, others = (short.filter(pl.col("diary") == wanted)["source_id"].to_list() for wanted in (True, False))
    return frozenset(others), frozenset(diaries)


def _tells_of_day() -> pl.Expr:
    """Return whether the memories of a source, which are grouped, tell what their writer did and saw on a day."""
    step = (
        pl.col("kind").is_in(["event", "feeling"]) & pl.col("slot_attribute").is_null() & pl.col("valid_to").is_null()
    )
    own = pl.col("entities").list.eval(pl.element().struct.field("role") == "speaker").list.any()
    return (step.sum() >= LEAST_STEPS) & (step.mean() >= MUCH_STEPS) & (step & own.fill_null(False)).any()


def _are_facts(memories: pl.DataFrame, jotted: frozenset[str]) -> bool:
    """Return whether notes of a few lines are a good part of a home, and much of what they say is worth keeping."""
    kept = memories.filter(pl.col("source_id").is_in(list(jotted)))["keep"]
    return len(kept) >= MUCH_JOTTED * len(memories) > 0 and (kept >= KEPT).sum() >= MUCH_KEPT * len(kept)


def _counts(found: pl.LazyFrame) -> dict[str, int]:
    return dict(found.collect().iter_rows())
