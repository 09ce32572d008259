"""What has ended single memories: computed once for each memory of an index, then only compared with the clocks.

The view (`view.py`) judges a topic; this judges memories wherever they were found. A memory's endings depend on the
rows of the index alone, so they are kept with it. They are looked for among the changes that share its rarest words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from brain_retrieval.knowledge.memories.facets import ATTITUDE, Facet
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.later import FREQUENT, FREQUENT_SHARE
from brain_retrieval.knowledge.memories.postings import Postings, Rows, sharing_most
from brain_retrieval.knowledge.memories.screening import Screen
from brain_retrieval.knowledge.memories.supersession import SURE, Known, ending

MOST_COMPARED = 40  # memories compared with one, those that share its rarest words
MOST_OF_A_WORD = 200  # memories with one word that are looked at, the newest
MOST_KEPT = 20_000  # memories in the form for comparison that are kept with an index; about 8 KB each
_ALWAYS = datetime(9999, 1, 1, tzinfo=UTC)


class Ender(NamedTuple):
    """A memory that ends another one: its row in the index, by which rule, from when, until when (None: for good)."""

    row: int
    rule: str
    sure: bool
    since: datetime
    until: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Return whether it has ended the other one at a moment."""
        return self.since <= at and (self.until is None or self.until > at)


@dataclass(frozen=True)
class Moment:
    """When is asked: `at` of what holds, and for each row of the index whether it counts (None: all do)."""

    at: datetime
    visible: np.ndarray | None = None

    def counts(self, row: int) -> bool:
        return self.visible is None or bool(self.visible[row])


class Endings:
    """The endings of the memories of one index. What has been computed is kept with the index."""

    def __init__(self, index: MemoryIndex) -> None:
        self.index = index
        self._facets: dict[int, Facet] = index.kept.setdefault("facets", {})
        self._found: dict[int, tuple[Ender, ...]] = index.kept.setdefault("endings", {})

    def facet(self, row: int) -> Facet:
        """Return a memory in the form in which it is compared."""
        return self._facets.get(row) or self.facets([row])[0]

    def facets(self, rows: Sequence[int]) -> list[Facet]:
        """Return memories in the form in which they are compared; those not kept yet are read at once."""
        known = {row: facet for row in rows if (facet := self._facets.get(row)) is not None}
        missing = sorted({row for row in rows if row not in known})
        if missing:
            known |= dict(zip(missing, map(Facet, self.index.take(np.array(missing, np.int64))), strict=True))
            if len(self._facets) + len(missing) > MOST_KEPT:
                self._facets.clear()
                self._compared.clear()
            self._facets.update((row, known[row]) for row in missing)
        return [known[row] for row in rows]

    def begun(self, row: int, moment: Moment) -> bool:
        """Return whether a memory counts, and was said or held by then."""
        facet = self.facet(row)
        return moment.counts(row) and min(facet.row["said_at"], facet.starts) <= moment.at

    def of(self, row: int, moment: Moment) -> list[Ender]:
        """Return what has ended a memory by a moment, in order of time."""
        if row not in self._found:
            self.find([row])
        return [one for one in self._found[row] if one.holds(moment.at) and moment.counts(one.row)]

    def holders(self, row: int, moment: Moment) -> dict[int, Ender]:
        """Return what holds instead of a memory: row -> what ended the memory first on the way there.

        An ending may have ended itself; then what has ended it is followed. Sure endings come before unsure ones,
        which are followed only where there is no sure one.
        """
        found = self.of(row, moment)
        direct = [one for one in found if one.sure] or found
        reached: dict[int, Ender] = {}
        seen = {row}
        waiting = [(one.row, one) for one in direct]
        while waiting:
            place, first = waiting.pop(0)
            if place in seen:
                continue
            seen.add(place)
            later = [one for one in self.of(place, moment) if one.sure and one.row not in seen]
            if later:
                waiting.extend((one.row, first) for one in later)
            else:
                reached[place] = first
        return reached

    def find(self, rows: Sequence[int]) -> None:
        """Compute what has ended memories; those that it may be are read at once for all of them."""
        fresh = [row for row in dict.fromkeys(rows) if row not in self._found]
        own = self.facets(fresh)
        compared = [self._comparable(row, facet) for row, facet in zip(fresh, own, strict=True)]
        likely = self._likely(fresh, compared)
        places = sorted({place for found in likely for place in found})
        known = dict(zip(places, self.facets(places), strict=True))
        for row, facet, found in zip(fresh, own, likely, strict=True):
            self._found[row] = self._ended(facet, [(known[place], place) for place in found if place != row])

    def _likely(self, rows: Sequence[int], compared: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return of the memories compared with each one those for which `ending` may return a rule."""
        bounds = np.cumsum([0, *map(len, compared)])
        earlier = np.repeat(np.array(rows, np.int64), np.diff(bounds))
        later = np.fromiter(chain.from_iterable(compared), np.int64, len(earlier))
        may = np.flatnonzero(self._screen.may_end(earlier, later, _ALWAYS))
        found = later[may].tolist()
        return [found[start:end] for start, end in pairwise(np.searchsorted(may, bounds).tolist())]

    def _ended(self, facet: Facet, others: Sequence[tuple[Facet, int]]) -> tuple[Ender, ...]:
        """Return what has ended a memory, among others by their rows."""
        known, before = Known(frequent=self._frequent), self._compared.get(facet, {})
        rules = {
            other: before[other] if other in before else ending(facet, other, _ALWAYS, known) for other, _ in others
        }
        self._compared[facet] = rules
        ended = sorted(((other, place, rules[other]) for other, place in others if rules[other]), key=_by_order)
        return tuple(
            Ender(place, rule, rule in SURE, _since(facet, other), _until(other))
            for other, place, rule in ended
            if rule
        )

    def _comparable(self, row: int, facet: Facet) -> list[int]:
        """Return the later memories that share most with one, rare words before frequent ones."""
        any_may = not facet.asserted or facet.negated
        postings = self.index.words if any_may else self._changing
        # What was announced for a later day may be settled by what was said before that day.
        first = 0 if facet.starts > facet.row["said_at"] else row + 1
        lists = map(postings.having, sorted(facet.words | facet.concepts))
        shared = [(having[having.searchsorted(first) :][-MOST_OF_A_WORD:], len(having)) for having in lists]
        best = sharing_most(shared, self.index.rows.height, MOST_COMPARED)
        stated = self.index.ending.having(facet.row["memory_id"])
        return (np.union1d(best, stated) if len(stated) else np.sort(best)).tolist()

    @property
    def _screen(self) -> Screen:
        kept = self.index.kept
        if "screen" not in kept:
            kept["screen"] = Screen(self.index.rows.height, self.facets, self._frequent)
        return kept["screen"]

    @property
    def _changing(self) -> Postings:
        """The words of the memories that state a change, a value, an attribute or an attitude."""
        kept = self.index.kept
        if "changing" not in kept:
            attitudes = self.index.rows["anchors"].list.contains(ATTITUDE).fill_null(value=False).to_numpy()
            kept["changing"] = self.index.words.only(self.index.changes | attitudes)
        return kept["changing"]

    @property
    def _compared(self) -> dict[Facet, dict[Facet, str | None]]:
        """By which rule a memory ends another one, of those compared with the same frequent words."""
        frequent, found = self.index.kept.get("compared", (None, {}))
        if frequent != self._frequent:
            frequent, found = self.index.kept["compared"] = (self._frequent, {})
        return found

    @property
    def _frequent(self) -> frozenset[str]:
        kept = self.index.kept
        if "frequent" not in kept:
            kept["frequent"] = _frequent(self.index.words, self.index.rows.height)
        return kept["frequent"]


def carry_over(before: MemoryIndex, after: MemoryIndex, places: Rows) -> None:
    """Keep what has been computed of memories that are still there; `places` are their rows, -1 for other ones.

    What has ended a memory is computed again, as any other memory may end it; comparisons with the same one are not.
    """
    facets = dict(before.kept.get("facets", {}))
    kept = {int(places[row]): facet for row, facet in facets.items() if places[row] >= 0}
    others = {facet.row["memory_id"]: facet for row, facet in facets.items() if places[row] < 0}
    if others:  # of a day with new rows most are as they were
        rows = np.flatnonzero(after.rows["memory_id"].is_in(list(others)).to_numpy())
        again = zip(rows.tolist(), after.take(rows), strict=True)
        kept |= {row: facet for row, value in again if (facet := others[value["memory_id"]]).row == value}
    after.kept["facets"] = kept
    if "compared" in before.kept:
        frequent, compared = before.kept["compared"]
        still = set(kept.values())
        after.kept["compared"] = frequent, {facet: rules for facet, rules in list(compared.items()) if facet in still}


def inside(index: MemoryIndex, source_id: str, start: int, end: int) -> Rows:
    """Return the memories whose evidence lies in a stretch of a source, by their rows."""
    rows = index.sources.having(source_id)
    spans = index.spans[rows]
    return rows[(spans[:, 0] >= start) & (spans[:, 1] <= end)]


def _by_order(ended: tuple[Facet, int, str | None]) -> tuple[Any, ...]:
    return ended[0].order


def _since(facet: Facet, other: Facet) -> datetime:
    """Return from when `other` ends the memory; of an announcement, from when something else was said."""
    said = other.row["said_at"]
    if facet.starts > said and facet.row["said_at"] < said:
        return said
    return other.known_from


def _until(other: Facet) -> datetime | None:
    """Return until when `other` ends a memory; None where it ends it for good."""
    return None if other.only_ended else other.row["valid_to"]


def _frequent(words: Postings, count: int) -> frozenset[str]:
    most = max(FREQUENT, FREQUENT_SHARE * count)
    return frozenset(words.words.filter(np.diff(words.bounds) > most).to_list())
