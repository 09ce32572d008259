"""Graph paths: relations of the snapshot that touch the entities of a claim, and those that connect two of them.

strength = confidence − 0.15 for a second hop + what the relation shares with the claim, at most 1
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from brain_retrieval.evidence.candidates.statement import CURRENT, ENDED, EndedBy, Statement
from brain_retrieval.evidence.claims.claim import Claim
from brain_retrieval.evidence.stance.compared import Wanted
from brain_retrieval.evidence.stance.coverage import forms_in, share
from brain_retrieval.knowledge.cards import FactCard
from brain_retrieval.knowledge.reader import Knowledge

MOST_ENTITIES, MOST_RELATIONS, MOST_CONNECTIONS = 4, 200, 5
SECOND_HOP = 0.15
ANCHOR, MOST_ANCHORS = 0.03, 0.15  # bonus for each anchor, and for all of them
WORD, MOST_WORDS = 0.02, 0.08
ROLES, SUBJECT_ROLE, OBJECT_ROLE = 0.05, 0.6, 0.4
LEAST_SECOND_HOP, LEAST_ROLES = 0.75, 0.34  # below either a connection over two relations is left out
LEAST_SHARED = 0.3  # share of what the claim says of its subject that a relation has


def statements_of_paths(knowledge: Knowledge, claim: Claim, wanted: Wanted, at: datetime) -> list[Statement]:
    """Return relations of the claim's entities that share something else with it, and connections of two entities."""
    ids = list(dict.fromkeys(entity.entity_id for entity in claim.entities if entity.entity_id))[:MOST_ENTITIES]
    relations = {one: knowledge.facts(one, history=True, limit=MOST_RELATIONS) for one in ids}
    trusts = dict(knowledge.table("known_sources").select("source_id", "trust").iter_rows()) if ids else {}
    found: dict[str, Statement] = {}
    for facts in relations.values():
        known = {fact.fact_id: fact for fact in facts}
        for fact in facts:
            if fact.evidence and fact.valid_from <= at and _shared(fact, wanted) >= LEAST_SHARED:
                found.setdefault(fact.fact_id, _direct(fact, known, wanted, at))
    statements = [*found.values(), *_connections(relations, wanted, at)]
    return [replace(one, trust=trusts.get(one.source_id, one.trust)) for one in statements]


def _direct(fact: FactCard, known: dict[str, FactCard], wanted: Wanted, at: datetime) -> Statement:
    newer = known.get(fact.superseded_by_fact_id or "")
    ended_by = None
    if newer is not None and newer.evidence:
        said = newer.evidence[0]
        ended_by = EndedBy(said.quote, said.uri, said.span, newer.valid_from, "slot", sure=True)
    return _statement(fact, (fact.sentence,), strength_of([fact], wanted), at, ended_by)


def _connections(relations: Mapping[str, Sequence[FactCard]], wanted: Wanted, at: datetime) -> Iterator[Statement]:
    """Yield the strongest pairs of relations that lead from one entity of the claim to another."""
    found: list[tuple[float, FactCard, FactCard]] = []
    for one, other in combinations(relations, 2):
        between = {_end(fact, other): fact for fact in reversed(relations[other]) if _holds(fact, at)}
        for fact in relations[one]:
            middle = _end(fact, one)
            if _holds(fact, at) and middle not in (None, one, other) and middle in between:
                second = between[middle]
                strength, roles = strength_of([fact, second], wanted), _roles([fact, second], wanted)
                if strength >= LEAST_SECOND_HOP and roles >= LEAST_ROLES and fact.evidence and second.evidence:
                    found.append((strength, fact, second))
    found.sort(key=lambda each: (-each[0], each[1].fact_id, each[2].fact_id))
    for strength, first, second in found[:MOST_CONNECTIONS]:
        yield _statement(first, (first.sentence, second.sentence), strength, at, None)


def strength_of(path: Sequence[FactCard], wanted: Wanted) -> float:
    """Return the strength of a path, 0–1: bounded bonuses for what it shares with the claim, a penalty for a hop."""
    own = frozenset(form for fact in path for form in forms_in(fact.sentence, None))
    anchors = sum(share(anchor, own, (), {}) >= 1 for anchor in wanted.anchors)
    words = sum(word in own for word in wanted.content)
    confidence = min(fact.confidence for fact in path) - SECOND_HOP * (len(path) - 1)
    bonus = min(MOST_ANCHORS, ANCHOR * anchors) + min(MOST_WORDS, WORD * words) + ROLES * _roles(path, wanted)
    return min(1.0, max(0.0, confidence + bonus))


def _roles(path: Sequence[FactCard], wanted: Wanted) -> float:
    """Return how far the ends of a path are the subject and the object of the claim."""
    begins = share(wanted.subject, forms_in(path[0].subject, None), (), {}) if wanted.subject else 1.0
    ends = share(wanted.object, forms_in(path[-1].object, None), (), {}) if wanted.object else 1.0
    return SUBJECT_ROLE * begins + OBJECT_ROLE * ends


def _shared(fact: FactCard, wanted: Wanted) -> float:
    """Return how much of what the claim says beside its subject, or of its subject, a relation has."""
    own = frozenset(forms_in(f"{fact.sentence} {' '.join(one.quote for one in fact.evidence)}", None))
    said = (*wanted.action, *wanted.object)
    return share(said or wanted.subject, own, (), {})


def _holds(fact: FactCard, at: datetime) -> bool:
    return fact.polarity == "affirmed" and fact.valid_from <= at and (fact.valid_to is None or fact.valid_to > at)


def _end(fact: FactCard, entity_id: str) -> str | None:
    return fact.object_id if fact.subject_id == entity_id else fact.subject_id


def _statement(
    fact: FactCard, path: tuple[str, ...], strength: float, at: datetime, ended_by: EndedBy | None
) -> Statement:
    said = fact.evidence[0]
    ended = fact.valid_to is not None and fact.valid_to <= at
    return Statement(
        text=said.quote,
        origin="path",
        source_id=said.source_id,
        source=said.uri.partition(":")[2].partition("/")[0],
        uri=said.uri,
        span=said.span,
        said_at=said.said_at,
        received_at=said.received_at,
        context=f"{fact.subject} {fact.object}",
        title=said.title or None,
        speaker=said.speaker,
        modality=fact.modality,
        status=ENDED if ended else CURRENT,
        ended_by=ended_by if ended else None,
        valid_to=fact.valid_to,
        path=path,
        strength=strength,
    )
