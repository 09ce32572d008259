"""Evidence in a sentence for what a name is the name of, found in the words around it and not in a list of names.

Each rule looks at a span of a parse. A small parser often misreads an unknown name, so the rules read both its
dependencies and the plain order of words.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import KIN, ROLES, type_of_noun
from brain_pipelines.stages.extraction.local.nlp import load_model

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = LEXICONS.read("type_evidence")

STRONG, WEAK = 2, 1  # a person for certain; something that groups do too

_HUMAN = _WORDS.words("human_verbs")
_HUMAN_ADJECTIVES = _WORDS.words("human_adjectives")
_SPEAKING = _WORDS.words("speaking_verbs")
_MET = _WORDS.words("met_verbs")
_GREETED = _WORDS.words("greeted") | _WORDS.words("thanked")
_THANKED = _WORDS.words("thanked")
_BELONGINGS = _WORDS.words("belongings") | KIN
TITLES = _WORDS.words("titles")
_CALLINGS = _WORDS.words("callings") | KIN | ROLES
_GROUPS_TOO = _WORDS.words("groups_too")
_THING_VERBS = _WORDS.words("thing_verbs")
_PLATFORMS, _RELYING = _WORDS.words("platform_prepositions"), _WORDS.words("relying_verbs")
_THING_NOUNS = {noun: kind for kind, nouns in _WORDS.table("thing_nouns").items() for noun in nouns.split()}
_SIDES = {
    "with": (_WORDS.words("with_verbs"), _WORDS.words("with_nouns")),
    "to": (_WORDS.words("to_verbs"), _WORDS.words("thanked")),
    "from": (_WORDS.words("from_verbs"), _WORDS.words("from_nouns")),
    "for": (frozenset[str](), _WORDS.words("for_nouns")),
}
_NAMING = _WORDS.words("naming")
_ARTICLES = _WORDS.words("articles")
_HAVING = _WORDS.words("having")
_BROUGHT = _WORDS.words("brought")
_MANY = _WORDS.words("many")
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "dative", "iobj", "pobj", "obj"})
_PERSONAL = frozenset({"he", "she", "him", "his", "hers", "himself", "herself", "who", "whose", "whom"})


def person_evidence(doc: "Doc", start: int, end: int) -> int:
    """Return STRONG, WEAK or 0: how surely the words around tokens `start` to `end` show a person."""
    root = doc[start:end].root
    if end < len(doc) and doc[end].lower_ in _MANY and not root.conjuncts:
        return 0  # "Chelsea were", "Acme have"
    if _is_titled(doc, start) or _is_apposed(doc, start, end) or _is_addressed(doc, start, end):
        return STRONG
    if _is_called(root) or _owns(doc, end) or _is_target(doc, start, root) or _has_pronoun(doc, start, end):
        return STRONG
    return max(_as_subject(doc, root, end), WEAK if _is_as_people_are(root) else 0)


def is_calling_alone(token: "Token") -> bool:
    """Return whether a word for what someone is begins a sentence: "Plumber came", but "Mum came" and "Mr Baker"."""
    return bool(token.is_sent_start) and token.lower_ in _CALLINGS - KIN


def thing_type(doc: "Doc", start: int, end: int) -> str | None:
    """Return the type of a name that the words around it show to be no person, None if they do not."""
    root = doc[start:end].root
    if said := _predicate(root):
        return said
    before = doc[start - 1] if start else None
    if before is None:
        return None
    if end < len(doc) and doc[end].tag_ == "POS":
        return None
    headed = end - start == 1 and root.dep_ != "compound" and not root.text.endswith("s")
    if headed and before.lower_ in _ARTICLES and before.tag_ == "DT":
        return "Concept"  # "the WiFi", but "the Harrington report" and "the Smiths"
    if before.lemma_.lower() in _HAVING and root.dep_ == "dobj" and not _is_brought(doc, end):
        return "Concept"  # "I had Covid"
    if end - start == 1 and before.lower_ in _PLATFORMS and before.head.lemma_.lower() not in _RELYING:
        return "Tool"  # "posted on Mastodon", but "relies on Mira"
    if before.lemma_.lower() in _THING_VERBS or (root.dep_ == "dobj" and root.head.lemma_.lower() in _THING_VERBS):
        return "Concept"
    return None


def thing_of_noun(word: str) -> str | None:
    """Return the type of thing that a noun names: "browser" is a Tool."""
    return _THING_NOUNS.get(word)


def is_word(token: "Token") -> bool:
    """Return whether a token is also in a dictionary of English, which has some names too: "Leaves", "Brown"."""
    return _singular(token.lower_) in _words("noun") or is_descriptive(token) or token.lower_ in _words("verb")


def is_descriptive(token: "Token") -> bool:
    """Return whether a token is an adjective or participle of English: "Golden", "Fallen"."""
    return token.lower_ in _words("adj") or token.lower_ in _forms("verb")


def is_participle(token: "Token") -> bool:
    """Return whether a token is a regular participle of English: "Intertwined", "Shared"."""
    low = token.lower_
    return low.endswith("ed") and (low[:-1] in _words("verb") or low[:-2] in _words("verb"))


def is_past(token: "Token") -> bool:
    """Return whether a token is an irregular form of an English verb: "Met", "Saw"."""
    return token.lower_ in _forms("verb")


def is_plural(token: "Token") -> bool:
    """Return whether a token is the plural of an English noun: "Leaves", "Moons"."""
    return token.lower_ in _forms("noun") or _singular(token.lower_) != token.lower_


def _singular(word: str) -> str:
    nouns = _words("noun")
    cuts = [word[:-cut] for cut in (1, 2) if word.endswith("s") and len(word) > cut + 2]
    cuts += [word[:-3] + "y"] if word.endswith("ies") else []
    return word if word in nouns else next((cut for cut in cuts if cut in nouns), word)


@cache
def _words(part: str) -> frozenset[str]:
    """Return the lemmas of a part of speech in the parser's own dictionary, an empty set for a parser without one."""
    return frozenset(_table("lemma_index").get(part, ()))


@cache
def _forms(part: str) -> frozenset[str]:
    """Return the irregular forms of a part of speech: "fallen", "leaves"."""
    return frozenset(_table("lemma_exc").get(part, {}))


def _table(name: str) -> "Mapping[str, Iterable[str]]":
    model = load_model()
    lookups: Any = getattr(model.get_pipe("lemmatizer"), "lookups", None) if model.has_pipe("lemmatizer") else None
    return lookups.get_table(name) if lookups is not None and lookups.has_table(name) else {}


def _is_brought(doc: "Doc", end: int) -> bool:
    """Return whether a person may be the object of "have": "had Maria over", "have Bob on the line"."""
    return end < len(doc) and doc[end].lower_ in _BROUGHT


def _is_titled(doc: "Doc", start: int) -> bool:
    titled = start > 0 and doc[start - 1].lower_.rstrip(".") in TITLES
    return titled and type_of_noun(doc[start].lower_) in (None, "Person")  # not "Mayor Street"


def _is_apposed(doc: "Doc", start: int, end: int) -> bool:
    """Return whether a calling stands before or behind: "my dentist Okonkwo", "the plumber, Raghavan,"."""
    if not start:
        return False
    at = start - 1
    if doc[at].text == "," and at and end < len(doc) and doc[end].text in (",", ".", ":"):
        at -= 1
    word = doc[at]
    if (
        word.lower_ not in _CALLINGS
        or word.lower_ in _GROUPS_TOO
        or (word.text[0].isupper() and not word.is_sent_start)
    ):
        return False
    return (
        any(t.lower_ in _OWNED or t.tag_ in ("PRP$", "POS", "DT") for t in doc[max(0, at - 3) : at]) or at == start - 1
    )


_OWNED = frozenset({"my", "our", "his", "her", "their", "your", "the"})


def _is_called(root: "Token") -> bool:
    """Return whether the name and a calling are said to be one: "Wei is our plumber", "Accountant is Wei"."""
    if root.dep_ not in (*_SUBJECTS, "attr") or root.head.lemma_ != "be":
        return False
    others = [c for c in root.head.children if c.dep_ in (*_SUBJECTS, "attr") and c.i != root.i]
    return any(other.lower_ in _CALLINGS for other in others)


def _is_addressed(doc: "Doc", start: int, end: int) -> bool:
    """Return whether the name is greeted or thanked: "Hi Wei,", "Thanks, Olumide, for"."""
    before = [t.lower_ for t in doc[max(0, start - 2) : start] if t.text != ","]
    if not before or before[-1] not in _GREETED:
        return False
    return before[-1] in _THANKED or end >= len(doc) or doc[end].text in (",", "!", ".", "-", "–")


def _owns(doc: "Doc", end: int) -> bool:
    """Return whether a relative or a belonging follows: "Ishita's sister"."""
    if end + 1 >= len(doc) or doc[end].tag_ != "POS":
        return False
    return any(t.lemma_.lower() in _BELONGINGS for t in doc[end + 1 : end + 3] if t.pos_ == "NOUN")


def _is_target(doc: "Doc", start: int, root: "Token") -> bool:
    """Return whether one meets, tells or thanks the name, or speaks with it."""
    before = doc[start - 1] if start else None
    if before is None:
        return False
    if before.lower_ in _NAMING and before.dep_ in ("acl", "amod", "oprd"):
        return before.head.lemma_.lower() in _CALLINGS
    if before.lemma_.lower() in _MET and not before.is_punct and before.lower_ not in _GREETED:
        return True
    if root.dep_ in _OBJECTS and root.head.lemma_.lower() in _MET and root.head.pos_ == "VERB":
        return True
    verbs, nouns = _SIDES.get(before.lower_, (frozenset[str](), frozenset[str]()))
    return any(t.lemma_.lower() in verbs | nouns for t in _near(doc, start - 1))


def _near(doc: "Doc", preposition: int) -> "list[Token]":
    """Return what a preposition may belong to: its head, and the words before it in the clause."""
    found = [doc[preposition].head]
    for token in reversed(doc[max(0, preposition - 6) : preposition]):
        if token.is_sent_start or token.is_punct:
            return [*found, token]
        found.append(token)
    return found


def _has_pronoun(doc: "Doc", start: int, end: int) -> bool:
    """Return whether "he", "she" or "who" follows in the sentence before any other name could be meant."""
    if (
        doc[start - 1].pos_ == "ADP" and doc[start - 1].lower_ in ("in", "at", "on", "near", "for", "of")
        if start
        else False
    ):
        return False
    for token in doc[end:]:
        if token.is_sent_start and token.i > end and token.text[:1].isupper() and token.lower_ not in _PERSONAL:
            return False
        if token.lower_ == "which":
            return False  # "Nether Wallop, which he liked"
        if token.lower_ in ("who", "whose"):
            return token.i <= end + 1
        if token.lower_ in _PERSONAL:
            return True
        if token.pos_ == "PROPN" and token.i >= end:
            return False
    return False


def _as_subject(doc: "Doc", root: "Token", end: int) -> int:
    """Return what the verb says whose subject the name is."""
    verbs: list[Token] = []
    if root.dep_ in _SUBJECTS and root.head.pos_ in ("VERB", "AUX"):
        verbs.append(root.head)
        verbs += [c for c in root.head.children if c.dep_ in ("xcomp", "conj") and c.pos_ == "VERB"]
    at = end
    while at < len(doc) and at < end + 3 and (doc[at].pos_ in ("AUX", "ADV", "PART") or doc[at].text in ("'s", "’s")):
        at += 1
    if at < len(doc) and doc[at].pos_ == "VERB" and doc[at].tag_ in ("VBD", "VBZ", "VB", "VBG", "VBN"):
        verbs.append(doc[at])
    lemmas = {verb.lemma_.lower() for verb in verbs}
    return STRONG if lemmas & _HUMAN else WEAK if lemmas & _SPEAKING else 0


def _is_as_people_are(root: "Token") -> bool:
    """Return whether the name is said to be what only people are: "Ines is vegetarian"."""
    if root.dep_ not in _SUBJECTS or root.head.lemma_ != "be":
        return False
    return any(c.dep_ == "acomp" and c.lower_ in _HUMAN_ADJECTIVES for c in root.head.children)


def _predicate(root: "Token") -> str | None:
    """Return the type of the noun that a name is said to be: "X is a lovely track"."""
    if root.dep_ not in _SUBJECTS or root.head.lemma_ != "be":
        return None
    nouns = [c for c in root.head.children if c.dep_ in ("attr", "oprd")]
    return next((_THING_NOUNS[n.lemma_.lower()] for n in nouns if n.lemma_.lower() in _THING_NOUNS), None)
