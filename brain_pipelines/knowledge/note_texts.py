"""The texts in which agents and people write notes and decisions: those of the source types that say so."""

from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import SnapshotInput
from brain_pipelines.sources.registry import SOURCES

if TYPE_CHECKING:
    import polars as pl

# What a stage that calls `agent_notes` declares to read.
NOTE_TEXTS = tuple(("text", source.name) for source in SOURCES if source.writes_notes)


def agent_notes(snapshot: SnapshotInput) -> "pl.DataFrame":
    """Return the rows of `text` of the source types that write notes."""
    import polars as pl

    return pl.concat([snapshot.lake(table, None, source) for table, source in NOTE_TEXTS])
