"""Extraction rules for role changes stated by a verb. Roles in noun phrases are in `noun_phrases.py`.

| surface | facts |
|---|---|
| A replaced (succeeded) B as CEO of X; B was replaced by A as … | A be CEO of X; B be CEO of X, ended by then |
| A was appointed (named, elected, made) CEO of X; X hired A as … | A be CEO of X |
| B resigned (retired, stepped down) as CEO of X | B be CEO of X, ended by the time of the statement |

The fact of the verb itself ("A replace B") is extracted too. If the clause has a date, the change is dated to it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.relations import clauses
from brain_pipelines.stages.extraction.local.relations.modality import is_future
from brain_pipelines.stages.extraction.local.relations.phrases import Argument, Phrases
from brain_pipelines.stages.extraction.local.relations.triple import BEGUN, ENDED, Triple, role_of, triple

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS = LEXICONS.read("roles")

_REPLACE = frozenset({"replace", "succeed"})
_APPOINT = _WORDS.words("appoint")
_RESIGN = _WORDS.words("resign")
_OF = _WORDS.words("of")


def role_changes(verb: "Token", subjects: list["Token"], phrases: Phrases) -> Iterator[Triple]:
    """Yield the holder of a role that begins (BEGUN) or ends (ENDED) with a clause."""
    lemma = verb.lemma_.lower()
    role = _role(verb)
    if role is None or lemma not in _REPLACE | _APPOINT | _RESIGN:
        return
    passive = clauses.is_passive(verb)
    done_to = subjects if passive else clauses.direct_objects(verb)
    doers = clauses.agents(verb) if passive else subjects
    if lemma in _APPOINT:
        yield from _holders(done_to, role, verb, phrases, BEGUN)
    elif lemma in _RESIGN:
        yield from _holders(doers, role, verb, phrases, ENDED)
    else:
        yield from _holders(doers, role, verb, phrases, BEGUN)
        yield from _holders(done_to, role, verb, phrases, ENDED)


def _role(verb: "Token") -> "Token | None":
    """Return the role noun: after "as", or the object complement of "appointed her CEO"."""
    for child in verb.children:
        if child.dep_ == "oprd" and child.pos_ in ("NOUN", "PROPN"):
            return child
    for token in (verb, *verb.rights):
        for prep, target in clauses.complements(token):
            if prep.lower_ == "as" and (token.i == verb.i or token.dep_ in ("dobj", "agent", "prep", "advmod")):
                return target
    return None


def _holders(people: list["Token"], role: "Token", verb: "Token", phrases: Phrases, validity: str) -> Iterator[Triple]:
    for person in people:
        for _, holder in phrases.all_of(person):
            for predicate, token, argument in _office(role, phrases):
                facts = triple(holder, predicate, argument, "role", verb, token, validity)
                yield from (fact for fact in facts if validity != ENDED or _has_happened(fact))


def _has_happened(fact: Triple) -> bool:
    """Return whether a role has really ended: it has not if the clause is negated, hedged or about the future."""
    return fact.polarity == "affirmed" and fact.modality == "asserted" and not is_future(fact.anchor)


def _office(role: "Token", phrases: Phrases) -> Iterator[tuple[str, "Token", Argument]]:
    """Yield (be CEO of, Acme), or (be, CEO) if the role has no complement."""
    found = False
    for prep, target in clauses.complements(role):
        if prep.lower_ in _OF:
            for token, argument in phrases.all_of(target):
                if not argument.is_literal:
                    found = True
                    yield f"be {role_of(role)} {prep.lower_}", token, argument
    argument = None if found else phrases.of(role)
    if argument is not None:
        yield "be", role, argument
