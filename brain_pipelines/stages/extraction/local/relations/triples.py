"""Open information extraction: subject–predicate–object facts by named rules over a dependency parse.

Clause structure is in `clauses.py`, arguments in `phrases.py`, polarity and modality in `modality.py`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.relations import clauses
from brain_pipelines.stages.extraction.local.relations.noun_phrases import nominal_triples
from brain_pipelines.stages.extraction.local.relations.phrases import COUNTED, Argument, Phrases, is_yours
from brain_pipelines.stages.extraction.local.relations.preferences import favourites, preferences, ruler
from brain_pipelines.stages.extraction.local.relations.roles import role_changes
from brain_pipelines.stages.extraction.local.relations.triple import Triple, lemma_of, role_of, triple

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = LEXICONS.read("triples")

_LIGHT = _WORDS.words("light")
_SCHEDULING = _WORDS.words("scheduling")
_EVENTFUL = _WORDS.words("eventful")
_RECURRING = _WORDS.words("recurring")
_NAMED_ONLY = _WORDS.words("named_only")
_EMPTY_SUBJECTS = _WORDS.words("empty_subjects")


def triples_of(doc: "Doc", phrases: Phrases) -> Iterator[Triple]:
    """Yield the facts of a parse in the order of the tokens (verbs and nouns) that state them."""
    for token in doc:
        if clauses.is_predicate(token):
            yield from _clause(token, phrases)
        if token.pos_ in ("NOUN", "PROPN"):
            yield from nominal_triples(token, phrases)


def _clause(verb: "Token", phrases: Phrases) -> Iterator[Triple]:
    sources = clauses.subjects(verb) or _misread_subject(verb, phrases)
    sources = [s for s in sources if s.lower_ not in _EMPTY_SUBJECTS and not is_yours(s)]
    if clauses.is_request(verb) or clauses.is_comparison(verb):
        return
    yield from role_changes(verb, sources, phrases)
    if clauses.is_passive(verb):
        yield from _passive(verb, sources, phrases)
        return
    # "My favourite editor is Vim" replaces the plain copula fact ("editor be Vim").
    if favourite := list(favourites(verb, phrases)):
        yield from favourite
        return
    if (speaker := None if sources else ruler(verb, phrases)) is not None:
        for predicate, target, obj, _ in _predications(verb, phrases):
            yield from triple(speaker, predicate, obj, "policy", verb, target)
    for source in sources:
        for token, subject in phrases.all_of(source):
            for predicate, target, obj, rule in _predications(verb, phrases):
                if target.i != token.i:
                    yield from triple(subject, predicate, obj, rule, verb, target)


def _misread_subject(verb: "Token", phrases: Phrases) -> list["Token"]:
    """Return the person right before a finite verb without a subject: the parser labels some names as adverbs."""
    if verb.tag_ not in ("VBD", "VBZ", "VBP") or verb.dep_ not in ("ROOT", "ccomp", "advcl") or not verb.i:
        return []
    before = [c for c in verb.lefts if c.dep_ in ("advmod", "npadvmod", "amod", "dep") and phrases.is_named(c)]
    person = phrases.of(before[-1]) if before else None
    between = verb.doc[person.end : verb.i] if person is not None and person.type == "Person" else None
    return before[-1:] if between is not None and all(t.dep_ in ("aux", "neg", "advmod") for t in between) else []


Predication = tuple[str, "Token", Argument, str]  # predicate, object's token, object, rule


def _predications(verb: "Token", phrases: Phrases) -> Iterator[Predication]:
    if verb.lemma_ in ("be", "become", "remain") or verb.lower_ in _LIGHT:
        yield from _copula(verb, phrases)
        return
    base = _lemma(verb)
    objects = clauses.direct_objects(verb)
    rule = "inherited" if clauses.inherits_subject(verb) else "active"
    for obj in objects:
        for token, argument in phrases.all_of(obj):
            # "has access to Kafka" gives (have access to, Kafka) instead of (have, access).
            through = list(_noun_complements(base, token, phrases))
            if not through and (not argument.is_literal or token.ent_type_ not in ("DATE", "TIME")):
                yield base, token, argument, rule
            yield from through
    yield from preferences(verb, phrases)
    if objects:
        yield from _stray_objects(verb, base, phrases)
    fronted = clauses.fronted_object(verb)
    if fronted is not None:
        argument = phrases.of(fronted[0])
        if argument is not None:
            yield f"{base} {fronted[1].lower_}" if fronted[1] else base, fronted[0], argument, "relative"
    yield from _prepositions(verb, base, phrases, with_object=bool(objects))


def _stray_objects(verb: "Token", base: str, phrases: Phrases) -> Iterator[Predication]:
    """Yield a coordinated name attached to the verb, as the second in "uses Kafka but not RabbitMQ"."""
    for child in verb.rights:
        if child.dep_ == "conj" and child.pos_ not in ("VERB", "AUX") and phrases.is_named(child):
            argument = phrases.of(child)
            if argument is not None and not any(c.dep_ in ("prep", "nsubj", "nsubjpass") for c in child.children):
                yield base, child, argument, "active"


def _prepositions(verb: "Token", base: str, phrases: Phrases, *, with_object: bool) -> Iterator[Predication]:
    found = [(p, t, a) for p, obj in clauses.complements(verb) for t, a in phrases.all_of(obj)]
    found = [(p, t, a) for p, t, a in found if phrases.is_named(t) or a.is_literal or not clauses.is_opening(p, verb)]
    # With another object a date bounds the fact's validity ("moved to Lisbon on 5 May") and is not an object.
    with_place = with_object or any(not argument.is_literal for _, _, argument in found)
    for prep, token, argument in found:
        if argument.is_literal and not _recurs(token):
            # Dates of birth are facts of their own, also with a place; so is the target of a move "to Friday".
            is_birth = verb.lemma_ == "bear"
            if not _keeps_time(verb, prep, token) or (with_place and prep.lower_ != "to" and not is_birth):
                continue
        # With a direct object only names after certain prepositions are facts: other adjuncts are too vague.
        elif with_object and not (prep.lower_ in _NAMED_ONLY and phrases.is_named(token)):
            continue
        yield f"{base} {prep.lower_}", token, argument, "object-preposition" if with_object else "preposition"
    for child in verb.rights:
        if child.dep_ == "npadvmod" and _recurs(child) and not with_object:
            yield base, child, phrases.moment(child), "preposition"


def _recurs(token: "Token") -> bool:
    """Return whether a time is recurring: "Fridays", "every Monday"."""
    if token.lower_.endswith("s") and token.lower_[:-1] in _RECURRING:
        return True
    return token.ent_type_ in ("DATE", "TIME") and any(c.lower_ in ("every", "each") for c in token.children)


def _keeps_time(verb: "Token", prep: "Token", token: "Token") -> bool:
    """Return whether a date is an object of its own: the verb schedules something ("is due on Friday")."""
    if token.ent_type_ in ("DATE", "TIME"):
        return verb.lemma_ in _SCHEDULING and prep.lower_ in _EVENTFUL
    return False


def _noun_complements(base: str, obj: "Token", phrases: Phrases) -> Iterator[Predication]:
    """Yield the complement of an object noun with a light verb: "has access to Kafka", "takes part in X"."""
    if base not in ("have", "take", "give", "play", "get", "make") and obj.lemma_ not in ("part", "ownership", "care"):
        return
    if obj.lemma_.lower() in COUNTED:
        return  # "gave a lot of hope"
    for prep, target in clauses.complements(obj):
        for token, argument in phrases.all_of(target):
            if not argument.is_literal:
                yield f"{base} {obj.lemma_.lower()} {prep.lower_}", token, argument, "object-preposition"


def _copula(verb: "Token", phrases: Phrases) -> Iterator[Predication]:
    for child in verb.children:
        if child.dep_ == "attr" and child.tag_ not in ("WP", "WDT"):
            for token in [child, *(c for c in child.rights if c.dep_ == "conj" and c.pos_ in ("NOUN", "PROPN"))]:
                yield from _attribute(verb, token, phrases)
        elif child.dep_ == "acomp":
            yield from _quality(verb, child, phrases)
    yield from _whereabouts(verb, phrases)


def _whereabouts(verb: "Token", phrases: Phrases) -> Iterator[Predication]:
    """Yield (be in, Berlin), or (be alone in, fight) with a predicate adjective."""
    quality = next((c for c in verb.rights if c.dep_ == "acomp"), None)
    has_attribute = any(c.dep_ == "attr" for c in verb.rights)
    for prep, obj in clauses.complements(verb):
        between = f" {quality.lower_}" if quality is not None and quality.i < prep.i else ""
        for token, argument in phrases.all_of(obj):
            if phrases.is_named(token) or not (has_attribute or clauses.is_opening(prep, verb)):
                keeps_time = not between and _keeps_time(verb, prep, token)
                if not argument.is_literal or keeps_time:
                    yield f"{_lemma(verb)}{between} {prep.lower_}", token, argument, "preposition"


def _attribute(verb: "Token", noun: "Token", phrases: Phrases) -> Iterator[Predication]:
    """Yield (be CEO of, Acme) for "is the CEO of Acme", (be, designer) for "is a designer"."""
    found = False
    for prep, target in clauses.complements(noun):
        if phrases.is_named(noun) or prep.lower_ in ("by", "with") or noun.lemma_.lower() in COUNTED:
            continue
        for token, argument in phrases.all_of(target):
            found = True
            yield f"{_lemma(verb)} {role_of(noun)} {prep.lower_}", token, argument, "role"
    if not found:
        for token, argument in phrases.each_of(noun):
            yield _lemma(verb), token, argument, "copula"


def _quality(verb: "Token", adjective: "Token", phrases: Phrases) -> Iterator[Predication]:
    found = False
    for prep, target in clauses.complements(adjective):
        for token, argument in phrases.all_of(target):
            if not argument.is_literal or token.ent_type_ in ("DATE", "TIME"):
                found = True
                yield f"{_lemma(verb)} {adjective.lower_} {prep.lower_}", token, argument, "copula"
    if not found and not any(c.dep_ in ("xcomp", "ccomp") for c in adjective.children):
        yield _lemma(verb), adjective, phrases.quality(adjective), "copula"


def _passive(verb: "Token", patients: list["Token"], phrases: Phrases) -> Iterator[Triple]:
    doers = [pair for agent in clauses.agents(verb) for pair in phrases.all_of(agent)]
    for patient in patients:
        for token, thing in phrases.all_of(patient):
            for _, doer in doers:
                yield from triple(doer, _lemma(verb), thing, "passive", verb, token)
            for prep, obj in clauses.complements(verb):
                for target, argument in phrases.all_of(obj):
                    if prep.lower_ == "by" or (argument.is_literal and not _keeps_time(verb, prep, target)):
                        continue
                    if doers and not phrases.is_named(target):
                        continue
                    predicate = f"be {verb.lower_} {prep.lower_}"
                    yield from triple(thing, predicate, argument, "passive-preposition", verb, target)


def _lemma(verb: "Token") -> str:
    """Return the verb's lemma with its particle: "set up"."""
    lemma = "be" if verb.lower_ in _LIGHT else lemma_of(verb)
    particle = next((c.lower_ for c in verb.children if c.dep_ == "prt"), "")
    return f"{lemma} {particle}".strip()
