"""Slots: facts that exclude each other at one time (residence, project lead). Later statements displace earlier ones.

A slot is a subject and a functional predicate, or an exclusive predicate and an object. The order is that of the event
time, never of arrival. Statements about the same moment displace each other only if one text states a change; in one
sentence they hold together, otherwise they are disputed and all are kept.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from operator import attrgetter
from typing import NamedTuple

MOST_DISPUTED = 8  # more values at one moment are a list, not a dispute


class Statement(NamedTuple):
    """One piece of evidence. Times in microseconds since 1970; `begins` is None if only the end was stated."""

    row: int
    key: int
    affirmed: bool
    begins: int | None
    until: int | None
    again: int | None  # a later time at which it is stated to hold still
    source_id: str
    start: int
    end: int
    change: bool
    received: int

    @property
    def holds(self) -> tuple[int, ...]:
        """The moments at which the fact is stated to hold."""
        return tuple(at for at in (self.begins, self.again) if at is not None)


class Cut(NamedTuple):
    """The end of a fact that another one replaced."""

    at: int
    cause: int  # key
    received: int


@dataclass
class Displaced:
    """The effect of the slots on keys: cuts, moments of dispute, and moments at which several keys hold together."""

    cuts: dict[int, list[Cut]] = field(default_factory=lambda: defaultdict(list))
    disputes: dict[int, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    together: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))


class _Held(NamedTuple):
    at: int
    said: Statement


def displace(statements: Mapping[int, Sequence[Statement]], slots: Iterable[Sequence[int]]) -> Displaced:
    """Return the cuts, disputes and joint values among the keys of each slot.

    Args:
        statements: by key.
        slots: the keys of each slot; a key may be in several.
    """
    found = Displaced()
    for keys in slots:
        held = [_Held(at, said) for key in keys for said in statements[key] if said.affirmed for at in said.holds]
        held.sort(key=lambda h: (h.at, h.said.row))
        open_keys: set[int] = set()
        for at, batch in groupby(held, attrgetter("at")):
            said = [h.said for h in batch]
            stay = _stay(at, said, found)
            received = {key: min(s.received for s in said if s.key == key) for key in stay}
            cause = min(stay)
            for key in (open_keys | {s.key for s in said}) - stay:
                found.cuts[key].append(Cut(at, cause, min(received.values())))
            open_keys = stay
    return found


def _stay(at: int, said: list[Statement], found: Displaced) -> set[int]:
    """Return the keys that hold after the statements of one moment; record disputes among them in `found`."""
    if len({s.key for s in said}) == 1:
        return {said[0].key}
    last: list[Statement] = []
    by_source = attrgetter("source_id")
    for _, group in groupby(sorted(said, key=by_source), by_source):
        last += _last_of_text(list(group))
    stay = {s.key for s in last}
    sentences: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    for s in last:
        sentences[s.source_id, s.start, s.end].add(s.key)
    together = {pair for keys in sentences.values() for pair in combinations(sorted(keys), 2)}
    is_list = len(stay) > MOST_DISPUTED
    for one, other in () if is_list else combinations(sorted(stay), 2):
        if (one, other) not in together:
            found.disputes[one].add((at, other))
            found.disputes[other].add((at, one))
    for key in stay if is_list else {key for pair in together for key in pair}:
        found.together[key].add(at)
    return stay


def _last_of_text(said: list[Statement]) -> list[Statement]:
    """Return a text's statements from its last stated change on; all if it states none."""
    changes = [s.start for s in said if s.change]
    return [s for s in said if s.start >= max(changes)] if changes else said
