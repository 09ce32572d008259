"""Attachment of temporal expressions to clauses. The expressions themselves are found in `time_expressions.py`.

An expression belongs to the verb that governs it, or to a noun in apposition ("Dana, CEO since 2019, …"). One that is
a subject or object itself, or that modifies a noun ("the March report"), belongs to no clause.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import type_of_noun
from brain_pipelines.stages.extraction.local.relations import clauses
from brain_pipelines.stages.extraction.local.relations.modality import is_future
from brain_pipelines.stages.extraction.local.relations.triple import BEGUN, ENDED
from brain_pipelines.stages.extraction.local.time.time_expressions import FORMERLY, TimePhrase, find_phrases

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = LEXICONS.read("time")

_ARGUMENTS = frozenset({"nsubj", "nsubjpass", "csubj", "dobj", "dative", "attr", "oprd", "agent", "nummod", "compound"})
_DESCRIBING = frozenset({"amod", "nmod", "poss", "compound", "nummod"})
# Verbs of planning or remembering: the date is that of the planned or remembered event, not of the planning. For verbs
# of rescheduling this holds for the object only.
_PLANNING = _WORDS.words("planning")
_PROSPECTIVE = _PLANNING | _WORDS.words("prospective")
_CLAUSAL = _WORDS.words("clausal")
_WITHIN = {"", *_WORDS.words("within")}
_ONSETS = _WORDS.words("onsets")
_FORMER = frozenset({"formerly", "previously"})
_FORMER_ADJECTIVES = _WORDS.words("former_adjectives")


class ClauseTimes:
    """The temporal expressions of one parse, by the verb or apposed noun they belong to."""

    def __init__(self, doc: "Doc") -> None:
        self._at: dict[int, list[TimePhrase]] = {}
        previous: tuple[int, int | None] = (-9, None)  # end and clause of the preceding expression
        for phrase in find_phrases(doc.text):
            if phrase.start - previous[0] <= 1 and phrase.marker in ("to", "-", "–", "—", "and", "until", "till"):
                anchor = previous[1]  # the end of a range belongs where its start does, however it is parsed
            else:
                anchor = _anchor(doc, phrase)
            previous = (phrase.end, anchor)
            if anchor is not None:
                phrase = replace(phrase, direction=_direction(doc[anchor], phrase))
                self._at.setdefault(anchor, []).append(phrase)

    def of(self, anchor: "Token", validity: str = "") -> tuple[TimePhrase, ...]:
        """Return the temporal expressions of a clause, including those inherited from the clause it continues.

        With `validity` BEGUN or ENDED the clause states a change ("replaced Bob as CEO in May"), so its time is the
        start or end of the fact.
        """
        stated = self._stated(anchor)
        if validity == ENDED:
            # "in May" bounds the end of the role; FORMERLY ends it on the day of the statement if there is no date.
            ended = TimePhrase(FORMERLY, "", anchor.idx, anchor.idx + len(anchor))
            return (*(replace(p, marker="before") for p in stated if p.marker in _WITHIN), ended)
        if validity == BEGUN:
            return tuple(replace(phrase, onset=True) for phrase in stated)
        return (*stated, *_formerly(anchor))

    def _stated(self, anchor: "Token", depth: int = 0) -> Iterator[TimePhrase]:
        own = self._at.get(anchor.i, [])
        head = anchor.head
        onset = anchor.dep_ == "xcomp" and head.lemma_.lower() in _ONSETS
        yield from (replace(phrase, onset=onset) for phrase in own)
        if own or depth > 4 or head.i == anchor.i or not clauses.is_predicate(anchor):
            return
        if anchor.dep_ == "xcomp":
            yield from (replace(phrase, onset=onset) for phrase in self._stated(head, depth + 1))
        elif anchor.dep_ == "conj" and clauses.inherits_subject(anchor):
            # "In 2020 he sold the house and moved" dates both verbs; "sold it in 2020 and moved" only the first.
            yield from (p for p in self._stated(head, depth + 1) if p.end <= head.idx)


def _anchor(doc: "Doc", phrase: TimePhrase) -> int | None:
    """Return the token that an expression belongs to, None if it belongs to no clause."""
    span = doc.char_span(phrase.start, phrase.end, alignment_mode="contract")
    if span is None or not len(span):
        return None
    outer = [t for t in span if not span.start <= t.head.i < span.end]
    if any(t.dep_ in _ARGUMENTS for t in outer) or span.root.tag_ in ("MD", "VB", "VBP", "VBD"):
        return None  # "Friday is fine", "the 2020 budget"; "may", "march"
    if phrase.marker == "for" and not _is_perfect(span.root):
        return None
    return _clause_of(span.root, phrase.marker)


def _clause_of(token: "Token", marker: str) -> int | None:
    """Return the verb or apposed noun that a prepositional or adverbial phrase headed by `token` belongs to."""
    for _ in range(8):
        if clauses.is_predicate(token):
            return token.i if marker in _CLAUSAL or token.lemma_.lower() not in _PLANNING else None
        head = token.head
        if head.i == token.i or token.dep_ in _DESCRIBING:
            return None
        roles = [c for c in token.children if c.dep_ == "appos" and not c.ent_type_]
        if roles and token.pos_ == "PROPN":
            return roles[0].i
        if token.dep_ == "appos" and not token.ent_type_:
            return token.i
        if token.dep_ in ("nsubj", "nsubjpass", "csubj") or not _passes(token, head, marker):
            return None
        token = head
    return None


def _passes(token: "Token", head: "Token", marker: str) -> bool:
    """Return whether a time attached to `token`, an object of `head`, can be a time of the clause.

    Parsers attach many adverbials to the nearest noun. A time on an event noun ("the meeting on Friday") or on the
    object of a prospective verb is a time of the noun.
    """
    if token.dep_ not in ("dobj", "pobj", "attr", "conj") or token.pos_ not in ("NOUN", "PROPN"):
        return True
    if marker in _CLAUSAL or token.ent_type_ in ("DATE", "TIME"):
        return True
    verb = head.head if head.dep_ == "prep" else head
    return type_of_noun(token.lemma_.lower()) != "Event" and verb.lemma_.lower() not in _PROSPECTIVE


def _is_perfect(token: "Token") -> bool:
    """Return whether the clause of `token` is in the present perfect, so that its state still holds."""
    for _ in range(6):
        if clauses.is_predicate(token):
            return any(c.dep_ == "aux" and c.lemma_ == "have" and c.tag_ in ("VBZ", "VBP") for c in token.children)
        token = token.head
    return False


def _direction(anchor: "Token", phrase: TimePhrase) -> int:
    """Return -1 or 1: whether a date without a year is the last or the next one, by the tense of the finite verb."""
    if phrase.marker == "since":
        return -1
    verb = anchor
    while not _tensed(verb) and verb.head.i != verb.i:
        verb = verb.head
    if is_future(verb) or is_future(anchor):
        return 1
    auxiliaries = [c.tag_ for c in verb.children if c.dep_ in ("aux", "auxpass")]
    is_past = verb.tag_ == "VBD" or "VBD" in auxiliaries or (verb.tag_ == "VBN" and "MD" not in auxiliaries)
    return -1 if is_past else 1


def _tensed(verb: "Token") -> bool:
    if verb.tag_ in ("VBD", "VBZ", "VBP", "MD"):
        return True
    return any(c.dep_ in ("aux", "auxpass") and c.tag_ in ("VBD", "VBZ", "VBP", "MD") for c in verb.children)


def _formerly(anchor: "Token") -> Iterator[TimePhrase]:
    """Yield a FORMERLY phrase for an ended state: "used to live", "formerly worked", "is a former member"."""
    if _used_to(anchor) or any(c.lower_ in _FORMER and c.dep_ == "advmod" for c in anchor.children):
        yield TimePhrase(FORMERLY, "", anchor.idx, anchor.idx + len(anchor))
        return
    role = next((c for c in anchor.children if c.dep_ == "attr"), anchor)
    modifiers = [c for c in role.lefts if c.lower_ in _FORMER_ADJECTIVES]
    if modifiers and role.pos_ in ("NOUN", "PROPN"):
        yield TimePhrase(FORMERLY, "", role.idx, role.idx + len(role))


def _used_to(verb: "Token") -> bool:
    """Return whether an infinitive follows the habitual "used to", as opposed to "used it to" or "is used to"."""
    if verb.tag_ != "VB":
        return False
    if verb.dep_ == "conj" and clauses.inherits_subject(verb):
        return _used_to(verb.head)
    to = next((c for c in verb.children if c.tag_ == "TO"), None)
    used = to.nbor(-1) if to is not None and to.i else None
    return used is not None and used.lower_ == "used" and not any(c.dep_ == "auxpass" for c in used.children)
