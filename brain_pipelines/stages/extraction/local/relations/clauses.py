"""Who does what to whom in one clause of a parse: subjects, objects and prepositional complements of a verb."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS = LEXICONS.read("clauses")

_SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_RELATIVE = _WORDS.words("relative")
# Nouns a relative clause says the when, where or why of, not the object.
_CIRCUMSTANCES = _WORDS.words("circumstances")
_DOINGS = _WORDS.words("doings")
# With these a clause like "the year we lived in Rome" says when, not what.
_INTRANSITIVE = _WORDS.words("intransitive")
_OBJECT_CONTROL = _WORDS.words("object_control")


def is_predicate(token: "Token") -> bool:
    """Tell whether a token heads a clause."""
    if token.pos_ == "NOUN":
        return _is_mistaken_verb(token)
    if token.pos_ not in ("VERB", "AUX") or token.dep_ in ("aux", "auxpass", "amod", "compound", "case", "prep"):
        return False
    return token.tag_ != "MD"


def _is_mistaken_verb(token: "Token") -> bool:
    """Tell whether a bare noun is the second verb of "I live in Berlin and work at Acme", which the tagger misses."""
    if token.dep_ != "conj" or token.tag_ != "NN" or token.head.pos_ != "VERB":
        return False
    children = list(token.children)
    return any(c.dep_ == "prep" for c in children) and not any(c.dep_ in ("det", "amod", "compound") for c in children)


def is_passive(verb: "Token") -> bool:
    """Tell whether the subject of the verb undergoes it."""
    if any(c.dep_ in ("nsubjpass", "auxpass") for c in verb.children):
        return True
    if verb.tag_ != "VBN":
        return False
    if verb.dep_ == "acl":
        return True
    return verb.dep_ == "conj" and is_passive(verb.head) and not any(c.dep_ in ("aux", "nsubj") for c in verb.children)


def subjects(verb: "Token", depth: int = 0) -> list["Token"]:
    """Return the nouns the clause is about: its own subject, or the one it inherits from the clause above."""
    own = [_antecedent(c) for c in verb.children if c.dep_ in _SUBJECTS and c.dep_ != "csubj"]
    if own or depth > 6:
        # Of two, the nearest: in "Hey Alice, I moved" the other is who is spoken to.
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
    if verb.dep_ in ("xcomp", "advcl") and head.lemma_ in _OBJECT_CONTROL and verb.dep_ == "xcomp":
        return [c for c in head.children if c.dep_ in ("dobj", "dative")] or subjects(head, depth + 1)
    subordinate = verb.dep_ == "advcl" and verb.tag_ in ("VBG", "VB") and not is_passive(head)
    if verb.dep_ in ("conj", "xcomp") or subordinate:
        return subjects(head, depth + 1) if head.pos_ in ("VERB", "AUX") and head.i != verb.i else []
    if verb.dep_ == "pcomp" and head.dep_ == "prep" and head.head.pos_ in ("VERB", "AUX"):
        return subjects(head.head, depth + 1)
    return []


def inherits_subject(verb: "Token") -> bool:
    """Tell whether the clause has no subject of its own."""
    return not any(c.dep_ in _SUBJECTS for c in verb.children)


def _antecedent(token: "Token") -> "Token | None":
    """Return what a relative pronoun stands for, or the token itself."""
    if token.lower_ not in _RELATIVE or token.tag_ == "DT":
        return token
    verb = token.head
    for _ in range(4):
        if verb.dep_ in ("relcl", "acl"):
            head = verb.head
            while head.dep_ == "appos" and head.head.pos_ == "PROPN":
                head = head.head
            return head
        verb = verb.head
    return None


def is_request(verb: "Token") -> bool:
    """Tell whether a clause is what "let me know" and "let's meet" ask for."""
    head = verb.head
    if verb.dep_ not in ("ccomp", "xcomp") or head.lemma_ != "let" or head.tag_ not in ("VB", "VBP"):
        return False
    return not any(c.dep_ in ("nsubj", "aux") for c in head.children)


def is_comparison(verb: "Token") -> bool:
    """Tell whether a clause only measures: the second of "as passionate as I am about art"."""
    if verb.lemma_ not in ("be", "do") or any(c.dep_ in ("attr", "acomp", "dobj") for c in verb.children):
        return False
    return any(c.dep_ in ("mark", "prep") and c.lower_ in ("as", "than") and c.i < verb.i for c in verb.children)


def is_opening(prep: "Token", verb: "Token") -> bool:
    """Tell whether a preposition opens the sentence ("For me, …", "In my free time, …"): it frames what is said."""
    return prep.i < verb.i and (prep.is_sent_start or prep.nbor(-1).is_punct or prep.nbor(-1).pos_ == "CCONJ")


def is_fronted(verb: "Token") -> bool:
    """Tell whether a relative clause has its own subject, so that what it describes is its object."""
    return verb.dep_ == "relcl" and any(
        c.dep_ in ("nsubj", "nsubjpass") and c.lower_ not in _RELATIVE for c in verb.children
    )


def fronted_object(verb: "Token") -> "tuple[Token, Token | None] | None":
    """Return the object of "the library that Bob maintains", with the preposition of "the team Bob works for"."""
    if not is_fronted(verb) or verb.head.lemma_.lower() in _CIRCUMSTANCES or verb.head.pos_ == "VERB":
        return None
    if any(c.dep_ in ("dobj", "attr", "acomp", "ccomp") and c.lower_ not in _RELATIVE for c in verb.children):
        return None
    if any(c.dep_ == "xcomp" for c in verb.children) or any(
        c.lower_ in ("where", "when", "why") for c in verb.children
    ):
        return None
    stranded = [c for c in verb.children if c.dep_ == "prep" and not _has_object(c)]
    full = [c for c in verb.children if c.dep_ == "prep" and _has_object(c)]
    relative = any(c.dep_ in ("dobj", "mark") and c.lower_ in _RELATIVE for c in verb.children)
    if full and not relative and not stranded and verb.lemma_ in _INTRANSITIVE:
        return None
    return verb.head, stranded[0] if stranded else None


def _has_object(prep: "Token") -> bool:
    return any(c.dep_ in ("pobj", "pcomp") and c.lower_ not in _RELATIVE for c in prep.children)


def direct_objects(verb: "Token") -> list["Token"]:
    """Return the direct objects, a relative pronoun replaced by what it stands for."""
    found = [_antecedent(c) for c in verb.children if c.dep_ in ("dobj", "oprd") and c.tag_ != "WP"]
    return [c for c in found if c is not None]


def complements(verb: "Token") -> Iterator[tuple["Token", "Token"]]:
    """Yield preposition and its object, also where prepositions are chained ("out of", "on top of")."""
    for child in verb.children:
        if child.dep_ in ("prep", "dative") and child.pos_ in ("ADP", "SCONJ", "PART"):
            yield from _complement(child)
        elif child.dep_ == "prep" and child.pos_ == "VERB":  # "including", "following"
            continue


def _complement(prep: "Token") -> Iterator[tuple["Token", "Token"]]:
    for child in prep.children:
        if child.dep_ == "pobj":
            inner = next((c for c in child.children if c.lower_ == "of"), None)
            if child.lower_ in ("top", "behalf", "favor", "favour", "front", "charge") and inner is not None:
                yield from ((prep, target) for _, target in _complement(inner))
            else:
                yield prep, child
        elif child.dep_ == "prep":
            yield from _complement(child)


def agents(verb: "Token") -> list["Token"]:
    """Return who does it in a passive clause."""
    return [c for agent in verb.children if agent.dep_ == "agent" for c in agent.children if c.dep_ == "pobj"]
