"""`Question`, the result of query analysis, and its parts. Plain values; nothing is computed here."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, NamedTuple

from brain_retrieval.query.analysis.dates import DateMention

Intent = Literal["factual", "relational", "temporal", "aggregation", "comparison", "exploratory"]
Strategy = Literal["vector_only", "graph_only", "hybrid_balanced", "hybrid_vector", "hybrid_graph"]
Wants = Literal["person", "time", "place", "number", "reason", "thing"]
TimeKind = Literal["absolute", "relative", "season", "before", "after", "since", "during"]
How = Literal["exact", "alias", "fuzzy"]


class Name(NamedTuple):
    """A name in a question, at characters `start` to `end` of its text."""

    text: str
    start: int
    end: int
    kind: Literal["name", "title", "code"] = "name"  # a title is quoted, a code has digits


@dataclass(frozen=True)
class Resolved:
    """What a name refers to: an entity, or a speaker of the user's sources (`entity_id` is "" if only that)."""

    name: str
    entity_id: str
    canonical: str
    kind: str  # one of ENTITY_TYPES, "" if unknown
    how: How
    confidence: float


@dataclass(frozen=True)
class QuestionTime:
    """A time in a question: days in the user's zone, both inclusive, None where it is open.

    With an `event` ("before the launch") the days are not known until the event has been looked up; `kind` then says
    how the time asked for lies to it. Afterwards `around` is the event that the days were taken from.
    """

    start: date | None
    end: date | None
    kind: TimeKind
    event: str = ""
    around: str = ""

    @property
    def restricts(self) -> bool:
        """Whether the days are known, so that they can be a filter."""
        return not self.event and (self.start is not None or self.end is not None)

    @property
    def days(self) -> int | None:
        """How many days are asked for; None if they are not known, or taken from an event, or the time is open."""
        if self.event or self.around or self.start is None or self.end is None:
            return None
        return (self.end - self.start).days + 1


@dataclass(frozen=True)
class Question:
    """An analysed question. `text` is embedded for the vector retriever, `words` go to the lexical retriever.

    Attributes:
        language: of the question, None if it has no rules; all that follows then has its default.
        clauses: content words of parts that are worth a search of their own; () if the question is one part.
        statements: content words of parts whose evidence may be in different passages; () if there is one.
        speakers: the resolved names that speak or write in the user's sources, as written there.
        asks_then: a past state is asked for, so statements that have ended are wanted.
        lists: a list or a count is asked for.
        sources: types of sources, buckets: of BUCKETS, that the question names.
        expansion: further words for the lexical retriever; () if that is switched off.
        asked: the question in its own words, if this is one in other words; None otherwise.
    """

    text: str
    words: str
    dates: tuple[DateMention, ...]
    warnings: tuple[str, ...]
    language: str | None = None
    intent: Intent = "factual"
    wants: Wants = "thing"
    clauses: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    entities: tuple[Resolved, ...] = ()
    speakers: tuple[str, ...] = ()
    time: QuestionTime | None = None
    asks_then: bool = False
    lists: bool = False
    yes_no: bool = False
    sources: tuple[str, ...] = ()
    buckets: tuple[str, ...] = ()
    expansion: tuple[str, ...] = ()
    strategy: Strategy = "vector_only"
    asked: "Question | None" = None

    @property
    def searchable(self) -> bool:
        """Whether the question contains a letter or digit."""
        return bool(self.words)

    def with_warnings(self, warnings: Iterable[str]) -> "Question":
        """Return the question with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))
