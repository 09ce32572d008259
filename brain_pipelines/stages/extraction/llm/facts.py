"""Facts of one text from a chat model's readings, checked against the words of the text.

If the text negates a statement and the model does not, the fact is stored as negated.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from brain_pipelines.stages.extraction.llm.guard import is_asked, is_denied, is_hedged, sentence_of
from brain_pipelines.stages.extraction.llm.items import Item
from brain_pipelines.stages.extraction.llm.names import Named, Names
from brain_pipelines.stages.extraction.llm.prompt import ItemReading, ReadFact
from brain_pipelines.stages.extraction.local.relations.relation_domains import fitting_relation
from brain_retrieval.language.folding import fold
from brain_retrieval.language.negation import negation

# Factor on the confidence of statements that are not asserted, as in local extraction.
NOT_ASSERTED = 0.6
_LONGER = re.compile(r"\bno longer\b")
_LEADING = re.compile(r"^(?:to|does|do|did|has|have been|had|is being|will) (?=\w)")
_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


@dataclass(frozen=True)
class Stated:
    """A fact with its evidence `text[start:end]`; `object` is None for a literal, whose words are `value`."""

    subject: Named
    predicate: str
    relation: str
    object: Named | None
    value: str
    polarity: str
    modality: str
    confidence: float
    description: str
    stated_from: datetime | None
    stated_to: datetime | None
    start: int
    end: int


def facts_of(
    text: str, parts: Iterable[tuple[Item, ItemReading]], names: Names, language: str | None, zone: tzinfo
) -> Iterator[Stated]:
    """Yield the facts whose quote stands in the text and whose subject is an entity of it, in the order of the model.

    Days are those of `zone`.
    """
    for item, reading in parts:
        for read in reading.facts:
            quoted = item.quotable.find(read.quote)
            span = (item.start + quoted[0], item.start + quoted[1]) if quoted else None
            fact = _stated(text, read, span, names, language, zone) if span else None
            if fact is not None:
                yield fact


def _stated(
    text: str, read: ReadFact, span: tuple[int, int], names: Names, language: str | None, zone: tzinfo
) -> Stated | None:
    predicate, denied = _predicate(read.verb)
    subject = names.find(read.subject, "Concept")
    obj = names.find(read.object)  # not an entity of the text: stored as a literal
    if subject is None or not predicate or not read.object or obj is subject:
        return None
    negated = denied or read.is_negated or is_denied(text, span, read.subject, read.object, language)
    modality = _modality(text, read, span, language)
    start, end = sentence_of(text, span)
    stated_from, stated_to = _days(read.when, zone)
    return Stated(
        subject=subject,
        predicate=predicate,
        relation=fitting_relation(read.relation, subject.type, obj.type if obj else "Literal"),
        object=obj,
        value=obj.name if obj else read.object,
        polarity="negated" if negated else "affirmed",
        modality=modality,
        confidence=round(read.sure * (1.0 if modality == "asserted" else NOT_ASSERTED), 4),
        description=read.note,
        stated_from=stated_from,
        stated_to=stated_to,
        start=start,
        end=end,
    )


def _predicate(given: str) -> tuple[str, bool]:
    """Return a predicate without its negation and auxiliary, and whether it had a negation."""
    spaced = _LONGER.sub("never", fold(given.replace("_", " ")))
    plain, count = negation().subn(" ", spaced)
    return _LEADING.sub("", " ".join(plain.split()).strip(" .,;:")), count % 2 == 1


def _modality(text: str, read: ReadFact, span: tuple[int, int], language: str | None) -> str:
    if read.modality != "asserted":
        return read.modality
    if is_asked(text, span):
        return "question"
    return "possible" if is_hedged(text, span, read.subject, read.object, language) else "asserted"


def _days(when: str, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
    """Return the half-open validity interval of an ISO date or interval; None for invalid or missing bounds."""
    first, slash, last = when.replace(" ", "").partition("/")
    since, until = _period(first), _period(last if slash else first)
    start, end = since and since[0], until and until[1]
    if start and end and start >= end:
        return None, None
    return _moment(start, zone), _moment(end, zone)


def _period(given: str) -> tuple[date, date] | None:
    """Return the first day of a year, month or day, and the first day after it."""
    match = _DATE.fullmatch(given)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    try:
        start = date(year, month, day)
        if match[3]:
            return start, start + timedelta(days=1)
        months = year * 12 + month - 1 + (1 if match[2] else 12)
        return start, date(months // 12, months % 12 + 1, 1)
    except (ValueError, OverflowError):
        return None


def _moment(day: date | None, zone: tzinfo) -> datetime | None:
    if day is None or not 1 < day.year < 9999:
        return None
    return datetime.combine(day, time(), zone).astimezone(UTC)
