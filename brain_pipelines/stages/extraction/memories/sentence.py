"""The input and the readings of memory extraction: a sentence with its context, and what its words state.

Everything here is plain data without the parser, so that each step from a sentence to a memory is a pure function:

    sentences ─► clauses ─► signals (dates, values, cues, modality) ─► keep, kind ─► rewriting ─► rows of MEMORIES
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from brain_pipelines.stages.extraction.memories.quotations import is_quoted, quotations
from brain_retrieval.language.values import Value


@dataclass(frozen=True)
class Word:
    """A word of a parsed sentence: characters `start` to `end` of the sentence; `head` is an index of its words."""

    text: str
    lemma: str
    pos: str  # universal part of speech: VERB, PROPN, …
    tag: str  # of the treebank: VBD, NNS, …
    dep: str  # relation to the head
    head: int
    start: int
    end: int


@dataclass(frozen=True)
class Name:
    """A name in a sentence: characters `start` to `end`, and one of ENTITY_TYPES."""

    start: int
    end: int
    text: str
    type: str


@dataclass(frozen=True)
class Sentence:
    """A sentence, or one clause of it, in its context. `text[i]` is character `offsets[i]` of the source's text."""

    text: str
    offsets: Sequence[int]
    said_at: datetime  # of the message, else of the source
    said_on: date  # the day of `said_at` in the user's zone
    source: str  # source type
    language: str | None = None  # ISO 639-1
    speaker: str | None = None  # "user" for the owner, None if unknown
    listener: str | None = None  # only where exactly two people talk
    words: tuple[Word, ...] = ()  # empty if the language has no parser
    names: tuple[Name, ...] = ()
    day_first: bool | None = None  # in "10/04/2024", as the source writes dates; None if that is not known
    topic: str | None = None  # the title it stands under, if that names a subject
    decided: bool = False  # whether a title above it says that it was decided
    in_quotation: bool = False  # whether it begins inside quotation marks of its paragraph
    quoted: bool = False  # whether the writer of the text has taken it from another one
    clause: int = 0  # number of the clause in its sentence, 0 for a whole sentence

    @property
    def span(self) -> tuple[int, int]:
        """The half-open span in the source's text."""
        return self.offsets[0], self.offsets[-1] + 1

    def piece(self, start: int, end: int, clause: int) -> "Sentence":
        """Return characters `start` to `end` as a clause with its own number; it is not parsed."""
        names = tuple(replace(n, start=n.start - start, end=n.end - start) for n in self.names if n.start >= start)
        inside = tuple(name for name in names if name.end <= end - start)
        cut = {"text": self.text[start:end], "offsets": self.offsets[start:end]}
        inside_marks = is_quoted(quotations(self.text, opened=self.in_quotation), start)
        return replace(self, **cut, words=(), names=inside, clause=clause, in_quotation=inside_marks)


@dataclass(frozen=True)
class Slot:
    """What a sentence states for sure about one attribute of one subject: ("Katrin", "lives_in", "Jena")."""

    subject: str
    attribute: str
    value: str


@dataclass(frozen=True)
class StatedDate:
    """A date expression, characters `start` to `end`, and the ISO day, month, year or range it means."""

    start: int
    end: int
    iso: str


@dataclass(frozen=True)
class Signals:
    """What the words of a sentence state, apart from its topic."""

    modality: str = "asserted"  # asserted | reported | possible | conditional | question
    polarity: str = "affirmed"  # affirmed | negated
    cue: str = "none"  # of change: none | weak ("now") | strong ("no longer", "sold", "cancelled")
    dates: tuple[StatedDate, ...] = ()
    values: tuple[Value, ...] = ()
    effective_from: date | None = None  # stated start of what it says, None if it holds from when it was said
    valid_to: date | None = None  # stated end, the first day on which it no longer holds
    slot: Slot | None = None
    anchors: tuple[str, ...] = ()  # normalised content words, for matching without a model
