"""Which clause a temporal expression belongs to. What the expressions are is in `when.py`.

An expression belongs to the verb it hangs on, or to the noun in apposition ("Dana, CEO since 2019, …"). One that is
itself subject or object of the clause, or that only describes a noun ("the March report"), belongs to none.
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
# What is planned for a day, or remembered of it, does not happen at the time of planning; of what is moved that holds
# for the object.
_PLANNING = _WORDS.words("planning")
_PROSPECTIVE = _PLANNING | _WORDS.words("prospective")
_CLAUSAL = _WORDS.words("clausal")
_WITHIN = {"", *_WORDS.words("within")}
_ONSETS = _WORDS.words("onsets")
_FORMER = frozenset({"formerly", "previously"})
_FORMER_ADJECTIVES = _WORDS.words("former_adjectives")


class ClauseTimes:
    """The temporal expressions of one parse by the token of the verb or apposed noun they belong to."""

    def __init__(self, doc: "Doc") -> None:
        self._at: dict[int, list[TimePhrase]] = {}
        previous: tuple[int, int | None] = (-9, None)  # where the expression before ended, and its clause
        for phrase in find_phrases(doc.text):
            if phrase.start - previous[0] <= 1 and phrase.marker in ("to", "-", "–", "—", "and", "until", "till"):
                anchor = previous[1]  # "from 2019 to 2022" is one, however it is parsed
            else:
                anchor = _anchor(doc, phrase)
            previous = (phrase.end, anchor)
            if anchor is not None:
                phrase = replace(phrase, direction=_direction(doc[anchor], phrase))
                self._at.setdefault(anchor, []).append(phrase)

    def of(self, anchor: "Token", validity: str = "") -> tuple[TimePhrase, ...]:
        """Return what is said of when a clause holds, with what it takes over from the clause it continues.

        With `validity` the clause tells that something began or ended then ("replaced Bob as CEO in May").
        """
        stated = self._stated(anchor)
        if validity == ENDED:
            over = TimePhrase(FORMERLY, "", anchor.idx, anchor.idx + len(anchor))
            return (*(replace(p, marker="before") for p in stated if p.marker in _WITHIN), over)
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
            # "In 2020 he sold the house and moved": said of both; "sold it in 2020 and moved": of the first.
            yield from (p for p in self._stated(head, depth + 1) if p.end <= head.idx)


def _anchor(doc: "Doc", phrase: TimePhrase) -> int | None:
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
    """Tell whether a time may hang on `token`, an object of `head`, and still be meant of the clause."""
    if token.dep_ not in ("dobj", "pobj", "attr", "conj") or token.pos_ not in ("NOUN", "PROPN"):
        return True
    if marker in _CLAUSAL or token.ent_type_ in ("DATE", "TIME"):
        return True
    verb = head.head if head.dep_ == "prep" else head
    return type_of_noun(token.lemma_.lower()) != "Event" and verb.lemma_.lower() not in _PROSPECTIVE


def _is_perfect(token: "Token") -> bool:
    """Tell whether the clause of `token` has "has" or "have" as its auxiliary: what it tells goes on."""
    for _ in range(6):
        if clauses.is_predicate(token):
            return any(c.dep_ == "aux" and c.lemma_ == "have" and c.tag_ in ("VBZ", "VBP") for c in token.children)
        token = token.head
    return False


def _direction(anchor: "Token", phrase: TimePhrase) -> int:
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
    """Yield that something is over: "used to live", "formerly worked", "is a former member", "the ex-CEO"."""
    if _used_to(anchor) or any(c.lower_ in _FORMER and c.dep_ == "advmod" for c in anchor.children):
        yield TimePhrase(FORMERLY, "", anchor.idx, anchor.idx + len(anchor))
        return
    role = next((c for c in anchor.children if c.dep_ == "attr"), anchor)
    modifiers = [c for c in role.lefts if c.lower_ in _FORMER_ADJECTIVES]
    if modifiers and role.pos_ in ("NOUN", "PROPN"):
        yield TimePhrase(FORMERLY, "", role.idx, role.idx + len(role))


def _used_to(verb: "Token") -> bool:
    """Tell whether an infinitive follows "used to", and not "used it to" or "is used to"."""
    if verb.tag_ != "VB":
        return False
    if verb.dep_ == "conj" and clauses.inherits_subject(verb):
        return _used_to(verb.head)
    to = next((c for c in verb.children if c.tag_ == "TO"), None)
    used = to.nbor(-1) if to is not None and to.i else None
    return used is not None and used.lower_ == "used" and not any(c.dep_ == "auxpass" for c in used.children)
