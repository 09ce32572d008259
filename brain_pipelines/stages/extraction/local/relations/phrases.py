"""Arguments of facts: maps a token of a parse to a name, noun phrase, resolved pronoun or literal."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.coreference import Referents
from brain_pipelines.stages.extraction.local.names.gazetteers import GENERIC_TAILS, KIN, ROLES, type_of_noun
from brain_pipelines.stages.extraction.local.names.mention import PHRASE, QUALIFIED
from brain_pipelines.stages.extraction.local.names.names import LITERALS, Name
from brain_pipelines.stages.extraction.local.names.people import CALLS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_LEXICON = LEXICONS.read("phrases")

_MODIFIERS = frozenset({"compound", "amod", "nmod", "nummod", "npadvmod"})
# Adjectives that are not part of a name, such as "new" or "current".
_DROPPED = _LEXICON.words("dropped")
QUANTIFIERS = _LEXICON.words("quantifiers")
_AMBIGUOUS = _LEXICON.words("ambiguous")
COUNTED = QUANTIFIERS - {"part"}  # "part of" is a relation of its own
MAX_PHRASE_WORDS = 6
_CAPITALS, _NUMBER = re.compile(r"[A-Z]{2,6}"), re.compile(r"(?!(?:19|20)\d\d$)[1-9]\d{0,4}")  # no year


@dataclass(frozen=True)
class Argument:
    """Subject or object of a fact: tokens `start` to `end` (half-open) and the entity or literal they denote.

    `type` is "Literal" for a date, number or quality. `is_pronoun` marks a resolved pronoun, whose tokens are not a
    mention of the name.
    """

    start: int
    end: int
    name: str
    type: str
    confidence: float
    is_pronoun: bool = False

    @property
    def is_literal(self) -> bool:
        return self.type == "Literal"


class Phrases:
    """The arguments of one parse, given its names and the candidate referents of its pronouns."""

    def __init__(self, doc: "Doc", names: list[Name], referents: Referents) -> None:
        self._doc = doc
        self._referents = referents
        self._names = {i: name for name in names for i in range(name.start, name.end)}

    def of(self, token: "Token") -> Argument | None:
        """Return the argument headed by `token`, None if it cannot be one (an unresolved pronoun, a clause)."""
        if token.lower_ in CALLS:
            return None
        if token.pos_ == "PRON" or token.tag_ in ("PRP", "PRP$", "WP", "WDT", "EX"):
            return self._pronoun(token)
        name = self._names.get(token.i)
        if name is not None:
            return self._named(name)
        apposed = self._apposed_name(token)
        if apposed is not None:
            return apposed
        if token.ent_type_ in LITERALS and token.pos_ not in ("VERB", "AUX"):
            return self._literal(token)
        if token.pos_ in ("NOUN", "PROPN", "X", "SYM") or (
            token.tag_ in ("VBG", "NN", "NNS") and token.dep_ != "pcomp"
        ):
            return self._phrase(token)
        return None

    def is_named(self, token: "Token") -> bool:
        return token.i in self._names

    def all_of(self, token: "Token") -> Iterator[tuple["Token", Argument]]:
        """Yield the argument of `token` and of the nouns coordinated with it."""
        for item in [token, *_conjuncts(token)]:
            yield from self.each_of(item)

    def each_of(self, token: "Token") -> Iterator[tuple["Token", Argument]]:
        """Yield the argument of `token` alone, if any; none for "your …", since the addressee is unknown."""
        what = _quantified(token)
        argument = None if is_yours(what) else self.of(what)
        if argument is not None:
            yield token, argument

    def quality(self, token: "Token") -> Argument:
        """Return an adjective as a literal, with all parts of a hyphenated one ("eye-opening")."""
        start = token.i
        while start > 1 and self._doc[start - 1].text == "-" and not self._doc[start - 2].whitespace_:
            start -= 2
        return Argument(start, token.i + 1, self._doc[start : token.i + 1].text, "Literal", PHRASE)

    def activity(self, verb: "Token") -> Argument:
        """Return the phrase headed by a gerund ("playing the guitar"), at most MAX_PHRASE_WORDS words."""
        end = min(verb.right_edge.i, verb.i + MAX_PHRASE_WORDS - 1) + 1
        cuts = [t.i for t in self._doc[verb.i + 1 : end] if t.is_punct or t.dep_ == "cc" or t.head.dep_ == "conj"]
        end = min([end, *cuts])
        return Argument(verb.i, end, self._doc[verb.i : end].text, "Concept", PHRASE)

    def first_person(self, token: "Token") -> Argument | None:
        """Return the speaker as the implicit subject of `token`, None if unknown."""
        referent = self._referents.speaker()
        if referent is None:
            return None
        return Argument(token.i, token.i + 1, referent.name, referent.type, referent.confidence, is_pronoun=True)

    def typed_phrases(self) -> Iterator[Argument]:
        """Yield noun phrases like "design review": a head noun with a known entity type and a compound modifier."""
        for token in self._doc:
            if token.pos_ not in ("NOUN", "PROPN") or token.i in self._names or token.dep_ == "compound":
                continue
            kind = type_of_noun(token.lemma_.lower())
            if kind is None or kind == "Person" or not any(c.dep_ == "compound" for c in token.lefts):
                continue
            phrase = self._phrase(token)
            if phrase is not None and phrase.end - phrase.start > 1:
                yield phrase

    def _named(self, name: Name) -> Argument:
        text = self._doc[name.start : name.end].text
        return Argument(name.start, name.end, text, name.type, name.confidence)

    def _pronoun(self, token: "Token") -> Argument | None:
        referent = self._referents.resolve(token)
        if referent is None:
            return None
        return Argument(token.i, token.i + 1, referent.name, referent.type, referent.confidence, is_pronoun=True)

    def _apposed_name(self, token: "Token") -> Argument | None:
        """Return the person of "my manager, Greta"."""
        for child in token.children:
            name = self._names.get(child.i)
            if child.dep_ == "appos" and name is not None and type_of_noun(token.lemma_.lower()) == name.type:
                return self._named(name)
        return None

    def moment(self, token: "Token") -> Argument:
        """Return a date or time as a literal, including a determiner such as "every"."""
        start = token.left_edge.i
        return Argument(start, token.i + 1, self._doc[start : token.i + 1].text, "Literal", PHRASE)

    def _literal(self, token: "Token") -> Argument:
        entity = next((e for e in self._doc.ents if e.start <= token.i < e.end), self._doc[token.i : token.i + 1])
        return Argument(entity.start, entity.end, entity.text, "Literal", PHRASE)

    def _phrase(self, head: "Token") -> Argument | None:
        """Return the noun phrase of `head` without leading words that are not part of a name."""
        start = head.i
        # Grow leftwards over modifiers and names, then trim the left edge below.
        while start > head.left_edge.i and head.i - start < MAX_PHRASE_WORDS - 1:
            token = self._doc[start - 1]
            inside = token.dep_ in _MODIFIERS or (token.is_punct and token.text == "-") or token.tag_ == "POS"
            if not inside and token.i not in self._names:
                break
            start -= 1
        owner = next((c for c in head.lefts if c.dep_ == "poss"), None)
        if owner is not None and head.lemma_.lower() in KIN | ROLES and _kind(head) == "Person":
            return self._owned(head.i, head, owner)
        while start < head.i and (
            self._doc[start].lower_ in _DROPPED
            or self._doc[start].like_num
            or (self._doc[start].tag_ == "VBG" and self._doc[start].is_sent_start)
            or not self._doc[start].text[0].isalnum()
            or self._doc[start].tag_ == "POS"
            or self._is_owner(start)
        ):
            start += 1
        end = head.i + 1
        if head.lemma_.lower() in GENERIC_TAILS and start < head.i:
            end = head.i
        elif self._is_numbered(head):
            end += 1
        text = self._doc[start:end].text
        if owner is not None and owner.lower_ in ("my", "our") and self.of(owner) is not None:
            # Qualified by the owner, because "my car" of two speakers is two cars.
            return self._owned(start, head, owner)
        if not any(c.isalpha() for c in text) or (start == head.i and len(text) < 2):
            return None
        kind = _kind(head)
        if kind == "Person" and head.tag_ == "NNS":
            kind = "Concept"  # "kids", "local leaders": not an individual
        return Argument(start, end, text, kind, self._grade(start, head))

    def _is_numbered(self, head: "Token") -> bool:
        """Return whether a number behind a word in capitals says which one is meant: "PEP 703", but not "KL 2026"."""
        after = self._doc[head.i + 1 : head.i + 2]
        if not after or after[0].head.i != head.i or after[0].dep_ != "nummod" or not head.whitespace_:
            return False
        return _CAPITALS.fullmatch(head.text) is not None and _NUMBER.fullmatch(after.text) is not None

    def _is_owner(self, i: int) -> bool:
        return self._doc[i].dep_ == "poss" or self._doc[i].head.dep_ == "poss"

    def _grade(self, start: int, head: "Token") -> float:
        return QUALIFIED if start < head.i and type_of_noun(head.lemma_.lower()) else PHRASE

    def _owned(self, start: int, head: "Token", owner: "Token") -> Argument | None:
        """Return the phrase named after its owner: "Alice's sister", also for "my sister" said by Alice."""
        whose = self.of(owner)
        if whose is None:
            return None
        text = self._doc[start : head.i + 1].text
        kind = _kind(head)
        return Argument(owner.left_edge.i, head.i + 1, f"{whose.name}'s {text}", kind, PHRASE)


def _kind(head: "Token") -> str:
    """Return the entity type of a head noun; "head" and "chair" are persons only with a complement ("head of …")."""
    lemma = head.lemma_.lower()
    if lemma in _AMBIGUOUS and not any(c.lower_ in ("of", "at", "for") for c in head.children):
        return "Concept"
    return type_of_noun(lemma) or "Concept"


def is_yours(noun: "Token") -> bool:
    """Return whether a noun has the possessive "your": the addressee is unknown."""
    return any(c.dep_ == "poss" and c.lower_ == "your" for c in noun.children)


def _conjuncts(token: "Token") -> Iterator["Token"]:
    for child in token.rights:
        # The second of "Alice, Bob, and Carol" often hangs as an adverb or apposition on the first.
        is_listed = child.pos_ == token.pos_ == "PROPN" and any(c.dep_ == "conj" for c in child.rights)
        if (child.dep_ == "conj" and child.pos_ not in ("VERB", "AUX")) or (
            child.dep_ in ("npadvmod", "appos") and is_listed
        ):
            yield child
            yield from _conjuncts(child)


def _quantified(token: "Token") -> "Token":
    """Return "engineers" for the "one" of "one of the engineers"."""
    if token.lemma_.lower() in QUANTIFIERS:
        for prep in token.children:
            if prep.lower_ == "of":
                return next((c for c in prep.children if c.dep_ == "pobj"), token)
    return token
