"""`Asked`: what is found for a question, memories first: what holds, what has ended, passages, and a storyline.

Nothing is written by a model here; see `written.py`. The JSON form is public: names are only ever added.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.knowledge.memories.asked.lines import GONE
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.view import ENDED, OUTDATED
from brain_retrieval.query.ask.counted import CountedList
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.overview import Theme


def has_gone(card: MemoryCard, dated: bool) -> bool:
    """Return whether a memory has ended, or perhaps has; what was over by itself is still the day that is asked for."""
    return card.status in GONE and not (dated and card.status == ENDED and not card.ended_by)


@dataclass(frozen=True)
class Cited:
    """What a number in brackets stands for: the text, its time, and where it is."""

    number: int
    text: str
    at: datetime
    source_id: str
    uri: str
    span: tuple[int, int]


@dataclass(frozen=True)
class WrittenSentence:
    """A sentence of a chat model that the passages it cites support."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Written:
    """The answer of a chat model; `dropped` counts the sentences that were not supported by what they cite."""

    model: str
    sentences: tuple[WrittenSentence, ...]
    dropped: int = 0


@dataclass(frozen=True)
class Asked:
    """What is found for a question. Numbers count the memories, then the passages, from 1.

    `memories` are ordered: what holds first, newest first, then what has ended. `excerpts` are the sentences of each
    passage that are about the question. `nearest` is the best passage if nothing was found. `dated` says that a day was
    asked for, which may be one that has passed. `counted` is the list, one of the hits, whose number is asked for.
    """

    question: str
    as_of: datetime | None
    known_at: datetime | None
    memories: tuple[MemoryCard, ...] = ()
    hits: tuple[Hit, ...] = ()
    excerpts: tuple[str, ...] = ()
    storyline: Theme | None = None
    nearest: Hit | None = None
    written: Written | None = None
    warnings: tuple[str, ...] = ()
    failure: str = ""  # why nothing could be searched
    timings: Mapping[str, float] = field(default_factory=dict)
    dated: bool = False
    counted: CountedList | None = None
    held_on: date | None = None  # the day of which the memories are, if the question names a time that has passed
    form: str = ""  # of a broad question that the memories answer as a whole: "happened", "stands", …

    @property
    def found(self) -> bool:
        return bool(self.memories or self.hits)

    @property
    def holding(self) -> tuple[MemoryCard, ...]:
        """Memories that hold; if nothing does that is asserted, first the newest that has not ended for sure."""
        if self.form:
            return self.memories
        sure = tuple(card for card in self.memories if not has_gone(card, self.dated))
        return (*(card for card in self.memories[:1] if card.status == OUTDATED), *sure)

    @property
    def ended(self) -> tuple[MemoryCard, ...]:
        """The other memories: they have ended, or perhaps have."""
        return self.memories[len(self.holding) :]

    @property
    def cited(self) -> tuple[Cited, ...]:
        """What the numbers stand for."""
        known = [(card.text, card.said_at, card.source_id, card.uri, card.span) for card in self.memories]
        read = [(hit.text, hit.source_ref.time or hit.temporal_context.event_at, *_place(hit)) for hit in self.hits]
        return tuple(Cited(number, *one) for number, one in enumerate([*known, *read], start=1))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        count = len(self.memories)
        passages = [
            {"citation": number, "excerpt": excerpt, **hit.to_json()}
            for number, (hit, excerpt) in enumerate(zip(self.hits, self.excerpts, strict=True), start=count + 1)
        ]
        story = self.storyline
        return plain(
            {
                "question": self.question,
                "as_of": self.as_of,
                "known_at": self.known_at,
                "found": self.found,
                "form": self.form or None,
                "answer": None if self.written is None else _answer(self.written),
                "held_on": None if self.held_on is None else self.held_on.isoformat(),
                "count": None
                if self.counted is None
                else _count(self.counted, count + self.hits.index(self.counted.hit)),
                "memories": [{"citation": n, **card.to_json()} for n, card in enumerate(self.memories, start=1)],
                "passages": passages,
                "storyline": None if story is None else {**story.card.to_json(), "score": round(story.score, 6)},
                "nearest": None if self.nearest is None else self.nearest.to_json(),
                "warnings": list(self.warnings),
                "timings": dict(self.timings),
            }
        )


def _count(counted: CountedList, before: int) -> dict[str, Any]:
    return {
        "number": counted.number,
        "of": counted.title,
        "entries": list(counted.entries),
        "citation": before + 1,
    }


def _place(hit: Hit) -> tuple[str, str, tuple[int, int]]:
    return hit.source_ref.source_id, hit.source_ref.uri, hit.source_ref.span


def _answer(written: Written) -> dict[str, Any]:
    sentences = [{"text": one.text, "citations": list(one.numbers)} for one in written.sentences]
    text = " ".join(f"{one.text} {''.join(f'[{number}]' for number in one.numbers)}" for one in written.sentences)
    return {"model": written.model, "text": text, "sentences": sentences, "dropped": written.dropped}
