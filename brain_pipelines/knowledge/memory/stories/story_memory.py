"""One memory of a storyline, with what titles and summaries ask of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.machine_turns import AGENT_OUTPUT, is_machine
from brain_pipelines.knowledge.memory.stories.headlines import stands_alone
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.shown.orders import begins_as_order

KEPT = 0.4  # minimum probability of a memory that is quoted or counted
REPEATED = 3  # sources with the same sentence, from which on it is the text of a form
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoryMemory:
    """One memory of an anchor. `named`: its text names the anchor.

    At the end of the snapshot, `over`: it has ended; `past`: it announced something for a day that has been.
    """

    memory_id: str
    source_id: str
    source_type: str
    said_at: datetime
    start: int
    end: int
    text: str
    kind: str
    keep: float
    cue: str
    valued: bool
    asserted: bool
    whole: bool
    named: bool
    over: bool
    ahead: bool  # holds from a later day on
    language: str | None = None
    names: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    facet: Facet | None = field(default=None, compare=False)  # None for a sentence of a source without memories
    counted: bool = False  # of a short source, though it is hardly worth keeping
    short: bool = False  # of a short source
    past: bool = False
    mostly: bool = False  # of a source that is mostly about the anchor

    @property
    def order(self) -> tuple[datetime, str, int, str]:
        """The order in which memories were said."""
        return self.said_at, self.source_id, self.start, self.memory_id

    @property
    def entities(self) -> Sequence[Mapping[str, str]]:
        """Return the entities that it names, with name, type and role."""
        return (self.facet.row["entities"] if self.facet else None) or ()

    @property
    def of_program(self) -> bool:
        """Whether a program said it."""
        return self.facet is not None and is_machine(self.facet.row["speaker"] or "")

    @property
    def is_order(self) -> bool:
        """Whether someone is asked to do something, which has not happened: a person, or a program by its user."""
        to_program = self.source_type == AGENT_OUTPUT and self.facet is not None and not self.of_program
        return self.kind == "instruction" or (to_program and begins_as_order(self.text))

    @property
    def kept(self) -> bool:
        """Whether it is asserted or a plan, and probably worth keeping."""
        return self.asserted and (self.keep >= KEPT or self.counted)

    @property
    def tellable(self) -> bool:
        """Whether it can stand in a summary: kept and understandable alone; a short note needs no verb for that."""
        return self.kept and (self.whole or (self.short and stands_alone(self.text, self.language)))


def is_asserted(row: Row) -> bool:
    """Return whether a memory is said to hold, or to be planned: a plan is no certainty and still tells a story."""
    return row["modality"] == "asserted" or (row["modality"] == "possible" and row["kind"] == "plan")


def is_heading(text: str) -> bool:
    """Return whether a text is empty or a heading, which says nothing by itself: "**The board**"."""
    return not text or text.startswith("#") or text.strip("*_") == text[2:-2] != text


def repeated(memories: pl.DataFrame) -> frozenset[str]:
    """Return the sentences that REPEATED sources have word by word: the text of a form, which tells nothing."""
    counted = memories.group_by("evidence").agg(pl.col("source_id").n_unique())
    return frozenset(" ".join(one.split()) for one in counted.filter(pl.col("source_id") >= REPEATED)["evidence"])
