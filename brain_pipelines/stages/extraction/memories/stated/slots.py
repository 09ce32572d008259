"""Slots: what a sentence states for sure about one attribute of one subject.

| text | slot |
|---|---|
| Ich wohne jetzt in Kassel (Katrin) | Katrin, lives_in, Kassel |
| Ingrid leads the billing team | billing team, leads, Ingrid |
| Dario's manager is Luis Prat | Dario's manager, is, Luis Prat |
| Maria is the new captain of the club | captain of the club, is, Maria |
| The allotment is 180 square metres | nothing: values say as much |
"""

import re
from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import capital_names, speaks_first
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Slot
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered, word_expression

_VERBS = ("lives_in", "works_at", "plays_for", "studies", "drives", "partner_of", "called", "stays_in")
_VERBS += ("reports_to", "owned_by", "served_by")
_PLACED = frozenset({":stay", ":place"})
# A full stop after two or three letters is that of "Dr." or "Mrs.".
_VALUE = r"(?P<value>(?:[^.,;:!?()]|(?<=\s\w\w)\.|(?<=\s\w\w\w)\.){2,60})"
_BREAK = re.compile(r"[,;:.!?()]|(?<!\w)-(?!\w)")
_DATED = re.compile(r"(?:\s\w{1,4})?\s\d{1,2}[./]\d{1,2}[./]\d{2,4}")  # behind a value: "Lisbon on 10/04/2024"
_MOST_WORDS = 7  # of a subject
_MOST_LABEL = 3  # words before a colon


@dataclass(frozen=True)
class _Patterns:
    verbs: dict[str, re.Pattern[str]]
    leads: re.Pattern[str]
    copula: re.Pattern[str]
    role: re.Pattern[str]
    articles: re.Pattern[str]
    ends: re.Pattern[str]
    entering: re.Pattern[str]


def read_slot(sentence: Sentence) -> Slot | None:
    """Return the slot of a sentence, None where it is not sure."""
    language = sentence.language or ENGLISH
    if not LEXICONS.has("attributes", language):
        return None
    forms, text = _patterns(language), lowered(sentence.text)
    found = _verb(sentence, forms, text) or _office(sentence, forms, text)
    return found or _is(sentence, forms, text) or _labelled(sentence, forms)


def _verb(sentence: Sentence, forms: _Patterns, text: str) -> Slot | None:
    for attribute, pattern in forms.verbs.items():
        match = pattern.search(text)
        if match is None:
            continue
        value = _value(sentence, forms, match)
        subject = _subject(sentence, forms, match.start())
        if attribute == "stays_in" and not (
            _named(value, sentence) or _PLACED & set(concepts_of(value, sentence.language))
        ):
            continue
        if attribute == "works_at" and not _is_work(sentence, match, value, forms):
            continue
        if subject and content_words(value, sentence.language):
            return Slot(subject, attribute, value)
    return None


def _is_work(sentence: Sentence, match: re.Match[str], value: str, forms: _Patterns) -> bool:
    """Return whether a value may be an employer: "joined Acme", but neither "joined Ann" nor "joined online"."""
    start = match.start("value")
    if any(name.type == "Person" and name.start == start for name in sentence.names):
        return False
    return not forms.entering.match(match.group()) or _named(value, sentence)


def _office(sentence: Sentence, forms: _Patterns, text: str) -> Slot | None:
    """Return who leads what: the office is the subject, since it has one holder at a time."""
    if (match := forms.leads.search(text)) is None:
        return None
    office, holder = _value(sentence, forms, match), _subject(sentence, forms, match.start())
    if not holder or not content_words(office, sentence.language):
        return None
    return Slot(_without_article(office, forms), "leads", holder)


def _is(sentence: Sentence, forms: _Patterns, text: str) -> Slot | None:
    """Return "Dario's manager is Luis Prat" and, turned round, "Luis Prat is Dario's manager"."""
    for match in forms.copula.finditer(text):
        value, subject = _value(sentence, forms, match), _subject(sentence, forms, match.start())
        if not subject or not value:
            continue
        if forms.role.search(lowered(subject)) and _named(value, sentence):
            return Slot(_without_article(subject, forms), "is", value)
        if forms.role.search(lowered(value)) and _named(subject, sentence):
            return Slot(_without_article(value, forms), "is", subject)
    return None


def _labelled(sentence: Sentence, forms: _Patterns) -> Slot | None:
    """Return the slot of a line of a note: "Landlord: Mr Voss"."""
    label, colon, rest = sentence.text.partition(": ")
    value = rest.partition(",")[0].strip().rstrip(".")
    if not colon or len(label.split()) > _MOST_LABEL or len(value.split()) > _MOST_LABEL + 1:
        return None
    if not forms.role.search(lowered(label)) or not _named(value, sentence):
        return None
    return Slot(_without_article(label.strip(), forms), "is", value)


def _value(sentence: Sentence, forms: _Patterns, match: re.Match[str]) -> str:
    start, end = match.span("value")
    stop = forms.ends.search(match.group("value")) or _DATED.search(match.group("value"))
    return sentence.text[start : start + stop.start() if stop else end].strip(" \"'“”»«-")


def _subject(sentence: Sentence, forms: _Patterns, end: int) -> str:
    """Return the words before a verb back to the last mark, the speaker for "I" or where a verb says so."""
    before = sentence.text[:end]
    marks = [mark.end() for mark in _BREAK.finditer(before)]
    words = before[marks[-1] if marks else 0 :].split()
    stops = [place for place, word in enumerate(words) if forms.ends.fullmatch(lowered(word))]
    own = " ".join(words[stops[-1] + 1 if stops else 0 :])
    if len(own.split()) < 2 and sentence.speaker and speaks_first(own or sentence.text, sentence.language):
        return sentence.speaker
    return own if len(own.split()) <= _MOST_WORDS else ""


def _named(text: str, sentence: Sentence) -> bool:
    return bool(capital_names(text, sentence.language))


def _without_article(text: str, forms: _Patterns) -> str:
    return text[match.end() :].strip() if (match := forms.articles.match(lowered(text))) else text


@cache
def _patterns(language: str) -> _Patterns:
    own, clauses = LEXICONS.read("attributes", language), LEXICONS.read("clause_splits", language)

    def verb(*keys: str) -> re.Pattern[str]:
        words = word_expression([word for key in keys for word in own.listed(key)], lowered)
        return re.compile(rf"(?<!\w)(?:{words})\s{_VALUE}")

    ends = word_expression([*clauses.listed("joins"), *clauses.listed("times")], lowered)
    return _Patterns(
        {key: verb(key) for key in _VERBS},
        verb("leads"),
        verb("copula"),
        re.compile(rf"(?<!\w)(?:{word_expression(own.listed('roles'), lowered)})(?!\w)"),
        re.compile(rf"(?:(?:{word_expression(own.listed('articles'), lowered)})\s){{1,3}}"),
        re.compile(rf"(?<!\w)(?:{ends})(?!\w)"),
        re.compile(rf"(?:{word_expression(own.listed('entering'), lowered)})(?!\w)"),
    )
