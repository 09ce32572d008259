"""`Timeline`: the statements of one fact, affirmed and negated → the episodes in which it held, and why each ended."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from brain_retrieval.knowledge.slots import Cut, Statement

SUPERSEDED, ENDED = "superseded", "ended"


class End(NamedTuple):
    """A statement about something else that ends the fact: "Bob left Acme"."""

    at: int
    received: int
    source_id: str
    start: int


@dataclass(eq=False)
class Episode:
    """A span of validity in microseconds, half-open; `rows` are the statements that support it."""

    key: int
    affirmed: bool
    begins: int
    until: int | None = None
    rows: set[int] = field(default_factory=set)
    retired: str = ""
    end_received: int | None = None
    cause: tuple[int, bool] | None = None  # key and polarity of the fact that replaced it


@dataclass
class _Moment:
    """The statements about one point in time, in the order in which they take effect."""

    over: list[Statement] = field(default_factory=list)  # statements that it held up to this moment
    holds: list[Statement] = field(default_factory=list)
    past: list[Statement] = field(default_factory=list)  # statements that it held at some earlier time: "used to"
    ends: list[End] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)


class Timeline:
    """Splits the statements of one key into episodes."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.episodes: dict[bool, list[Episode]] = {True: [], False: []}
        self.denied_at: list[int] = []  # moments at which sources contradict each other

    def run(self, said: Sequence[Statement], ends: Iterable[End] = (), cuts: Iterable[Cut] = ()) -> "Timeline":
        """Process all statements in order of the time they refer to."""
        moments: dict[int, _Moment] = defaultdict(_Moment)
        for s in said:
            for at in s.holds:
                moments[at].holds.append(s)
            if s.until is not None:
                (moments[s.until].past if s.begins is None else moments[s.until].over).append(s)
        for end in ends:
            moments[end.at].ends.append(end)
        for cut in cuts:
            moments[cut.at].cuts.append(cut)
        for at in sorted(moments):
            self._at(at, moments[at])
        return self

    def _at(self, at: int, moment: _Moment) -> None:
        for affirmed in (True, False):
            self._close(affirmed, at, ENDED, _first(s.received for s in moment.over if s.affirmed == affirmed))
        for s in moment.holds:
            self._hold(s, at)
        for s in moment.past:
            self._past(s, at)
        self._settle(at, moment)
        for cut in moment.cuts[:1]:
            self._close(True, at, SUPERSEDED, cut.received, (cut.cause, True))

    def _settle(self, at: int, moment: _Moment) -> None:
        """Apply the last statement of each text; if texts disagree, the fact stays open and disputed."""
        last: dict[str, tuple[int, str, int]] = {}
        words = [(s.source_id, s.start, "yes" if s.affirmed else "no", s.received) for s in moment.holds]
        words += [(e.source_id, e.start, "over", e.received) for e in moment.ends]
        words += [(s.source_id, s.start, "over", s.received) for s in moment.past if s.affirmed]
        for source_id, start, word, received in sorted(words):
            last[source_id] = (start, word, received)
        said = {word: _first(r for _, w, r in last.values() if w == word) for word in ("yes", "no", "over")}
        if said["yes"] is not None and said["no"] is not None:
            self.denied_at.append(at)
        elif said["yes"] is not None:
            self._close(False, at, SUPERSEDED, said["yes"], (self.key, True))
        elif said["no"] is not None:
            self._close(True, at, ENDED, said["no"])
        else:
            self._close(True, at, ENDED, said["over"])

    def _hold(self, said: Statement, at: int) -> None:
        line = self.episodes[said.affirmed]
        if not line or line[-1].retired:
            line.append(Episode(self.key, said.affirmed, at))
        line[-1].rows.add(said.row)

    def _past(self, said: Statement, at: int) -> None:
        """Add the statement as support to the latest episode; no start is invented if none was stated."""
        line = self.episodes[said.affirmed]
        if not line:
            line.append(Episode(self.key, said.affirmed, at, at, retired=ENDED, end_received=said.received))
        line[-1].rows.add(said.row)

    def _close(
        self, affirmed: bool, at: int, why: str, received: int | None, cause: tuple[int, bool] | None = None
    ) -> None:
        line = self.episodes[affirmed]
        if received is None or not line or line[-1].retired:
            return
        line[-1].until, line[-1].retired, line[-1].end_received, line[-1].cause = at, why, received, cause


def _first(times: Iterable[int]) -> int | None:
    return min(times, default=None)


def at_moment(episodes: Sequence[Episode], at: int) -> Episode | None:
    """Return the latest episode that begins at or before a moment; None if there is none."""
    begun = [episode for episode in episodes if episode.begins <= at]
    return begun[-1] if begun else None
