"""Which statements of the passages found have ended: for each hit the one that fits the question best, and what holds.

A statement is a memory whose evidence lies in the passage. Only what is asserted can have ended.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from brain_retrieval.knowledge.memories.endings import Ender, Endings, Moment, inside
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import match_all
from brain_retrieval.knowledge.memories.supersession import GIVEN_UP, SITUATION
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.superseded import StatementRef, SupersededBy

# Of the match of an ended statement, what holds now has at least this much, to be the answer instead.
SURE_SHARE, UNSURE_SHARE = 0.25, 0.5
WANTED = 0.25  # for a statement with a value of the kind asked for
_VALUES = {"time": frozenset({"date", "month", "year", "time", "duration"})}


@dataclass(frozen=True)
class Standing:
    """A statement of a hit that has ended. `holder` is the row of the memory that holds instead."""

    row: int
    holder: int
    ender: Ender
    asked: bool


def standings(hits: Sequence[Hit], question: Question, endings: Endings, moment: Moment) -> dict[str, Standing]:
    """Return by chunk id the ended statement of each hit that fits the question best; hits without one are missing."""
    lying = {hit.source_ref.chunk_id: _rows(hit, endings) for hit in hits}
    endings.facets(_distinct(lying.values()))
    rows = {key: [row for row in own if _counts(row, endings, moment)] for key, own in lying.items()}
    counted = _distinct(rows.values())
    endings.find(counted)
    ended = {row: found for row in counted if (found := endings.holders(row, moment))}
    if not ended:
        return {}
    concerned = {key: own for key, own in rows.items() if any(row in ended for row in own)}
    matches = _matches(question, endings, _distinct([*concerned.values(), *(list(held) for held in ended.values())]))
    found = {key: _standing(own, ended, matches) for key, own in concerned.items()}
    return {key: one for key, one in found.items() if one is not None}


def superseded_by(standing: Standing, endings: Endings, titles: Mapping[str, str | None]) -> SupersededBy:
    """Return the public record; `titles` are those of the sources, by id."""
    old, new = endings.facet(standing.row).row, endings.facet(standing.holder).row
    title = titles.get(new["source_id"]) or None
    return SupersededBy(
        text=new["text"],
        source_ref=StatementRef(new["source_id"], new["source"], new["uri"], (new["start"], new["end"]), title),
        effective_from=new["effective_from"],
        said_at=new["said_at"],
        sure=standing.ender.sure,
        rule=standing.ender.rule,
        ended_text=old["text"],
        ended_span=(old["start"], old["end"]),
        asked=standing.asked,
    )


def _rows(hit: Hit, endings: Endings) -> list[int]:
    ref = hit.source_ref
    return inside(endings.index, ref.source_id, *ref.span).tolist()


def _counts(row: int, endings: Endings, moment: Moment) -> bool:
    return endings.facet(row).asserted and endings.begun(row, moment)


def _distinct(rows: Iterable[Iterable[int]]) -> list[int]:
    return sorted({row for each in rows for row in each})


def _standing(
    own: Sequence[int], ended: Mapping[int, Mapping[int, Ender]], matches: Mapping[int, float]
) -> Standing | None:
    """Return the ended statement that fits the question best; of those that only may have ended, one asked for."""
    found = [_judged(row, own, ended, matches) for row in own if row in ended]
    certain = [one for one in found if one.ender.sure or one.asked]
    return max(certain, key=lambda one: (matches[one.row], one.ender.sure, one.row), default=None)


def _judged(
    row: int, own: Sequence[int], ended: Mapping[int, Mapping[int, Ender]], matches: Mapping[int, float]
) -> Standing:
    """Return one ended statement: it is asked for if no other one of the passage fits better, and the newer one fits.

    What replaces a statement that only may have ended has to fit better than what replaces another one, and a mere
    change of something both speak of replaces nothing: in prose of many subjects it would exchange right for wrong.
    """
    match = matches[row]
    needed = {one: match * _share(ender) for one, ender in ended[row].items()}
    holder = max(needed, key=lambda one: (matches[one] >= needed[one], one))
    best = max((matches[other] for other in own if not _has_surely_ended(ended.get(other, {}))), default=0.0)
    ender = ended[row][holder]
    asked = _counts_as_end(ender) and match > 0 and match >= best and matches[holder] >= needed[holder]
    return Standing(row, holder, ender, asked)


def _has_surely_ended(enders: Mapping[int, Ender]) -> bool:
    """Return whether something has ended a statement in a way that may put another passage first."""
    return any(map(_counts_as_end, enders.values()))


def _counts_as_end(ender: Ender) -> bool:
    return ender.sure or ender.rule in (GIVEN_UP, SITUATION)


def _share(ender: Ender) -> float:
    """Return how much of the match of an ended statement what holds needs: "Omar left the factory" names no work."""
    return SURE_SHARE if ender.sure or ender.rule == GIVEN_UP else UNSURE_SHARE


def _matches(question: Question, endings: Endings, rows: list[int]) -> dict[int, float]:
    """Return how well each statement fits the words of the question, and the kind of value asked for."""
    facets = endings.facets(rows)
    wanted = _VALUES.get(question.wants, frozenset())
    found = zip(rows, facets, match_all(question.words, facets), strict=True)
    return {row: sum(match.values()) * (1 + WANTED * _has(facet, wanted)) for row, facet, match in found}


def _has(facet: Facet, dimensions: frozenset[str]) -> bool:
    return bool(dimensions & facet.values.keys())
