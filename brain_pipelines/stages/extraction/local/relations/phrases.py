"""From a token of a parse to the thing it stands for: a name, a noun phrase, a resolved pronoun or a literal."""

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
# Adjectives that describe the moment rather than name the thing.
_DROPPED = _LEXICON.words("dropped")
QUANTIFIERS = _LEXICON.words("quantifiers")
_AMBIGUOUS = _LEXICON.words("ambiguous")
COUNTED = QUANTIFIERS - {"part"}  # "part of" tells something of its own
MAX_PHRASE_WORDS = 6


@dataclass(frozen=True)
class Argument:
    """Subject or object of a fact: tokens `start` to `end` of the parse and what they stand for.

    `type` is "Literal" for a date, number or quality. `is_pronoun` marks one that a pronoun stands for: its tokens
    are then not a mention.
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
    """The arguments of one parse, given its names and what its pronouns may stand for."""

    def __init__(self, doc: "Doc", names: list[Name], referents: Referents) -> None:
        self._doc = doc
        self._referents = referents
        self._names = {i: name for name in names for i in range(name.start, name.end)}

    def of(self, token: "Token") -> Argument | None:
        """Return what `token` heads, None for what cannot be an argument (an unresolved pronoun, a clause)."""
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
        """Yield the argument of `token` alone, if it has one; what is the listener's is nobody's that is known."""
        what = _quantified(token)
        argument = None if is_yours(what) else self.of(what)
        if argument is not None:
            yield token, argument

    def quality(self, token: "Token") -> Argument:
        """Return an adjective as a literal, "eye-opening" whole."""
        start = token.i
        while start > 1 and self._doc[start - 1].text == "-" and not self._doc[start - 2].whitespace_:
            start -= 2
        return Argument(start, token.i + 1, self._doc[start : token.i + 1].text, "Literal", PHRASE)

    def activity(self, verb: "Token") -> Argument:
        """Return "playing the guitar" of the verb that heads it, at most MAX_PHRASE_WORDS long."""
        end = min(verb.right_edge.i, verb.i + MAX_PHRASE_WORDS - 1) + 1
        cuts = [t.i for t in self._doc[verb.i + 1 : end] if t.is_punct or t.dep_ == "cc" or t.head.dep_ == "conj"]
        end = min([end, *cuts])
        return Argument(verb.i, end, self._doc[verb.i : end].text, "Concept", PHRASE)

    def first_person(self, token: "Token") -> Argument | None:
        """Return who "I" is, as the unspoken subject of `token`."""
        referent = self._referents.speaker()
        if referent is None:
            return None
        return Argument(token.i, token.i + 1, referent.name, referent.type, referent.confidence, is_pronoun=True)

    def typed_phrases(self) -> Iterator[Argument]:
        """Yield noun phrases like "design review": a noun that tells its type, qualified by another noun."""
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
        """Return a date or time with its "every" as a literal."""
        start = token.left_edge.i
        return Argument(start, token.i + 1, self._doc[start : token.i + 1].text, "Literal", PHRASE)

    def _literal(self, token: "Token") -> Argument:
        entity = next((e for e in self._doc.ents if e.start <= token.i < e.end), self._doc[token.i : token.i + 1])
        return Argument(entity.start, entity.end, entity.text, "Literal", PHRASE)

    def _phrase(self, head: "Token") -> Argument | None:
        start = head.i
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
        text = self._doc[start:end].text
        if owner is not None and owner.lower_ in ("my", "our") and self.of(owner) is not None:
            # Two speakers' "my car" are two cars.
            return self._owned(start, head, owner)
        if not any(c.isalpha() for c in text) or (start == head.i and len(text) < 2):
            return None
        kind = _kind(head)
        if kind == "Person" and head.tag_ == "NNS":
            kind = "Concept"  # "kids", "local leaders": nobody in particular
        return Argument(start, end, text, kind, self._grade(start, head))

    def _is_owner(self, i: int) -> bool:
        return self._doc[i].dep_ == "poss" or self._doc[i].head.dep_ == "poss"

    def _grade(self, start: int, head: "Token") -> float:
        return QUALIFIED if start < head.i and type_of_noun(head.lemma_.lower()) else PHRASE

    def _owned(self, start: int, head: "Token", owner: "Token") -> Argument | None:
        """Return "Alice's sister" or, said by Alice, "my sister": tokens `start` to `head` with their owner."""
        whose = self.of(owner)
        if whose is None:
            return None
        text = self._doc[start : head.i + 1].text
        kind = _kind(head)
        return Argument(owner.left_edge.i, head.i + 1, f"{whose.name}'s {text}", kind, PHRASE)


def _kind(head: "Token") -> str:
    """Return the type that a head noun tells; "head" and "chair" are somebody only where it is told of what."""
    lemma = head.lemma_.lower()
    if lemma in _AMBIGUOUS and not any(c.lower_ in ("of", "at", "for") for c in head.children):
        return "Concept"
    return type_of_noun(lemma) or "Concept"


def is_yours(noun: "Token") -> bool:
    """Tell whether the listener owns it: nobody here knows who that is."""
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
