"""Extraction rules for preferences and personal rules.

| surface | fact |
|---|---|
| X prefers tea over (to, rather than) coffee | X prefer tea; X prefer over coffee |
| X likes (loves, hates, enjoys, …) playing the guitar | X like "playing the guitar" |
| X's favourite editor is Vim; Vim is my favourite editor | X have favorite editor Vim |
| we never deploy on Fridays | we deploy on Fridays, negated |
| Always use tabs. Never commit to main. | the speaker use tabs; the speaker commit to main, negated |
| Policy: no deploys on Fridays. Our rule is to … | the speaker have policy "no deploys on Fridays" |

"we" and "my" refer to the speaker. Changes of a preference over time are resolved by the fact layer, not here.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.relations import clauses
from brain_pipelines.stages.extraction.local.relations.phrases import Argument, Phrases
from brain_pipelines.stages.extraction.local.relations.triple import Triple, lemma_of, triple

if TYPE_CHECKING:
    from spacy.tokens import Token

_LEXICON = LEXICONS.read("preferences")

MAX_RULE_CHARS = 200
_LIKES = _LEXICON.words("likes")
_FAVOURITE = frozenset({"favourite", "favorite"})
_OVER = _LEXICON.words("over")
_RULE_WORDS = frozenset({"always", "never"})
_NAME = r"polic(?:y|ies)|rules?|conventions?|guidelines?"
_RULE = re.compile(
    rf"(?:^|(?<=[.!?] ))(?:(?:our|my|the|team|house) ){{0,2}}(?P<name>{_NAME})"
    rf"(?: is(?: that| to)?|:) (?P<rule>[^.!?]{{8,{MAX_RULE_CHARS}}})",
    re.IGNORECASE,
)
_SINGULAR = {"policies": "policy"}


def stated_rules(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (predicate, start, end) of rules that a text labels as such: "Policy: no deploys on Fridays"."""
    for match in _RULE.finditer(text):
        name = match["name"].lower()
        end = match.start("rule") + len(match["rule"].rstrip())
        yield f"have {_SINGULAR.get(name, name.removesuffix('s'))}", match.start("rule"), end


def preferences(verb: "Token", phrases: Phrases) -> Iterator[tuple[str, "Token", Argument, str]]:
    """Yield objects of a verb of liking other than its direct object: an activity, or the rejected alternative."""
    lemma = lemma_of(verb)
    if lemma not in _LIKES:
        return
    for child in verb.rights:
        if child.dep_ == "xcomp" and child.tag_ == "VBG":
            yield lemma, child, phrases.activity(child), "active"
    if lemma == "prefer":
        for token in (verb, *clauses.direct_objects(verb)):
            for prep, target in clauses.complements(token):
                argument = phrases.of(target) if prep.lower_ in _OVER else None
                if argument is not None and not argument.is_literal:
                    yield "prefer over", target, argument, "object-preposition"


def favourites(verb: "Token", phrases: Phrases) -> Iterator[Triple]:
    """Yield (X, have favorite editor, Vim) from a copular clause with "favourite" on either side of "is"."""
    if verb.lemma_ != "be":
        return
    sides = [c for c in verb.children if c.dep_ in ("nsubj", "csubj", "attr", "acomp") and c.pos_ != "VERB"]
    for noun in sides:
        owner = next((c for c in noun.lefts if c.dep_ == "poss"), None)
        if owner is None or not any(c.lower_ in _FAVOURITE for c in noun.lefts):
            continue
        whose = phrases.of(owner)
        kind = " ".join([*(c.lemma_.lower() for c in noun.lefts if c.dep_ == "compound"), noun.lemma_.lower()])
        for other in (side for side in sides if side.i != noun.i):
            for token, what in phrases.all_of(other):
                if whose is not None:
                    yield from triple(whose, f"have favorite {kind}", what, "copula", verb, token)


def ruler(verb: "Token", phrases: Phrases) -> Argument | None:
    """Return the speaker if the clause is an imperative with "always" or "never" ("Always use tabs"), else None."""
    if verb.dep_ != "ROOT" or verb.tag_ not in ("VB", "VBP") or any(c.dep_ == "nsubj" for c in verb.children):
        return None
    first = verb.sent[0]
    if first.lower_ not in _RULE_WORDS or first.head.i != verb.i:
        return None
    return phrases.first_person(verb)
