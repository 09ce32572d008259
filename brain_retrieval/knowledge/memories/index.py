"""The index of a user's memories: words and names with the rows that have them, so that a question reads few rows.

Rows are ordered by the time from which they hold, so a larger row number is a newer memory. The index is a function of
the rows, and is kept in the memory of the process as long as they are unchanged (`stored.py`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from brain_retrieval.knowledge.memories.compared.claims import RULE_KINDS, WRITTEN
from brain_retrieval.knowledge.memories.facets import LONG_AGO
from brain_retrieval.knowledge.memories.postings import Postings, Rows
from brain_retrieval.language.content_words import content_words
from brain_retrieval.stores.lake_cache import Change

MOST_PIECES = 32  # of which the rows consist after changes
_ORDERED = ("memory_id", "said_at", "effective_from", "valid_to", "from_stated")  # what the order depends on


@dataclass(frozen=True)
class MemoryIndex:
    """Rows of MEMORIES, oldest first. Words and names are indexed when first asked for."""

    rows: pl.DataFrame
    kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)  # computed of it: `endings.py`

    @classmethod
    def of(cls, memories: pl.DataFrame) -> "MemoryIndex":
        """Index rows of MEMORIES."""
        return cls(memories[_order(memories)])

    def renewed(self, change: Change) -> tuple["MemoryIndex", Rows]:
        """Return the index after a change, and for each row of this one its row there, -1 if that is not there."""
        given = change.rows.select(self.rows.columns)
        kept = self.rows.select(change.unchanged()).to_series().to_numpy().copy()
        known, again = _same(self.rows, np.flatnonzero(~kept), given)  # a day is written as a whole
        kept[known] = True
        fresh = given[np.setdiff1d(np.arange(given.height), again)]
        both = pl.concat([self.rows, fresh])
        # The rows of both that are there now.
        found = np.concatenate([np.flatnonzero(kept), np.arange(self.rows.height, both.height)])
        found = found[_order(both.select(*_ORDERED)[found]).to_numpy()]
        row = np.full(both.height, -1)
        row[found] = np.arange(len(found))
        moved, new = row[: self.rows.height], row[self.rows.height :]
        after = MemoryIndex(_taken(both, found))
        after.__dict__.update(self._postings(moved, fresh, new))
        return after, moved

    def _postings(self, moved: Rows, fresh: pl.DataFrame, new: Rows) -> Mapping[str, Postings]:
        """Return the postings that have been asked for, as they are after rows have moved and new ones have come."""
        asked = [name for name in ("names", "ending", "words", "sources") if name in self.__dict__]
        order = np.argsort(new)
        index = MemoryIndex(fresh[order]) if asked else self
        return {name: self.__dict__[name].renewed(moved, getattr(index, name), new[order]) for name in asked}

    @cached_property
    def begun(self) -> np.ndarray:
        """When each memory was said or held first, in microseconds."""
        return self.rows.select(pl.min_horizontal("said_at", _starts())).to_series().to_physical().to_numpy()

    @cached_property
    def ephemeral(self) -> bool:
        """Whether a memory expires."""
        return bool((self.rows["ttl_policy"] == "ephemeral").any())

    @cached_property
    def changing(self) -> Postings:
        """The words of the memories that state a change, value or attribute."""
        return self.words.only(self.changes)

    @cached_property
    def changes(self) -> np.ndarray:
        """Whether each memory states a change, a value or an attribute, denies something, or is a stored rule."""
        stated = pl.col("slot_attribute").is_not_null() | (pl.col("values").list.len() > 0)
        denied = (pl.col("polarity") == "negated") & (pl.col("kind") != "event") & (pl.col("modality") == "asserted")
        rules = pl.col("method").is_in(WRITTEN) & pl.col("kind").is_in(RULE_KINDS)
        return self.rows.select((pl.col("cue") != "none") | stated | denied | rules).to_series().to_numpy()

    @cached_property
    def names(self) -> Postings:
        """The names of who and what each memory is about: entities, speaker, subject of its slot."""
        return Postings.of(pl.concat([self._named, self._column("slot_subject")]))

    @cached_property
    def ending(self) -> Postings:
        """The ids of the memories that each memory states to hold no longer."""
        return Postings.of(self._column("ends_hint").explode("word"))

    @cached_property
    def words(self) -> Postings:
        """The words by which a topic finds each memory: anchors, and content words of its entities and speaker."""
        names = self._named["word"].unique().drop_nulls().to_list()
        parts = pl.DataFrame(
            {"word": names, "part": [content_words(name) for name in names]},
            schema={"word": pl.String, "part": pl.List(pl.String)},
        )
        of_names = self._named.join(parts.explode("part"), on="word").select("row", pl.col("part").alias("word"))
        anchors = self._column("anchors").explode("word")
        return Postings.of(pl.concat([anchors, of_names]))

    @cached_property
    def sources(self) -> Postings:
        """The sources that the memories come from."""
        return Postings.of(self._column("source_id"))

    @cached_property
    def spans(self) -> np.ndarray:
        """int64 (n, 2): the evidence of each memory, its first character and the one after its last."""
        return self.rows.select("start", "end").to_numpy()

    @cached_property
    def _named(self) -> pl.DataFrame:
        entities = (
            self._column("entities").explode("word").with_columns(pl.col("word").struct.field("name").alias("word"))
        )
        return pl.concat([entities, self._column("speaker")]).unique()

    def _column(self, name: str) -> pl.DataFrame:
        return self.rows.select(pl.int_range(pl.len(), dtype=pl.Int64).alias("row"), pl.col(name).alias("word"))

    def take(self, rows: Rows) -> list[dict[str, Any]]:
        """Return rows as mappings, in their order."""
        return self.rows[rows].to_dicts()

    def subjects(self, rows: Iterable[Mapping[str, Any]]) -> set[str]:
        """Return who and what rows are about, as `names` has them."""
        found: set[str] = set()
        for row in rows:
            found.update(entity["name"] for entity in row["entities"] or ())
            found.update(name for name in (row["speaker"], row["slot_subject"]) if name is not None)
        return found


def _same(rows: pl.DataFrame, wanted: Rows, others: pl.DataFrame) -> tuple[Rows, Rows]:
    """Return which of the rows `wanted` are also among the others, unchanged, and where."""
    place = dict(zip(rows["memory_id"][wanted].to_list(), wanted.tolist(), strict=True))
    pairs = [(place.pop(key), row) for row, key in enumerate(others["memory_id"].to_list()) if key in place]
    own, other = np.array(pairs, np.int64).reshape(-1, 2).T
    before, after = rows[own], others[other]
    # 128 bits of each row: to compare 37 columns takes thirty times as long.
    same = np.logical_and(*((before.hash_rows(n) == after.hash_rows(n)).to_numpy() for n in (1, 2)))
    return own[same], other[same]


def _taken(rows: pl.DataFrame, wanted: Rows) -> pl.DataFrame:
    """Return rows by their numbers. What lies together is not copied: of most days nothing has changed."""
    starts = np.flatnonzero(np.diff(wanted, prepend=-2) != 1)
    if len(starts) > MOST_PIECES:
        return rows[wanted]
    lengths = np.diff(starts, append=len(wanted))
    pieces = zip(wanted[starts].tolist(), lengths.tolist(), strict=True)
    taken = pl.concat([rows.slice(first, length) for first, length in pieces]) if len(starts) else rows.clear()
    return taken.rechunk() if taken.n_chunks() > MOST_PIECES else taken


def _order(memories: pl.DataFrame) -> pl.Series:
    """Return the numbers of the rows in the order of the index, in which no two are equal."""
    known = memories.select("said_at", "memory_id", known_from=_known_from())
    return known.select(pl.arg_sort_by("known_from", "said_at", "memory_id")).to_series()


def _starts() -> pl.Expr:
    """Return from when a memory may hold, as `Facet.starts` has it."""
    return pl.when(_only_ended()).then(pl.lit(LONG_AGO)).otherwise(pl.col("effective_from"))


def _known_from() -> pl.Expr:
    """Return from when a memory replaces what held before, as `Facet.known_from` has it."""
    return pl.when(_only_ended()).then(pl.col("valid_to")).otherwise(pl.col("effective_from"))


def _only_ended() -> pl.Expr:
    ended = (pl.col("valid_to") <= pl.col("said_at")) & ~pl.col("from_stated")
    return ended.fill_null(value=False)
