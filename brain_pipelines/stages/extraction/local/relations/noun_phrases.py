"""Extraction rules for facts without a verb: "Dana, CEO of Acme", "Bob's sister Anna"."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.names.gazetteers import KIN, ROLES
from brain_pipelines.stages.extraction.local.relations import clauses
from brain_pipelines.stages.extraction.local.relations.empty_statements import EMPTY
from brain_pipelines.stages.extraction.local.relations.phrases import Phrases
from brain_pipelines.stages.extraction.local.relations.triple import Triple, role_of, triple

if TYPE_CHECKING:
    from spacy.tokens import Token


def nominal_triples(noun: "Token", phrases: Phrases) -> Iterator[Triple]:
    """Yield the facts stated by the noun phrases around a noun: apposition, membership, kinship."""
    yield from _apposition(noun, phrases)
    yield from _membership(noun, phrases)
    yield from _kinship(noun, phrases)


def _apposition(noun: "Token", phrases: Phrases) -> Iterator[Triple]:
    """Yield (Dana, be CEO of, Acme) for "Dana, CEO of Acme,"."""
    if not phrases.is_named(noun):
        return
    for role in noun.children:
        if role.dep_ != "appos" or phrases.is_named(role) or role.lower_ in EMPTY:
            continue
        subject = phrases.of(noun)
        for prep, target in clauses.complements(role):
            for token, argument in phrases.all_of(target):
                if subject is not None and not argument.is_literal and prep.lower_ in ("of", "at", "for", "in", "to"):
                    yield from triple(subject, f"be {role_of(role)} {prep.lower_}", argument, "apposition", role, token)


def _membership(noun: "Token", phrases: Phrases) -> Iterator[Triple]:
    """Yield (Alice Chen, be from, Design team): a person followed at once by "from" or "at" and a group."""
    subject = phrases.of(noun) if phrases.is_named(noun) else None
    if subject is None or subject.type != "Person" or subject.end >= len(noun.doc) or noun.i != subject.end - 1:
        return
    prep = noun.doc[subject.end]
    if prep.lower_ not in ("from", "at", "of") or prep.pos_ != "ADP" or prep.sent.start != noun.sent.start:
        return
    target = next((c for c in prep.children if c.dep_ == "pobj"), None)
    argument = phrases.of(target) if target is not None else None
    if target is not None and argument is not None and argument.type == "Organization":
        yield from triple(subject, f"be {prep.lower_}", argument, "membership", noun, target)


def _kinship(noun: "Token", phrases: Phrases) -> Iterator[Triple]:
    """Yield (Anna, be sister of, Bob) for "Bob's sister Anna" and, said by Bob, for "my sister, Anna,"."""
    if noun.lemma_.lower() not in KIN | ROLES:
        return
    named = [c for c in noun.children if c.dep_ == "appos"] or (
        [noun.head] if noun.dep_ in ("compound", "nmod") else []
    )
    owner = next((c for t in (noun, *named) for c in t.children if c.dep_ == "poss"), None)
    if owner is None:
        return
    whose = phrases.of(owner)
    for token in named:
        person = phrases.of(token) if phrases.is_named(token) else None
        if whose is not None and person is not None and person.type == "Person" and person.name != whose.name:
            yield from triple(person, f"be {noun.lemma_.lower()} of", whose, "kinship", noun, owner)
