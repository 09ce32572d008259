"""Words that look like a date and name none: of what recurs, of some day, of a person."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.days_in_figures import lead_markers
from brain_pipelines.stages.extraction.memories.stated.tenses import PAST, PRESENT, UNKNOWN, part_of, tense_of
from brain_retrieval.language.lexicon import ENGLISH, NOTHING, SHARED
from brain_retrieval.language.plain import lowered, plain, word_expression

_NO_PERSON = frozenset({"IN", "DT", "CD", "JJ"})  # tags of a word before a date: "in May", "last May", "3 May"
_FRONT = 30  # characters before a weekday in which its article stands
_OF_ONE = re.compile(r"\b(?:early|mid|late)\b")  # of the season of one year
_TWO_NUMBERS = re.compile(r"\d{1,2}/\d{1,2}")
_ACTING = frozenset({"nsubj", "nsubjpass", "poss", "dobj"})


def names_no_date(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date expression of a sentence means no day that a calendar could tell."""
    return (
        _is_attribute(sentence, phrase)
        or _is_person(sentence, phrase)
        or _is_any(sentence, phrase)
        or _is_verb_or_name(sentence, phrase)
        or _is_likened(sentence, phrase)
        or _recurs(sentence, phrase)
        or _is_of_week(sentence, phrase)
        or _is_amount(sentence, phrase)
        or _is_in_name(sentence, phrase)
        or _is_measured(sentence, phrase)
    )


def is_backdated(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a day is one from which something counts that was settled later: "backdated to 14 January"."""
    return (
        _before_date("backdated", sentence.language or ENGLISH).search(lowered(sentence.text[: phrase.start]))
        is not None
    )


def _is_measured(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether two numbers with a slash are a blood pressure: "tension 15/9"."""
    language = sentence.language or ENGLISH
    if not _TWO_NUMBERS.fullmatch(sentence.text[phrase.start : phrase.end].strip(" .,;")):
        return False
    before = lowered(sentence.text[: phrase.start])
    if not LEXICONS.has("stated_dates", language):
        return False
    led = not lead_markers(language).keys().isdisjoint(plain(before).split()[-1:])  # "…, rendez-vous le 15/9"
    return not led and _measured(language).search(before) is not None


def is_habit(sentence: Sentence, phrase: Phrase, tense: str) -> bool:
    """Return whether a season is that of every year: "the fall is her favourite season", "never off in the summer"."""
    if plain(phrase.text).rsplit(maxsplit=1)[-1] not in _seasons() or _steps() & {*plain(phrase.text).split()}:
        return False
    if phrase.marker in ("since", "until", "to", "at", "from", "for", "figures") or _OF_ONE.search(plain(phrase.text)):
        return False
    start, end = part_of(sentence.text, phrase)
    inside = [word for word in sentence.words if start <= word.start < end]
    if tense == PAST or any(word.tag == "VBD" for word in inside):
        return False
    return tense == PRESENT or any(word.text.casefold() in _habitual() for word in inside)


def is_until_season(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether something holds until a season begins: "until spring", not "through the winter"."""
    named = plain(phrase.text).removeprefix("the ")
    return named in _seasons() and not lowered(sentence.text[phrase.start : phrase.end]).startswith("through")


def _is_verb_or_name(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a month is a verb, or the name of who or what does something: "May need more", "Sep's plant"."""
    place = next((n for n, word in enumerate(sentence.words) if word.start == phrase.start), None)
    if place is None or phrase.marker or plain(phrase.text).rstrip(".") not in _months():
        return False
    word = sentence.words[place]
    after = sentence.words[place + 1] if place + 1 < len(sentence.words) else None
    if word.tag.startswith(("MD", "VB")) or place == 0 and after is not None and after.tag == "VB":
        return True
    return plain(phrase.text) in _short_months() and word.dep in _ACTING and word.tag == "NNP"


def _is_likened(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a day is one that something only feels like: "as if it were yesterday"."""
    language = sentence.language or ENGLISH
    before = lowered(sentence.text[max(0, phrase.start - _FRONT) : phrase.start])
    return _before_date("likening", language).search(before) is not None or (
        _before_date("streets", language).search(before) is not None
    )


def _recurs(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a day is one of every week, month or year: "the last Wednesday of each month"."""
    language = sentence.language or ENGLISH
    after = lowered(sentence.text[phrase.end : phrase.end + _FRONT])
    if _after_date("recurring", language).match(after):
        return True
    before = lowered(sentence.text[max(0, phrase.start - _FRONT) : phrase.start])
    return not phrase.marker and _before_date("recurring", language).search(before) is not None


def _is_of_week(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a day is one end of days of every week: "30 hours, Mon to Thu", "lundi à jeudi"."""
    found = _days_of_week(sentence.language or ENGLISH).finditer(plain(sentence.text))
    if not any(match.start() <= phrase.start < match.end() for match in found):
        return False
    # "The retreat ran Sunday to Tuesday" was in one week; in other languages a participle says how something is, too.
    return sentence.language not in (None, ENGLISH) or tense_of(sentence, phrase) in (PRESENT, UNKNOWN)


def _is_amount(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether what looks like a year is the whole of an amount: "600 of the 1800"."""
    year = phrase.text.rsplit(maxsplit=1)[-1]  # of "the 1800" or "1800"
    place = sentence.text.rfind(year, phrase.start, phrase.end)
    if not year.isdigit() or place < 0 or not phrase.text.removesuffix(year).strip().islower() and year != phrase.text:
        return False
    before = lowered(sentence.text[max(0, place - _FRONT) : place])
    return _part_of_amount(sentence.language or ENGLISH).search(before) is not None


def _is_in_name(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a word for a day near today is part of a name: "we rode through Tomorrow Land"."""
    if plain(phrase.text) not in LEXICONS.read("time").table("days"):
        return False
    place = sentence.text.rfind(phrase.text, phrase.start, phrase.end)  # behind its marker
    before, after = sentence.text[:place], sentence.text[phrase.end :]
    inside = before.endswith(" ") and before.rstrip()[-1:].isalnum() and any(char.islower() for char in before)
    return inside and phrase.text.istitle() and after[:1] == " " and after[1:2].isupper()


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
    """Return whether some weekday, month or season is meant: "on a cold Tuesday morning", "every November"."""
    low = plain(phrase.text)
    before = lowered(sentence.text[max(0, phrase.start - _FRONT) : phrase.start])
    language = sentence.language or ENGLISH
    if low in _weekdays() and (_before_date("weekly", language).search(before) or _ranked(language).search(before)):
        return True
    if low.rsplit(maxsplit=1)[-1] in _seasons():  # also "the spring"
        place = next((n for n, word in enumerate(sentence.words) if word.end == phrase.end), len(sentence.words))
        after = sentence.words[place + 1] if place + 1 < len(sentence.words) else None
        if after is None or after.pos not in ("NOUN", "PROPN"):
            return False
        of_name = sentence.words[place].text[:1].isupper() and after.text[:1].isupper()  # "the Spring Sprint Triathlon"
        return of_name or (after.pos == "NOUN" and sentence.words[place].head == place + 1)
    if low not in _weekdays_of(sentence.language or ENGLISH) and low.rstrip(".") not in _months():
        return False
    before = before.split()
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
def _short_months() -> frozenset[str]:
    return frozenset(SHARED.read("dates").table("short_months"))


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


@cache
def _steps() -> frozenset[str]:
    return frozenset(LEXICONS.read("stated_dates").table("steps"))


@cache
def _habitual() -> frozenset[str]:
    return LEXICONS.read("stated_dates").words("habitual")


@cache
def _ranked(language: str) -> re.Pattern[str]:
    """Return a pattern for the end of a text before a weekday that is one of several: "the 2nd", "am zweiten"."""
    code = language if SHARED.has("values", language) else ENGLISH
    ranks = word_expression(list(SHARED.read("values", code).listed("ranks")), lowered)
    return re.compile(rf"(?<!\w)(?:{ranks}|\d(?:st|nd|rd|th|\.|º|°|e|er))\s?$")


@cache
def _before_date(key: str, language: str) -> re.Pattern[str]:
    """Return a pattern for the end of a text before what is no date: "feels like just", "the week begins on"."""
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    words = word_expression(LEXICONS.read("stated_dates", language).listed(key), lowered)
    return re.compile(rf"(?<!\w)(?:{words})(?:\s\w{{1,3}})?\s?$")


@cache
def _measured(language: str) -> re.Pattern[str]:
    """Return a pattern for the end of a text that names what is measured and states no more than words behind it."""
    words = word_expression(LEXICONS.read("stated_dates", language).listed("measured"), lowered)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)[^.;\d]{{0,40}}\Z")


@cache
def _days_of_week(language: str) -> re.Pattern[str]:
    """Return a pattern of plain text for two weekdays with a word for "to" between them, and no word for "from" before.

    "From Monday to Thursday" may be the days of one week.
    """
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    own = LEXICONS.read("stated_dates", language)
    leading = [word for key in ("from", "since", "until", "toward") for word in own.listed(key)]
    not_led = "".join(rf"(?<!{re.escape(plain(word))}\s)" for word in sorted(set(leading)))
    day = word_expression((*sorted(_weekdays_of(language)), *own.table("short_weekdays")))
    joining = word_expression((*own.listed("until"), *own.listed("toward"), "-", "–"))
    return re.compile(rf"(?<!\w){not_led}(?:{day})s?\.?\s?(?:{joining})\s?(?:{day})s?(?!\w)")


@cache
def _after_date(key: str, language: str) -> re.Pattern[str]:
    """Return a pattern for the beginning of a text behind what is no date: "of each month"."""
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    words = word_expression(LEXICONS.read("stated_dates", language).listed(key), lowered)
    return re.compile(rf"\W{{1,2}}(?:{words})(?!\w)")


@cache
def _part_of_amount(language: str) -> re.Pattern[str]:
    """Return a pattern for a number and the words that stand between it and what it is a part of: "600 of the"."""
    code = language if LEXICONS.has("stated_dates", language) else ENGLISH
    words = LEXICONS.read("stated_dates", code).listed("parts")
    return re.compile(rf"(?<![\w.,])\d[\d.,]{{0,9}} (?:{word_expression(words, lowered)}) \Z")
