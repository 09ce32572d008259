"""The texts that hold notes and manual decisions: those of source types with `writes_notes`."""

from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import SnapshotInput
from brain_pipelines.sources.registry import SOURCES

if TYPE_CHECKING:
    import polars as pl

# The lake inputs to declare in a stage that calls `agent_notes`.
NOTE_TEXTS = tuple(("text", source.name) for source in SOURCES if source.writes_notes)


def agent_notes(snapshot: SnapshotInput) -> "pl.DataFrame":
    """Return the rows of `text` of the source types that write notes."""
    import polars as pl

    return pl.concat([snapshot.lake(table, None, source) for table, source in NOTE_TEXTS])
