"""Polarity and modality of a clause: negation, modals, conditions, questions, reported speech.

Hedged facts are kept and marked; whoever uses the facts decides what to do with them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.negation import negation_words

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS = SHARED.read("modality")

_POSSIBLE_AUX = _WORDS.words("possible_aux")
_HEDGES = _WORDS.words("hedges") | _WORDS.words("hedging_adverbs")
_REPORTED_ADVERBS = frozenset({"reportedly", "allegedly"})
_REPORTS = _WORDS.words("reports")
_DOUBTS = _WORDS.words("doubts")
_WONDERS = _WORDS.words("wonders")
# Implicative verbs that negate their complement: "failed to", "stopped".
_DENIALS = _WORDS.words("denials")
_BARS = _WORDS.words("bars")
_CONDITIONS = _WORDS.words("conditions")


# Without "not": the parser labels it `neg` where it negates, and "not only" does not.
_NEGATING_ADVERBS = (negation_words("adverbs") | negation_words("nearly")) - {"not"}


def polarity_of(verb: "Token", obj: "Token | None" = None) -> str:
    """Return "negated" or "affirmed": an odd number of negations in scope of `verb` (or its object `obj`) negates."""
    count = sum(_is_negated(v) for v in _negatable(verb))
    if obj is not None and obj.i != verb.i:
        # "has no access to Kafka": the negation is on the noun between the verb and the object.
        between = obj.head.head if obj.dep_ == "pobj" and obj.head.head.i != verb.i else obj
        count += _is_denied(obj) or _is_denied(between) or _after_but_not(obj)
    count += sum(m.lemma_.lower() in _DENIALS for m in _matrices(verb)) + _is_prevented(verb)
    return "negated" if count % 2 else "affirmed"


def modality_of(verb: "Token") -> str:
    """Return "question", "reported", "conditional", "possible" or "asserted": the first that applies, in this order."""
    sentence = verb.sent
    if _is_question(verb, sentence[-1]):
        return "question"
    matrices = list(_matrices(verb))
    lemmas = {m.lemma_.lower() for m in matrices if m.i != verb.i}
    if lemmas & _WONDERS and any(c.lower_ in _CONDITIONS for c in verb.children):
        return "question"
    if lemmas & _REPORTS or _has_adverb(verb, _REPORTED_ADVERBS) or _according_to(verb):
        return "reported"
    if _is_conditional(verb, matrices):
        return "conditional"
    if lemmas & (_DOUBTS - _DENIALS) or "doubt" in lemmas or _has_adverb(verb, _HEDGES):
        return "possible"
    if any(c.dep_ == "aux" and c.lower_ in _POSSIBLE_AUX for c in _auxiliaries(verb)) or _is_purpose(verb):
        return "possible"
    return "asserted"


def _is_purpose(verb: "Token") -> bool:
    """Return whether the clause is a purpose clause: "joined forces to create a garden"."""
    while verb.dep_ == "conj" and not _has_subject(verb) and verb.head.pos_ in ("VERB", "AUX"):
        verb = verb.head
    return verb.dep_ == "advcl" and any(c.tag_ == "TO" for c in verb.children)


def is_future(verb: "Token") -> bool:
    """Return whether the verb has "will" or "shall": asserted, but about the future."""
    return any(c.dep_ == "aux" and c.lower_ in ("will", "'ll", "’ll", "shall", "wo") for c in _auxiliaries(verb))


def _is_prevented(verb: "Token") -> bool:
    """Return whether the clause is prevented from happening: "kept him from falling"."""
    prep = verb.head
    return verb.dep_ == "pcomp" and prep.lower_ == "from" and prep.head.lemma_.lower() in _BARS


def _auxiliaries(verb: "Token") -> Iterator["Token"]:
    """Yield the children of the verb and of the verbs it shares auxiliaries with (coordinated or governing ones)."""
    yield from verb.children
    while verb.dep_ in ("conj", "xcomp") and verb.head.pos_ in ("VERB", "AUX"):
        # A subject or modal of its own starts a new clause: auxiliaries before it are not shared.
        own_subject = _has_subject(verb)
        if own_subject or any(c.dep_ == "aux" and c.tag_ == "MD" for c in verb.children):
            return
        verb = verb.head
        yield from verb.children


def _negatable(verb: "Token") -> Iterator["Token"]:
    """Yield the verb and the governing verbs whose negation also negates this clause (negation raising)."""
    yield verb
    while verb.dep_ in ("xcomp", "ccomp") and verb.head.pos_ in ("VERB", "AUX"):
        # "does not want to own", "don't think she owns", "is not true that"; but "did not say that" negates nothing.
        if verb.dep_ == "ccomp" and verb.head.lemma_.lower() not in _DOUBTS | {"be"}:
            return
        verb = verb.head
        yield verb


def _is_negated(verb: "Token") -> bool:
    return any(_negates(child) for child in verb.children)


def _negates(child: "Token") -> bool:
    """Return whether a child of a verb negates its clause."""
    word = child.lower_
    if child.dep_ == "neg" or (word in _NEGATING_ADVERBS and child.dep_ in ("advmod", "preconj", "cc")):
        return True
    if child.dep_ == "advmod" and word in ("longer", "more"):
        return any(c.lower_ == "no" for c in child.children)
    if child.dep_ in ("nsubj", "nsubjpass"):
        return word in negation_words("pronouns") or _is_denied(child)
    return False


def _is_denied(noun: "Token") -> bool:
    denials = negation_words("determiners")
    return any(c.lower_ in denials and c.dep_ in ("det", "neg", "preconj", "cc") for c in noun.children)


def _after_but_not(obj: "Token") -> bool:
    """Return whether the object follows "not" in a coordination, as the second in "Kafka but not RabbitMQ"."""
    before = obj.doc[max(0, obj.left_edge.i - 2) : obj.i]
    return obj.dep_ == "conj" and any(t.lower_ == "not" for t in before)


def _matrices(verb: "Token") -> Iterator["Token"]:
    """Yield the verbs that govern the clause as a complement, innermost first, without the clause's own verb."""
    for _ in range(8):
        if verb.dep_ in ("ccomp", "xcomp", "pcomp", "acl", "oprd"):
            if verb.dep_ == "acl" and verb.tag_ != "VB":
                return
            verb = verb.head
            yield verb
        elif verb.dep_ == "conj" and (verb.head.dep_ in ("ccomp", "xcomp") or not _has_subject(verb)):
            verb = verb.head
        else:
            return


def _has_subject(verb: "Token") -> bool:
    return any(c.dep_ in ("nsubj", "nsubjpass") for c in verb.children)


def _is_question(verb: "Token", last: "Token") -> bool:
    tail = "".join(t.text for t in last.doc[max(last.sent.start, last.i - 2) : last.i + 1])
    return "?" in tail and verb.dep_ != "relcl"


def _has_adverb(verb: "Token", words: frozenset[str]) -> bool:
    return any(c.lower_ in words for c in verb.children)


def _according_to(verb: "Token") -> bool:
    return any(c.lower_ == "according" for c in verb.children)


def _is_conditional(verb: "Token", matrices: list["Token"]) -> bool:
    for token in [verb, *matrices]:
        for child in token.children:
            word = child.lower_
            if word in _CONDITIONS and child.dep_ in ("mark", "prep", "advmod"):
                return True
            # "'d" before a past participle is "had" ("I'd never felt"), not "would".
            is_had = token.tag_ == "VBN" and word != "would"
            if child.dep_ == "aux" and word in ("would", "'d", "’d") and child.lemma_ != "have" and not is_had:
                return True
            if child.dep_ == "advcl" and any(c.lower_ in ("if", "unless") and c.dep_ == "mark" for c in child.children):
                return True
    return False
