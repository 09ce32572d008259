"""The history of storylines: differences between consecutive snapshots as events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import polars as pl

Kind = Literal["promoted", "followed", "grew", "shrank", "closed", "reopened", "retold", "gone"]
Rows = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class StorylineEvent:
    """A change of a storyline in the snapshot of `day`; `source_count` is the new number, `change` the difference.

    promoted: new. followed: new, and its anchor had a storyline before. grew, shrank: number of sources. closed: no
    source for so long that the next one starts another storyline. reopened: a source of earlier days arrived late.
    retold: its summary changed. gone: its sources were removed or now belong to another storyline.
    """

    day: str
    kind: Kind
    storyline_id: str
    anchor: str
    name: str
    source_count: int
    change: int = 0


def history(
    snapshots: Mapping[str, pl.DataFrame], summaries: Mapping[str, pl.DataFrame] | None = None
) -> list[StorylineEvent]:
    """Return the events of snapshots, oldest first.

    Args:
        snapshots: STORYLINES by day. Changes of a missing snapshot appear in the next one.
        summaries: SUMMARIES by day, for the events "retold".
    """
    days = sorted(snapshots)
    rows = [_by_id(snapshots[day]) for day in days]
    summaries_of_days = [_descriptions((summaries or {}).get(day)) for day in days]
    events: list[StorylineEvent] = []
    for n, day in enumerate(days):
        before = rows[n - 1] if n else {}
        events += _changes(day, before, rows[n])
        if n:
            events += _retold(day, summaries_of_days[n - 1], summaries_of_days[n], rows[n])
    return events


def evidence_counts(snapshots: Mapping[str, pl.DataFrame], storyline_id: str) -> list[tuple[str, int]]:
    """Return (day, sources) of a storyline for each snapshot on which its evidence changed."""
    counts = [
        (day, snapshots[day].filter(pl.col("storyline_id") == storyline_id)["source_count"])
        for day in sorted(snapshots)
    ]
    found = [(day, int(column[0])) for day, column in counts if len(column)]
    return found[:1] + [now for before, now in pairwise(found) if before[1] != now[1]]


def _by_id(storylines: pl.DataFrame) -> Rows:
    columns = ["storyline_id", "anchor_id", "anchor", "name", "open", "source_count", "started_at"]
    rows = storylines.select(columns).sort("started_at", "storyline_id").iter_rows(named=True)
    return {row["storyline_id"]: row for row in rows}


def _descriptions(summaries: pl.DataFrame | None) -> dict[str, str]:
    return {} if summaries is None else dict(summaries.select("item_id", "description").iter_rows())


def _changes(day: str, before: Rows, after: Rows) -> Iterator[StorylineEvent]:
    first = {row["anchor_id"]: key for key, row in reversed(after.items())}
    for key, row in after.items():
        old = before.get(key)
        if old is None:
            yield _event(day, "promoted" if first[row["anchor_id"]] == key else "followed", row)
            continue
        change = row["source_count"] - old["source_count"]
        if change:
            yield _event(day, "grew" if change > 0 else "shrank", row, change)
        if row["open"] != old["open"]:
            yield _event(day, "reopened" if row["open"] else "closed", row)
    for key, old in before.items():
        if key not in after:
            yield _event(day, "gone", {**old, "source_count": 0}, -old["source_count"])


def _retold(day: str, before: dict[str, str], after: dict[str, str], rows: Rows) -> Iterator[StorylineEvent]:
    for key, row in rows.items():
        if key in before and key in after and before[key] != after[key]:
            yield _event(day, "retold", row)


def _event(day: str, kind: Kind, row: Mapping[str, Any], change: int = 0) -> StorylineEvent:
    return StorylineEvent(day, kind, row["storyline_id"], row["anchor"], row["name"], row["source_count"], change)
