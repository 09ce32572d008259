"""Run planning: groups dirty days into runs for the inbox sensor and `brain rerun`.

A run covers one user, one source and at most `MAX_SPAN` consecutive days. Pure functions: nothing is read or launched
here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from brain_retrieval.ids import combined_hash, stable_hash

MAX_SPAN = 31
# The overhead of a run equals about 40 asset partitions, i.e. 7 days of six stages, so covering up to a week of empty
# days is cheaper than a second run. Their materialisations are correct: the days were checked and are empty.
MAX_GAP = 7
MAX_REQUESTS = 100


@dataclass(frozen=True, order=True)
class DirtyDay:
    """A day of one user and source whose landed items differ from those last materialised."""

    user: str
    source: str
    day: str
    content: str  # hash of the day's landed items


@dataclass(frozen=True)
class SpanRequest:
    """One run to launch. `start` and `end` are inclusive ISO days; `days` are the days with changes.

    `stages` limits the run to these; empty: all.
    """

    user: str
    source: str
    start: str
    end: str
    days: tuple[str, ...]
    content: str
    stages: tuple[str, ...] = ()

    def run_key(self, batch: int) -> str:
        """Return a key that is new for every delivery, even of old content, and equal if a tick is repeated.

        Dagster never forgets run keys, so a key of the content alone would ignore "edited, then restored".
        """
        return f"{self.source}:{self.user}:{self.start}:{self.end}:{self.content}:{batch}"


@dataclass(frozen=True)
class Plan:
    """The requests of one tick, the days they cover, their batch number, and how many deletions wait."""

    requests: tuple[SpanRequest, ...]
    taken: tuple[DirtyDay, ...]
    batch: int
    left: int  # dirty days left for a later tick
    held: int = 0  # deletions that wait for a confirmation, of all users


def spans(days: Iterable[str], *, max_span: int = MAX_SPAN, max_gap: int = MAX_GAP) -> list[list[str]]:
    """Group ISO days into runs of at most `max_span` calendar days, with gaps of at most `max_gap` empty days."""
    groups: list[list[str]] = []
    for day in sorted(set(days)):
        this = date.fromisoformat(day)
        if groups:
            first, last = (date.fromisoformat(d) for d in (groups[-1][0], groups[-1][-1]))
            if (this - last).days <= max_gap + 1 and (this - first).days < max_span:
                groups[-1].append(day)
                continue
        groups.append([day])
    return groups


def days_between(start: str, end: str) -> list[str]:
    """Return every ISO day from `start` to `end`, both inclusive."""
    first, last = date.fromisoformat(start), date.fromisoformat(end)
    return [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


def batch_of(cursor: str | None) -> int:
    """Return the batch number of a cursor, 0 if it cannot be parsed: all days are then offered again."""
    return int(cursor) if cursor and cursor.isdecimal() else 0


def plan_runs(dirty: Sequence[DirtyDay], cursor: str | None, *, limit: int = MAX_REQUESTS) -> Plan:
    """Group dirty days into at most `limit` runs; the rest waits for the next tick.

    Args:
        dirty: days that await a run, of all users, in any order.
        cursor: the last batch number that Dagster accepted; None at the first tick.
        limit: maximum requests per tick; submitting one costs the daemon 0.06–0.2 CPU seconds.
    """
    batch = batch_of(cursor) + 1
    requests: list[SpanRequest] = []
    taken: list[DirtyDay] = []
    ordered = sorted(dirty)
    for (user, source), group in groupby(ordered, key=lambda d: (d.user, d.source)):
        by_day = {d.day: d for d in group}
        for span in spans(by_day):
            if len(requests) == limit:
                break
            members = [by_day[day] for day in span]
            content = combined_hash(stable_hash([m.day, m.content]) for m in members)
            requests.append(SpanRequest(user, source, span[0], span[-1], tuple(span), content))
            taken.extend(members)
    return Plan(tuple(requests), tuple(taken), batch, len(ordered) - len(taken))
