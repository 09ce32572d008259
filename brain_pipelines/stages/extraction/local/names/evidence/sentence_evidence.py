"""How much the sentence around a model's name supports it: organisations, places, and names in fragments.

The parser was trained on sentences of news. In a line without a finite verb ("Needs Review", "Project Tracking") large
letters say little, and it labels most acronyms as organisations ("WIP", "DHT"). A name keeps its type, but without
evidence its confidence is that of a guess, so that the names of a home can be typed by all their mentions together.
"""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import is_word
from brain_pipelines.stages.extraction.local.names.gazetteers import ROLES
from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, GUESSED, MODEL, QUALIFIED
from brain_pipelines.stages.extraction.local.names.name_forms import is_organisation
from brain_pipelines.stages.extraction.local.names.people import Name
from brain_pipelines.stages.extraction.local.names.span_form import is_fragment

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WORDS = LEXICONS.read("sentence_evidence")
_VERBS_OF = _WORDS.words("organisation_verbs")
_VERBS_WITH = _WORDS.words("belonging_verbs")
_NOUNS_WITH = (_WORDS.words("belonging_nouns") | ROLES) - _WORDS.words("not_belonging")
_TO = _WORDS.words("belonging_prepositions")
PLACE_PREPOSITIONS = _WORDS.words("place_prepositions")
_LIVING = _WORDS.words("place_verbs") | _WORDS.words("place_nouns")
_WORKING, _POSTS, _AT_WORK = _WORDS.words("working_verbs"), _WORDS.words("posts"), frozenset({"at", "for"})
_SOMEONE = frozenset({"he", "she", "they", "i", "we", "who"})
_ACRONYM = re.compile(r"[^\W\d_a-z]{2,8}s?\d{0,3}")
_CODE = re.compile(r"[<>\[\]{}=|\\_]|\w::?\w")
_NUMBERED = re.compile(r"[^\W\d_]{1,4}\d{1,4}")  # "L1", "S1", "XT60"
_HUMPED = re.compile(r"(?<![^\W\d_])(?!Mc|Mac|De|Di|Du|La|Le|Lo|Van|O['’])[A-Z]?[a-z]{1,12}[A-Z]")  # "UdpPacket"
_UNSURE = frozenset({"Organization", "Location", "Document", "Event"})


def with_support(doc: "Doc", names: list[Name], sure: set[int]) -> list[Name]:
    """Return the names with confidences by their sentences; those that begin with a token of `sure` stay."""
    return [name if name.start in sure or name.confidence > MODEL else _supported(doc, name) for name in names]


def _supported(doc: "Doc", name: Name) -> Name:
    if is_written_as_code(doc[name.start : name.end].text, name.type):
        return replace(name, type="Concept", confidence=min(name.confidence, GUESSED))
    if name.type == "Organization" and stands_for_place(doc, name.start, name.end):
        return replace(name, type="Location")
    if name.type == "Organization" and is_member_evidence(doc, name.start, name.end):
        return replace(name, confidence=EVIDENT)
    if name.type not in _UNSURE or (name.type == "Organization" and is_organisation(doc, name.start, name.end)):
        return name
    loose = is_fragment(doc, name.start, name.end)
    if loose and _is_title(doc, name.start, name.end):
        return replace(name, confidence=min(name.confidence, QUALIFIED))
    if name.type == "Organization" and (loose or is_acronym(doc, name.start, name.end)):
        return replace(name, confidence=min(name.confidence, GUESSED))
    if name.type == "Location" and loose and not (name.start and doc[name.start - 1].lower_ in PLACE_PREPOSITIONS):
        return replace(name, confidence=min(name.confidence, GUESSED))
    return name


def is_written_as_code(name: str, kind: str) -> bool:
    """Return whether a name is a type, a pin or a formula by its form: "AsRef<[u8", "manganese(IV", "L1".

    A place or a person has no large letter inside a word either, but for particles ("McAllen", "DeKalb").
    """
    if _CODE.search(name) or name.count("(") != name.count(")"):
        return True
    return kind in ("Location", "Person") and (_NUMBERED.fullmatch(name) or _HUMPED.search(name)) is not None


def _is_title(doc: "Doc", start: int, end: int) -> bool:
    """Return whether ordinary words are large as all words of their line are: "Data Management", "Share Files"."""
    words = [t for t in doc[start].sent if t.is_alpha and not t.is_stop]
    ordinary = all(is_word(t) or t.is_stop for t in doc[start:end])
    shouted = all(t.text.isupper() for t in doc[start:end])  # datelines: "EAST LANSING, Mich."
    return end - start > 1 and ordinary and not shouted and all(t.text[0].isupper() for t in words)


def stands_for_place(doc: "Doc", start: int, end: int) -> bool:
    """Return whether one lives, stays or arrives in what follows: "lives in Konstanz", "a flat in Aveiro"."""
    if not start or doc[start - 1].lower_ not in PLACE_PREPOSITIONS or end < len(doc) and doc[end].tag_ == "POS":
        return False
    near = (doc[start - 1].head, *doc[max(0, start - 4) : start - 1])
    return any(t.lemma_.lower() in _LIVING for t in near) or _is_origin(doc, start)


def _is_origin(doc: "Doc", start: int) -> bool:
    """Return whether someone is said to be from what follows: "he's from Recife"."""
    said = doc[max(0, start - 3) : start]
    return len(said) == 3 and said[0].lower_ in _SOMEONE and said[1].lemma_ == "be" and said[2].lower_ == "from"


def is_acronym(doc: "Doc", start: int, end: int) -> bool:
    """Return whether a span consists of acronyms: "DHT", "GC PR"."""
    return all(_ACRONYM.fullmatch(token.text) for token in doc[start:end])


def is_member_evidence(doc: "Doc", start: int, end: int) -> bool:
    """Return whether the words around a span show something that people work for, found or belong to."""
    root = doc[start:end].root
    head = root.head
    if start and doc[start - 1].is_sent_start and doc[start - 1].lemma_.lower() == "join":
        return True  # "Joined Sandmore. Zoe goes there too"
    if root.dep_ in ("nsubj", "nsubjpass") and head.lemma_.lower() in _VERBS_OF:
        return True
    if root.dep_ == "dobj" and head.lemma_.lower() in _VERBS_WITH:
        return True
    return _has_member(doc, end) or _has_preposition(doc, start)


def is_workplace(doc: "Doc", start: int) -> bool:
    """Return whether one works at or for what follows, or has a contract there: "works for Sandmore"."""
    before = doc[start - 1] if start else None
    if before is None or before.lower_ not in _AT_WORK:
        return False
    near = (before.head, *doc[max(0, start - 4) : start - 1])
    at_work = any(t.pos_ in ("VERB", "AUX") and t.lemma_.lower() in _WORKING for t in near)
    return at_work or (before.lower_ == "at" and any(t.lemma_.lower() in _POSTS for t in near))


def _has_member(doc: "Doc", end: int) -> bool:
    """Return whether a person or an office follows: "Acme's board", "an FBI agent"."""
    if end >= len(doc):
        return False
    at = end + 1 if doc[end].tag_ == "POS" else end
    return any(token.pos_ == "NOUN" and token.lemma_.lower() in _NOUNS_WITH for token in doc[at : at + 2])


def _has_preposition(doc: "Doc", start: int) -> bool:
    """Return whether one works, studies or has a role at, for or of it: "an internship at Acme", "works for the UN"."""
    at = start - 1
    if at >= 0 and doc[at].pos_ == "DET":
        at -= 1
    if at < 0 or doc[at].lower_ not in _TO:
        return False
    near = (doc[at].head, *doc[max(0, at - 3) : at])
    return any(t.lemma_.lower() in (_VERBS_WITH if t.pos_ == "VERB" else _NOUNS_WITH) for t in near)
