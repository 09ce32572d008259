"""A fact as tokens of a parse, with its confidence. Extraction rules are in `triples.py` and `noun_phrases.py`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.relations import clauses
from brain_pipelines.stages.extraction.local.relations.empty_statements import says_nothing
from brain_pipelines.stages.extraction.local.relations.modality import is_future, modality_of, polarity_of
from brain_pipelines.stages.extraction.local.relations.phrases import Argument

if TYPE_CHECKING:
    from spacy.tokens import Token

# Not calibrated: the order of the rules was tuned on labelled sentences, the numbers are not probabilities.
RULE_CONFIDENCE = {
    "active": 0.9,
    "passive": 0.85,
    "relative": 0.8,
    "copula": 0.85,
    "role": 0.8,
    "preposition": 0.7,
    "passive-preposition": 0.7,
    "object-preposition": 0.6,
    "apposition": 0.8,
    "membership": 0.7,
    "kinship": 0.8,
    "inherited": 0.75,
    "policy": 0.8,
    "adjacent": 0.7,
}
_SHORT = re.compile(r"[^aeiou]+[aeiou][^aeiouswxyz]")
BEGUN, ENDED = "begun", "ended"
_NOT_ASSERTED = 0.6  # factor on the confidence of clauses that are not asserted
_FUTURE = 0.85


@dataclass(frozen=True)
class Triple:
    """A fact with tokens of the parse: `anchor` is the verb or noun that states it, its sentence is the evidence."""

    subject: Argument
    predicate: str
    object: Argument
    polarity: str
    modality: str
    confidence: float
    rule: str
    anchor: "Token"
    validity: str = ""  # BEGUN or ENDED if the clause states the start or the end of the fact


def triple(
    subject: Argument, predicate: str, obj: Argument, rule: str, anchor: "Token", target: "Token", validity: str = ""
) -> Iterator[Triple]:
    """Yield the fact unless it is uninformative or relates a name to itself. `target` is the object's token."""
    if says_nothing(subject.name, predicate, obj.name, is_quality=obj.is_literal):
        return
    if subject.is_literal or (subject.name.casefold() == obj.name.casefold()):
        return
    is_clause = clauses.is_predicate(anchor)
    polarity = polarity_of(anchor, target) if is_clause else "affirmed"
    modality = modality_of(anchor) if is_clause else "asserted"
    confidence = RULE_CONFIDENCE[rule]
    confidence *= _NOT_ASSERTED if modality != "asserted" else _FUTURE if is_future(anchor) else 1.0
    for argument in (subject, obj):
        confidence *= argument.confidence if argument.is_pronoun else 1.0
    yield Triple(subject, predicate, obj, polarity, modality, round(confidence, 4), rule, anchor, validity)


def lemma_of(verb: "Token") -> str:
    """Return the lemma of a verb, corrected where the lemmatizer strips a final "e" ("hates" → "hat")."""
    lemma = verb.lemma_.lower()
    # After one short vowel English doubles the consonant ("hatted"), so a single one had an "e" behind it.
    if _SHORT.fullmatch(lemma) and verb.lower_ in (f"{lemma}es", f"{lemma}ed", f"{lemma}ing"):
        return f"{lemma}e"
    return lemma


def role_of(noun: "Token") -> str:
    """Return the role that a noun names, with its compound modifiers: "UI designer", "CEO"."""
    words = [c.text for c in noun.lefts if c.dep_ == "compound"]
    return " ".join([*words, noun.text if noun.text.isupper() else noun.lemma_.lower()])
