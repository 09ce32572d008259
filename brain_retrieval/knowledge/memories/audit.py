"""A temporal audit: what held at a time, what was known then, and which statement ended which, with citations.

    state at T (all that has been received) · known at T (received by T) · changes up to T, in order of time

Statements of a topic are judged as by `brain facts`; an audit adds why each one ended.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from brain_retrieval.knowledge.memories import SHOWN
from brain_retrieval.knowledge.memories.asked.lines import SAME_CONCEPT
from brain_retrieval.knowledge.memories.cards import MemoryCard, card_of
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.supersession import Ending
from brain_retrieval.knowledge.memories.view import ENDED, OUTDATED, Seen
from brain_retrieval.language.content_words import content_words

SHARE = 0.5  # of the best match, that a statement has at least, to belong to the topic
CLAIMS = ("asserted", "reported")  # questions and possibilities neither hold nor contradict


@dataclass(frozen=True)
class Change:
    """One statement ended by another: by which rule (`supersession.py`), and with which cue of change in its words.

    Attributes:
        sure: true for a supersession; false for a contradiction of which it is not sure that it ended the first.
        since: from when the newer statement holds.
        cue: none | weak | strong.
    """

    ended: MemoryCard
    by: MemoryCard
    rule: str
    cue: str
    sure: bool
    since: datetime

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        own = {"rule": self.rule, "cue": self.cue, "sure": self.sure, "since": self.since.isoformat()}
        return {"ended": self.ended.to_json(), "by": self.by.to_json(), **own}


@dataclass(frozen=True)
class Audit:
    """What held about a topic `at` a time, `known` what of it had been received by then, and all `changes` up to it."""

    about: str
    at: datetime
    known_at: datetime | None
    state: tuple[MemoryCard, ...]
    known: tuple[MemoryCard, ...]
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return {
            "about": self.about,
            "at": self.at.isoformat(),
            "known_at": None if self.known_at is None else self.known_at.isoformat(),
            "state": [card.to_json() for card in self.state],
            "known": [card.to_json() for card in self.known],
            "changes": [change.to_json() for change in self.changes],
        }


def audit(
    reader: MemoryReader, about: str, *, names: Sequence[str] = (), at: datetime | None = None, limit: int = SHOWN
) -> Audit:
    """Return the audit of a name or topic at a time, now if not given.

    Args:
        reader: of the memories; its `known_at` limits everything.
        about: a name, or words such as "launch date".
        names: further names of what is called so.
        at: the time asked about.
        limit: of statements in `state` and `known`; changes are not limited.
    """
    moment = at or reader.known_at or datetime.now(UTC)
    then = replace(reader, known_at=min(moment, reader.known_at or moment))
    seen = _fitting_any(reader, (about, *names), moment)
    state, known = (_holding(one, limit) for one in (seen, _fitting_any(then, (about, *names), moment)))
    return Audit(about, moment, reader.known_at, state, known, _changes(reader, seen))


def _fitting_any(reader: MemoryReader, names: Sequence[str], at: datetime) -> list[Seen]:
    """Return the statements of a topic under any of its names, each once."""
    found: dict[str, Seen] = {}
    for name in names:
        for one in _fitting(reader, name, at):
            found.setdefault(one.row["memory_id"], one)
    return list(found.values())


def _fitting(reader: MemoryReader, about: str, at: datetime) -> list[Seen]:
    """Return the statements of a topic, the best match first, without those that share little with it.

    A concept alone is little beside a statement that has the words: any price beside the rent. What has all words of
    the topic fits, however much better another one does: a name in the middle of a sentence beside one that begins it.
    """
    found = [one for one in reader.seen(about, at=at) if one.row["modality"] in CLAIMS]
    best = max((one.match for one in found), default=0.0)
    words = frozenset(content_words(about))
    fitting = [one for one in found if one.match >= SHARE * best or (words and words <= Facet(one.row).written)]
    return [one for one in fitting if one.match > SAME_CONCEPT * best or reader.has_word(about, one.row)]


def _holding(seen: Iterable[Seen], limit: int) -> tuple[MemoryCard, ...]:
    holding = [one for one in seen if one.status not in (ENDED, OUTDATED)]
    return tuple(card_of(one) for one in holding[:limit])


def _changes(reader: MemoryReader, seen: Sequence[Seen]) -> tuple[Change, ...]:
    """Return for each ended statement what ended it first, in order of time."""
    rows = reader.rows_by_id({ending.memory_id for one in seen for ending in one.ended_by})
    first = [(one, _first(one.ended_by, rows)) for one in seen if one.ended_by]
    changes = [_change(one, ending, rows[ending.memory_id]) for one, ending in first if ending is not None]
    return tuple(sorted(changes, key=lambda one: (one.since, one.by.said_at, one.ended.said_at, one.ended.memory_id)))


def _first(endings: Iterable[Ending], rows: Mapping[str, Mapping[str, Any]]) -> Ending | None:
    """Return the earliest of the sure endings, else of the unsure ones."""
    found = [one for one in endings if one.memory_id in rows]
    return min(found, key=lambda one: (not one.sure, *_order(rows[one.memory_id])), default=None)


def _order(row: Mapping[str, Any]) -> tuple[datetime, datetime, str]:
    return row["effective_from"], row["said_at"], row["memory_id"]


def _change(seen: Seen, ending: Ending, row: Mapping[str, Any]) -> Change:
    by = card_of(Seen(row, "current"))
    return Change(card_of(seen), by, ending.kind, row["cue"], ending.sure, row["effective_from"])
