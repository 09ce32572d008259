"""Words that look like a date and name none: of what recurs, of some day, of a person."""

from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import lowered, plain

_NO_PERSON = frozenset({"IN", "DT", "CD", "JJ"})  # tags of a word before a date: "in May", "last May", "3 May"
_FRONT = 30  # characters before a weekday in which its article stands


def names_no_date(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date expression of a sentence means no day that a calendar could tell."""
    return _is_attribute(sentence, phrase) or _is_person(sentence, phrase) or _is_any(sentence, phrase)


def _is_attribute(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a weekday says which one is meant of what recurs: "the Thursday training was moved"."""
    place = next((n for n, word in enumerate(sentence.words) if word.start == phrase.start), None)
    if place is None or place == 0 or sentence.words[place].end != phrase.end:
        return False
    if plain(phrase.text) not in _weekdays() or sentence.words[place - 1].tag not in ("DT", "PRP$", "POS"):
        return False
    after = sentence.words[place + 1] if place + 1 < len(sentence.words) else None
    return after is not None and after.pos in ("NOUN", "PROPN") and after.text.casefold() not in _parts_of_day()


def _is_any(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether some weekday or season is meant: "on a cold Tuesday morning", "fall colours"."""
    low = plain(phrase.text)
    if low.rsplit(maxsplit=1)[-1] in _seasons():  # also "the spring"
        place = next((n for n, word in enumerate(sentence.words) if word.end == phrase.end), len(sentence.words))
        after = sentence.words[place + 1] if place + 1 < len(sentence.words) else None
        if after is None or after.pos not in ("NOUN", "PROPN"):
            return False
        of_name = sentence.words[place].text[:1].isupper() and after.text[:1].isupper()  # "the Spring Sprint Triathlon"
        return of_name or (after.pos == "NOUN" and sentence.words[place].head == place + 1)
    if low not in _weekdays_of(sentence.language or ENGLISH):
        return False
    before = lowered(sentence.text[max(0, phrase.start - _FRONT) : phrase.start]).split()
    articles = LEXICONS.read("stated_dates", sentence.language or ENGLISH).words("indefinite")
    adjectives = {word.text.casefold() for word in sentence.words if word.pos == "ADJ"}
    while before and before[-1] in adjectives:
        before.pop()
    return bool(before) and before[-1] in articles


def _is_person(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a month is a person's name or the beginning of one: "Jan called", "May Johnson"."""
    if phrase.marker or plain(phrase.text) not in _months() or not sentence.text[phrase.start].isupper():
        return False
    before = next((word.tag for word in reversed(sentence.words) if word.end <= phrase.start), "")
    return before not in _NO_PERSON and any(
        name.type == "Person" and name.start <= phrase.end + 1 and phrase.start < name.end for name in sentence.names
    )


@cache
def _months() -> frozenset[str]:
    dates = SHARED.read("dates")
    return frozenset(plain(month) for month in (*dates.listed("months"), *dates.table("short_months")))


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(plain(day) for day in SHARED.read("dates").listed("weekdays"))


@cache
def _weekdays_of(language: str) -> frozenset[str]:
    """Return the weekdays of a language, and those of English, in which its date expressions are read."""
    own = SHARED.read("dates", language).listed("weekdays") if SHARED.has("dates", language) else ()
    return _weekdays() | {plain(day) for day in own}


@cache
def _seasons() -> frozenset[str]:
    return LEXICONS.read("stated_dates").words("seasons")


@cache
def _parts_of_day() -> frozenset[str]:
    return LEXICONS.read("stated_dates").words("parts_of_day")
