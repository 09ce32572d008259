"""Integrity check of a batched answer: every entity and fact is assigned to the item that contains its quote.

Models skip items, answer one twice, or shift all following indexes by one. Quotes show which item was meant.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

from brain_pipelines.stages.extraction.llm.items import Item
from brain_pipelines.stages.extraction.llm.names import is_owner
from brain_pipelines.stages.extraction.llm.prompt import ExtractionAnswer, ItemReading, ReadEntity, ReadFact

# Share of an entry's quotes that must occur in an item for the whole entry to be assigned to that item.
MOST_OF_IT = 0.5


@dataclass
class Settled:
    """The readings of answered items by index, with the numbers of dropped and of reassigned statements."""

    readings: dict[int, ItemReading] = field(default_factory=dict)
    dropped: Counter[int] = field(default_factory=Counter)
    moved: int = 0


def settle(items: Sequence[Item], answer: ExtractionAnswer) -> Settled:
    """Return the answer with every entity and fact under the item that contains its quote.

    An item whose index is missing in the result was not answered. Confidences are scaled to 0–1.
    """
    found = Settled()
    loose: list[tuple[int | None, ItemReading]] = []
    for index, reading in _placed(items, answer.items):
        if index is not None:
            found.readings[index] = ItemReading(index=index, entities=[], facts=[])
        loose.append((index, reading))
    scale = _scale(answer)
    for index, reading in loose:
        given = reading.index if 0 <= reading.index < len(items) else 0
        for read in (*reading.entities, *reading.facts):
            place = _place_of(items, read, index)
            # An entry that belongs to no item does not make one answered.
            target = found.readings.get(place) if place is not None else None
            if target is None:
                found.dropped[given if index is None else index] += 1
                continue
            found.moved += place != reading.index
            _add(target, read.model_copy(update={"sure": _scaled(read.sure, scale)}))
    return found


def _placed(items: Sequence[Item], readings: Sequence[ItemReading]) -> list[tuple[int | None, ItemReading]]:
    """Return each entry with the index of its item, None if no item fits or the item already has an entry."""
    shares = [_shares(items, reading) for reading in readings]
    placed: dict[int, int] = {}  # number of the entry -> index
    # First pass: entries whose own index fits best. Second pass: the others, to the best item still free.
    for number, reading in enumerate(readings):
        own = reading.index
        fits = 0 <= own < len(items) and own not in placed.values()
        if fits and shares[number][own] == max(shares[number]) and (shares[number][own] or not _size(reading)):
            placed[number] = own
    for number, share in enumerate(shares):
        if number not in placed and _size(readings[number]):
            free = [index for index in range(len(items)) if index not in placed.values()]
            best = max(free, key=lambda index: share[index], default=None)
            if best is not None and share[best] >= MOST_OF_IT:
                placed[number] = best
    return [(placed.get(number), reading) for number, reading in enumerate(readings)]


def _shares(items: Sequence[Item], reading: ItemReading) -> list[float]:
    """Return the share of the entry's quotes found in each item; 0 elsewhere if all are in its own item."""
    reads = [read for read in (*reading.entities, *reading.facts) if not _is_owner(read)]
    shares = [0.0] * len(items)
    if not reads:
        return shares
    if 0 <= reading.index < len(items):
        own = items[reading.index].quotable
        shares[reading.index] = sum(any(map(own.find, read.quotes)) for read in reads) / len(reads)
        if shares[reading.index] == 1.0:
            return shares
    for index, item in enumerate(items):
        if index != reading.index:  # exact search only: fuzzy search is slow and not needed here
            held = [any(any(item.quotable.every(quote)) for quote in read.quotes) for read in reads]
            shares[index] = sum(held) / len(reads)
    return shares


def _place_of(items: Sequence[Item], read: ReadEntity | ReadFact, index: int | None) -> int | None:
    """Return the item that contains a quote: `index` if it does, else the first exact match, else a fuzzy match."""
    if index is not None and (_is_owner(read) or any(map(items[index].quotable.find, read.quotes))):
        return index
    exact = (n for n, item in enumerate(items) if any(any(item.quotable.every(quote)) for quote in read.quotes))
    alike = (n for n, item in enumerate(items) if any(map(item.quotable.find, read.quotes)))
    found = next(exact, None)
    return next(alike, None) if found is None else found


def _is_owner(read: ReadEntity | ReadFact) -> bool:
    """Return whether an entity is the owner, whose name need not occur in the text."""
    return isinstance(read, ReadEntity) and is_owner(read.name)


def _size(reading: ItemReading) -> int:
    return len(reading.entities) + len(reading.facts)


def _add(reading: ItemReading, read: ReadEntity | ReadFact) -> None:
    if isinstance(read, ReadEntity):
        reading.entities.append(read)
    else:
        reading.facts.append(read)


def _scale(answer: ExtractionAnswer) -> float:
    """Return the scale of the answer's confidences: the least of 1, 10 and 100 that none exceeds."""
    given = [read.sure for item in answer.items for read in (*item.entities, *item.facts)]
    highest = max((value for value in given if isfinite(value)), default=1.0)
    return next((scale for scale in (1.0, 10.0) if highest <= scale), 100.0)


def _scaled(value: float, scale: float) -> float:
    return round(min(max(value / scale, 0.0), 1.0), 4) if isfinite(value) else 0.0
