"""Clause structure from a dependency parse: subjects, objects and prepositional complements of a verb.

Labels are those of spaCy's English models (ClearNLP dependencies, Penn Treebank tags).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS = LEXICONS.read("clauses")

_SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_RELATIVE = _WORDS.words("relative")
# Nouns such as "day" or "reason": a relative clause on one gives time, place or cause and has no object there.
_CIRCUMSTANCES = _WORDS.words("circumstances")
_DOINGS = _WORDS.words("doings")
# With these verbs the head noun of a relative clause is an adjunct ("the year we lived in Rome"), not an object.
_INTRANSITIVE = _WORDS.words("intransitive")
_OBJECT_CONTROL = _WORDS.words("object_control")


def is_predicate(token: "Token") -> bool:
    """Return whether a token is the verb of a clause."""
    if token.pos_ == "NOUN":
        return _is_mistaken_verb(token)
    if token.pos_ not in ("VERB", "AUX") or token.dep_ in ("aux", "auxpass", "amod", "compound", "case", "prep"):
        return False
    return token.tag_ != "MD"


def _is_mistaken_verb(token: "Token") -> bool:
    """Return whether a bare noun is a mistagged verb, as "work" in "I live in Berlin and work at Acme"."""
    if token.dep_ != "conj" or token.tag_ != "NN" or token.head.pos_ != "VERB":
        return False
    # A real coordinated noun would rather have a determiner or modifier; a verb has a prepositional phrase.
    children = list(token.children)
    return any(c.dep_ == "prep" for c in children) and not any(c.dep_ in ("det", "amod", "compound") for c in children)


def is_passive(verb: "Token") -> bool:
    """Return whether the verb is in the passive voice, including reduced relatives ("the tool built by Bob")."""
    if any(c.dep_ in ("nsubjpass", "auxpass") for c in verb.children):
        return True
    if verb.tag_ != "VBN":
        return False
    if verb.dep_ == "acl":
        return True
    # "was designed and built": the auxiliary stands with the first verb only.
    return verb.dep_ == "conj" and is_passive(verb.head) and not any(c.dep_ in ("aux", "nsubj") for c in verb.children)


def subjects(verb: "Token", depth: int = 0) -> list["Token"]:
    """Return the subjects of a clause: its own, or those of the governing clause (control, coordination)."""
    own = [_antecedent(c) for c in verb.children if c.dep_ in _SUBJECTS and c.dep_ != "csubj"]
    if own or depth > 6:
        # Of two, the nearest: in "Hey Alice, I moved" the first is the person addressed.
        return [c for c in own if c is not None][-1:]
    head = verb.head
    if verb.dep_ in ("relcl", "acl") and any(c.tag_ == "TO" for c in verb.children):
        return []  # "a way to express": not the way expresses
    if verb.dep_ == "xcomp" and head.lemma_ == "be":
        return []  # "my goal is to give": not the goal gives
    if verb.dep_ == "acl" and verb.tag_ == "VBG" and head.lemma_.lower() in _DOINGS:
        return []  # "great job organizing the event": not the job organizes
    if verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBG"):
        return [head]
    if verb.dep_ == "relcl":
        return [] if is_fronted(verb) else [head]
    # Object control: in "asked Bob to review it" Bob reviews, not the subject of "asked".
    if verb.dep_ in ("xcomp", "advcl") and head.lemma_ in _OBJECT_CONTROL and verb.dep_ == "xcomp":
        return [c for c in head.children if c.dep_ in ("dobj", "dative")] or subjects(head, depth + 1)
    # A participle or infinitive shares the subject of its main clause, but not that of a passive: "the shed was built
    # to store tools" does not say that the shed stores.
    subordinate = verb.dep_ == "advcl" and verb.tag_ in ("VBG", "VB") and not is_passive(head)
    if verb.dep_ in ("conj", "xcomp") or subordinate:
        return subjects(head, depth + 1) if head.pos_ in ("VERB", "AUX") and head.i != verb.i else []
    if verb.dep_ == "pcomp" and head.dep_ == "prep" and head.head.pos_ in ("VERB", "AUX"):
        return subjects(head.head, depth + 1)
    return []


def inherits_subject(verb: "Token") -> bool:
    """Return whether the clause has no subject of its own."""
    return not any(c.dep_ in _SUBJECTS for c in verb.children)


def _antecedent(token: "Token") -> "Token | None":
    """Return the antecedent of a relative pronoun, or the token itself; None if the antecedent is not found."""
    if token.lower_ not in _RELATIVE or token.tag_ == "DT":
        return token
    verb = token.head
    for _ in range(4):
        if verb.dep_ in ("relcl", "acl"):
            head = verb.head
            # "Dana, the engineer who …": the name is a better antecedent than its apposition.
            while head.dep_ == "appos" and head.head.pos_ == "PROPN":
                head = head.head
            return head
        verb = verb.head
    return None


def is_request(verb: "Token") -> bool:
    """Return whether a clause is the complement of an imperative "let", as in "let me know" and "let's meet"."""
    head = verb.head
    if verb.dep_ not in ("ccomp", "xcomp") or head.lemma_ != "let" or head.tag_ not in ("VB", "VBP"):
        return False
    return not any(c.dep_ in ("nsubj", "aux") for c in head.children)


def is_comparison(verb: "Token") -> bool:
    """Return whether a clause is the standard of a comparison, as the second in "as passionate as I am about art"."""
    if verb.lemma_ not in ("be", "do") or any(c.dep_ in ("attr", "acomp", "dobj") for c in verb.children):
        return False
    return any(c.dep_ in ("mark", "prep") and c.lower_ in ("as", "than") and c.i < verb.i for c in verb.children)


def is_opening(prep: "Token", verb: "Token") -> bool:
    """Return whether a prepositional phrase opens the sentence as a frame: "For me, …", "In my free time, …"."""
    return prep.i < verb.i and (prep.is_sent_start or prep.nbor(-1).is_punct or prep.nbor(-1).pos_ == "CCONJ")


def is_fronted(verb: "Token") -> bool:
    """Return whether a relative clause has a subject of its own, so that its head noun is the object."""
    return verb.dep_ == "relcl" and any(
        c.dep_ in ("nsubj", "nsubjpass") and c.lower_ not in _RELATIVE for c in verb.children
    )


def fronted_object(verb: "Token") -> "tuple[Token, Token | None] | None":
    """Return the object of a relative clause ("the library that Bob maintains") and a stranded preposition, if any.

    For "the team Bob works for" the result is ("team", "for"). None if the head noun is an adjunct or the clause
    already has an object.
    """
    if not is_fronted(verb) or verb.head.lemma_.lower() in _CIRCUMSTANCES or verb.head.pos_ == "VERB":
        return None
    if any(c.dep_ in ("dobj", "attr", "acomp", "ccomp") and c.lower_ not in _RELATIVE for c in verb.children):
        return None
    if any(c.dep_ == "xcomp" for c in verb.children) or any(
        c.lower_ in ("where", "when", "why") for c in verb.children
    ):
        return None
    stranded = [c for c in verb.children if c.dep_ == "prep" and not _has_object(c)]
    # "the year we lived in Rome": no relative pronoun, no stranded preposition and an intransitive verb with a place
    # of its own, so the head noun is not an object.
    full = [c for c in verb.children if c.dep_ == "prep" and _has_object(c)]
    relative = any(c.dep_ in ("dobj", "mark") and c.lower_ in _RELATIVE for c in verb.children)
    if full and not relative and not stranded and verb.lemma_ in _INTRANSITIVE:
        return None
    return verb.head, stranded[0] if stranded else None


def _has_object(prep: "Token") -> bool:
    return any(c.dep_ in ("pobj", "pcomp") and c.lower_ not in _RELATIVE for c in prep.children)


def direct_objects(verb: "Token") -> list["Token"]:
    """Return the direct objects, with relative pronouns replaced by their antecedents."""
    found = [_antecedent(c) for c in verb.children if c.dep_ in ("dobj", "oprd") and c.tag_ != "WP"]
    return [c for c in found if c is not None]


def complements(verb: "Token") -> Iterator[tuple["Token", "Token"]]:
    """Yield (preposition, object) pairs, also for chained prepositions ("out of", "on top of")."""
    for child in verb.children:
        if child.dep_ in ("prep", "dative") and child.pos_ in ("ADP", "SCONJ", "PART"):
            yield from _complement(child)
        elif child.dep_ == "prep" and child.pos_ == "VERB":  # "including", "following"
            continue


def _complement(prep: "Token") -> Iterator[tuple["Token", "Token"]]:
    for child in prep.children:
        if child.dep_ == "pobj":
            inner = next((c for c in child.children if c.lower_ == "of"), None)
            # Part of a complex preposition: the object of "on behalf of Acme" is Acme.
            if child.lower_ in ("top", "behalf", "favor", "favour", "front", "charge") and inner is not None:
                yield from ((prep, target) for _, target in _complement(inner))
            else:
                yield prep, child
        elif child.dep_ == "prep":
            yield from _complement(child)


def agents(verb: "Token") -> list["Token"]:
    """Return the agents of a passive clause ("by …")."""
    return [c for agent in verb.children if agent.dep_ == "agent" for c in agent.children if c.dep_ == "pobj"]
