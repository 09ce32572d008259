"""Evidence in a sentence that a one-word name of the form of a person's is that of a program or service.

A version behind it, a technical noun that it stands before, a verb that one only does to programs, or a place inside
it: "Marvin 10.2", "the Clara API", "restarted Jasper", "the queue in Hermes". No list of products is read.
"""

import re
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = LEXICONS.read("type_evidence")
_VERBS, _NOUNS = _WORDS.words("tool_verbs"), _WORDS.words("tool_nouns")
_INSIDE, CONFIDING = _WORDS.words("inside"), _WORDS.words("confiding")
_MADE, _BY_MEANS = _WORDS.words("made_verbs"), _WORDS.words("by_means")
_VERSION = re.compile(r"v?\d{1,4}(?:\.\d{1,4}){1,3}(?:[a-z]\d{0,2})?|v\d{1,3}", re.IGNORECASE)
_PASSIVE = ("auxpass", "nsubjpass")


def is_version(text: str) -> bool:
    """Return whether a token is the version of a program: "10.2", "v3"."""
    return _VERSION.fullmatch(text) is not None


def is_tool(doc: "Doc", start: int, end: int) -> bool:
    """Return whether the words around tokens `start` to `end` show a program; a name of several words is none."""
    if end - start != 1 or end < len(doc) and doc[end].tag_ == "POS":
        return False
    name = doc[start]
    if end < len(doc) and (is_version(doc[end].text) or _is_upgraded(doc, end)):
        return True
    if _stands_before_noun(doc, name) or _is_inside(doc, start):
        return True
    verb = name.head
    return (name.dep_ == "dobj" and verb.lemma_.lower() in _VERBS) or _is_means(doc, start)


def _is_upgraded(doc: "Doc", end: int) -> bool:
    """Return whether a version follows behind a preposition: "Hugo from 0.92 to 0.110"."""
    return end + 1 < len(doc) and doc[end].pos_ == "ADP" and is_version(doc[end + 1].text)


def _stands_before_noun(doc: "Doc", name: "Token") -> bool:
    """Return whether the name tells which interface, cluster or build is meant: "the Clara API"."""
    following = doc[name.i + 1] if name.i + 1 < len(doc) else None
    return following is not None and following.lemma_.lower() in _NOUNS and following.pos_ in ("NOUN", "PROPN")


def _is_inside(doc: "Doc", start: int) -> bool:
    """Return whether something is in the name: "stored in Otto", but "confides in Mara"."""
    if not start or doc[start - 1].lower_ not in _INSIDE:
        return False
    before = (doc[start - 1].head, *doc[max(0, start - 3) : start])
    return not any(token.lemma_.lower() in CONFIDING for token in before)


def _is_means(doc: "Doc", start: int) -> bool:
    """Return whether something is made by means of the name: "is built with Hugo", but "built a shed with Hugo"."""
    if not start or doc[start - 1].lower_ not in _BY_MEANS:
        return False
    verb = doc[start - 1].head
    passive = verb.tag_ == "VBN" and any(child.dep_ in _PASSIVE for child in verb.children)
    return passive and verb.lemma_.lower() in _MADE
