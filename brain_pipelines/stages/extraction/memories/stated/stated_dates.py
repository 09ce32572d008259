"""Dates that a sentence states, and from when to when it therefore holds.

A date after "from" or "since" begins the validity, one after "until" ends it. A past date without such a word is the
day of what is reported ("left on 31 March", said in June). A future date without such a word is a day that the sentence
is about ("the concert is on 17 May"): it begins the validity only of a sentence of change ("closes on 31 July").
"""

import itertools
import re
from datetime import date, timedelta

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import Period, period_of
from brain_pipelines.stages.extraction.memories.sentence import Sentence, StatedDate
from brain_pipelines.stages.extraction.memories.stated.cues import is_correction
from brain_pipelines.stages.extraction.memories.stated.date_phrases import date_phrases
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.day_order import ordered
from brain_pipelines.stages.extraction.memories.stated.days_of_month import FORM, day_meant
from brain_pipelines.stages.extraction.memories.stated.feasts import days_of_feast, is_feast
from brain_pipelines.stages.extraction.memories.stated.neighbours import beside_others, day_of_entry, heads_entry
from brain_pipelines.stages.extraction.memories.stated.settled import is_of_enrolment, is_settled, was_meant
from brain_pipelines.stages.extraction.memories.stated.tense_words import from_then, has_end, may_begin
from brain_pipelines.stages.extraction.memories.stated.tenses import (
    DUE,
    FUTURE,
    PAST,
    PRESENT,
    UNKNOWN,
    lasted,
    names_thing,
    part_of,
    stands_apart,
    tells_when,
    tense_of,
)
from brain_pipelines.stages.extraction.memories.stated.undated import (
    is_backdated,
    is_habit,
    is_until_season,
    names_no_date,
)
from brain_pipelines.stages.extraction.memories.stated.years import Dated, completed, with_years, with_years_of_events
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered, word_expression

_CLOCK = re.compile(r",?\s(?:\w{1,3}\s)?\d{1,2}[:.]\d\d(?!\d)")
_FOR_PART = re.compile(r"\bfor (?:the )?\w{2,10} (?:weeks?|weekends?|half|days?) (?:(?:of|in) )?\Z")
_MOST = 20  # dates of a sentence that are read
_SCHEDULE = ":schedule"
_WEEK, _MONTH, _RECENT = timedelta(days=7), timedelta(days=31), timedelta(days=45)
_YESTERDAY = timedelta(days=2)
_COMING = timedelta(days=200)
_TURN = timedelta(days=20)  # from the first day of the month in which a season begins, "until spring"
_ALMOST_A_YEAR = timedelta(days=300)
_SOON = timedelta(days=21)  # a day that is so near is meant, whatever form a verb seems to have without a parse
# What is said in the present is rather to come: a day of the past has to be so many times nearer. So is what has no
# known verb, in a language without a parse, and what ends then: "expenses to end of August".
_AHEAD, _UNPARSED, _UNTIL = 2, 1.25, 3
_ENTRY = 3  # of an appointment without a verb
_LATER = 3  # of what holds in the present: "lavoro da ottobre" is rather so since then
_APART = 3  # of a date without a verb beside what has happened: "I got the job, start 1 Sept"


def dated(sentence: Sentence) -> list[Dated]:
    """Return the date expressions of a sentence with the days that they mean, as far as they are known."""
    found: list[Dated] = []
    past: set[int] = set()
    for phrase in itertools.islice(date_phrases(sentence), _MOST):
        if names_no_date(sentence, phrase) or (text := ordered(phrase.text, sentence.day_first)) is None:
            continue
        backdated = is_backdated(sentence, phrase)
        phrase = phrase._replace(text=text, marker="since" if backdated else phrase.marker)
        tense = PAST if backdated else tense_of(sentence, phrase)
        if is_habit(sentence, phrase, tense):
            continue
        said = day_of_entry(found, sentence) if found else sentence.said_on
        if tense == PRESENT and heads_entry(sentence, phrase):
            tense = UNKNOWN
        elif said != sentence.said_on and tense in (PRESENT, UNKNOWN):
            tense = PAST  # what an entry tells has happened by its day
        if FORM.fullmatch(phrase.text):
            period = day_meant(phrase, said, tense, found[-1].period.start if found else None)
        elif is_feast(phrase.text):
            was = phrase.marker == "since" or (tense == PAST and lasted(sentence, phrase))
            period = days_of_feast(phrase.text, said, -1 if was else 1)
        else:
            period = _read(phrase, sentence, tense, said)
        if period:
            found.append(Dated(phrase, period))
            past |= {phrase.start} if tense == PAST else set()
    found = with_years_of_events(with_years(found, sentence.said_on, past), sentence.text, sentence.said_on)
    return completed(beside_others(found, sentence.text, sentence.said_on, past), sentence.said_on, past)


def _read(phrase: Phrase, sentence: Sentence, tense: str, said: date) -> Period | None:
    """Return the days that one expression means, read by itself; a day without its year by the tense of its verb."""
    marker = phrase.marker
    toward = -1 if tense == PAST else 1
    if marker in ("until", "to"):
        toward = -1 if marker == "until" and tense == PAST and lasted(sentence, phrase) else 1
    elif marker == "since":
        toward = -1
    period, other = (period_of(phrase.text, said, way) for way in (toward, -toward))
    if period is None or other is None or period == other:
        return period
    if marker == "since":
        return other if _begins_later(sentence, phrase, tense, other, period) else period
    if marker == "from":
        return _from(phrase, sentence, tense, period, other, said)
    near, far = abs(other.start - said), abs(period.start - said)
    if period.end - period.start > _MONTH or abs(period.start - other.start) <= _WEEK:
        # "Sold two, six goats left for the winter", but "Could you send it by Friday?"
        return other if marker == "for" and tense == PAST and near < far else period
    if tense == FUTURE:  # a message may be dated by the day that it came
        return other if marker not in ("until", "to") and near <= _YESTERDAY and far >= _ALMOST_A_YEAR else period
    if marker in ("until", "to"):
        return other if tense == UNKNOWN and sentence.words and near * _UNTIL < far else period
    if tense == DUE:
        return other if near <= _RECENT and far >= _ALMOST_A_YEAR else period
    if tense == PAST:
        return other if _is_to_come(sentence, phrase, near, far) else period
    if tense == UNKNOWN and _is_appointment(sentence):
        return other if near * _ENTRY < far else period
    times = _AHEAD if tense == PRESENT else 1 if sentence.words else _UNPARSED
    return other if near * times < far else period


def _from(phrase: Phrase, sentence: Sentence, tense: str, period: Period, other: Period, said: date) -> Period:
    """Return of the days to come, or past if the verb is, and of the other ones those from which something holds."""
    if tense != PAST and timedelta(0) <= period.start - said <= _COMING and _begins_then(sentence, phrase):
        return period
    in_week = abs(period.start - other.start) <= _WEEK  # "notes from Monday's meeting"
    times = 1 if in_week or tense in (PAST, UNKNOWN) else _AHEAD
    return other if abs(other.start - said) * times < abs(period.start - said) else period


def _begins_then(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether something begins to hold on a day, by the word before it: "ab Montag", "as of Monday"."""
    language, text = sentence.language or ENGLISH, lowered(sentence.text)
    before = text[: phrase.start]  # in English the word before a day is part of the expression
    return from_then(language).search(before) is not None or text[phrase.start :].startswith(
        tuple(LEXICONS.read("stated_dates").words("from_then")) if language == ENGLISH else ()
    )


def _is_appointment(sentence: Sentence) -> bool:
    """Return whether a sentence without a verb begins with an appointment: "Concert 14 December" is rather to come."""
    has_verb = any(word.pos in ("VERB", "AUX") for word in sentence.words)
    return not has_verb and _SCHEDULE in concepts_of(sentence.text.split()[0], sentence.language or ENGLISH)


def _is_to_come(sentence: Sentence, phrase: Phrase, near: timedelta, far: timedelta) -> bool:
    """Return whether a day is to come, although the verb around it is one of the past.

    Args:
        sentence: the sentence.
        phrase: the date expression in it.
        near: the time until the day, if it is to come.
        far: the time since it, if it is past.
    """
    of_event = phrase.marker == "for" or is_of_enrolment(sentence, phrase) or _is_part_for(sentence, phrase)
    booked = (phrase.marker == "for" or _is_part_for(sentence, phrase)) and is_settled(sentence, phrase)
    if of_event and near < far and (booked or _is_day(phrase, sentence.said_on)):
        return True  # "we have got tickets for 3 October", "we booked the cottage for August"
    # "They gave us two more weeks: 14 March" has no verb of that day.
    # "Called, they have put me on 23 May 11:00" and "got an extension, 13 May" neither.
    announced = phrase.marker in ("for", "figures", "at") or sentence.text[: phrase.start].rstrip().endswith((":", ","))
    announced = announced or is_settled(sentence, phrase) or was_meant(sentence, phrase)
    announced = announced or _CLOCK.match(sentence.text, phrase.end) is not None
    if near <= _RECENT and far >= _ALMOST_A_YEAR and (near <= _SOON or announced or names_thing(sentence, phrase)):
        return True
    start, end = part_of(sentence.text, phrase)
    if start and sentence.words and near < far and tells_when(sentence.text[start:end], sentence.language):
        return True  # "They signed, 900 pounds a month, starts on 1 October", where the parser sees a noun
    return near * _APART < far and stands_apart(sentence, phrase)


def _is_part_for(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether an English month is one for a part of which something is: "for the last week of August"."""
    return _FOR_PART.search(lowered(sentence.text[: phrase.start])) is not None


def _begins_later(sentence: Sentence, phrase: Phrase, tense: str, later: Period, earlier: Period) -> bool:
    """Return whether a day behind a word for "since" that may mean "from" is to come: "affitto da ottobre 650"."""
    if not may_begin(sentence.language or ENGLISH).search(lowered(sentence.text)[: phrase.start]):
        return False
    near, far = abs(later.start - sentence.said_on), abs(earlier.start - sentence.said_on)
    if tense == PAST:  # "spostato dal 25 luglio al 9 settembre", and not "lavorava qui da luglio"
        return (
            near < far and has_end(sentence.language or ENGLISH).match(lowered(sentence.text), phrase.end) is not None
        )
    return near * (_LATER if tense == PRESENT else 1) < far


def _is_day(phrase: Phrase, said: date) -> bool:
    period = period_of(phrase.text, said, 1)
    return period is not None and period.end - period.start == timedelta(days=1)


def stated(found: list[Dated]) -> tuple[StatedDate, ...]:
    """Return the ISO day, month, year or range that each expression means."""
    return tuple(StatedDate(each.phrase.start, each.phrase.end, _iso(each.period)) for each in found)


def validity(found: list[Dated], sentence: Sentence, *, change: str) -> tuple[date | None, date | None]:
    """Return the first day on which a sentence holds and the first on which it no longer does, as far as stated.

    `change` is its cue. "Moved from 3 to 5 May" names an old and a new day, and no time in which anything holds.
    """
    start = end = None
    opened = False
    coming = change == "strong" and _SCHEDULE not in concepts_of(sentence.text, sentence.language or ENGLISH)
    coming = coming and not is_correction(sentence)
    before = ""
    for phrase, period in found:
        marker, before = phrase.marker, phrase.marker
        if marker == "to" and coming and not opened and _rises_to_amount(found, sentence):
            start, before = start or period.start, ""  # "steigt zum 1. September auf 335"
        elif marker == "to":
            end = end or (period.end if opened and change != "strong" else None)
        elif marker in ("from", "since"):
            start, opened = start or period.start, True
        elif marker == "until":
            end = end or (period.start + _TURN if is_until_season(sentence, phrase) else period.end)
        elif period.start < sentence.said_on:
            # "This year it is on Thursdays" says nothing of the day since which it is.
            lasting = period.end > sentence.said_on and period.end - period.start > _MONTH
            start = start or (period.start if not lasting and is_past(sentence, phrase) else None)
        elif coming and period.start > sentence.said_on:
            start = start or period.start
    if change == "strong" and before == "to":
        return None, None
    return (None, None) if start and end and start >= end else (start, end)


def _rises_to_amount(found: list[Dated], sentence: Sentence) -> bool:
    """Return whether a sentence says to which number something changes, so that a day says from when: "auf 335"."""
    language = sentence.language or ENGLISH
    if not LEXICONS.has("stated_dates", language):
        return False
    dates = [range(phrase.start, phrase.end) for phrase, _ in found]
    toward = word_expression(LEXICONS.read("stated_dates", language).listed("toward"), lowered)
    numbers = re.finditer(rf"(?<!\w)(?:{toward})\s[€$£]?(?P<number>\d)", lowered(sentence.text))
    return any(not any(match.start("number") in days for days in dates) for match in numbers)


def begins_of_late(found: list[Dated], sentence: Sentence) -> bool:
    """Return whether something is so since a day of the last weeks: "since Monday", "depuis lundi"."""
    since = (period.start for phrase, period in found if phrase.marker in ("since", "from"))
    return any(timedelta(0) <= sentence.said_on - start <= _RECENT for start in since)


def before(day: date, said: date) -> date:
    """Return the end of what was: "until March" of a former state is the last March."""
    return day if day <= said else min(said, day.replace(year=day.year - 1, day=min(day.day, 28)))


def is_past(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether what is said about a date has happened, by the parse or else by the forms of the words around."""
    return tense_of(sentence, phrase) == PAST


def _iso(period: Period) -> str:
    start, last = period.start, period.end - timedelta(days=1)
    if start == last:
        return start.isoformat()
    if start.day == 1 and period.end.day == 1 and (last.year, last.month) == (start.year, start.month):
        return f"{start:%Y-%m}"
    if (start.month, start.day, last.month, last.day) == (1, 1, 12, 31) and start.year == last.year:
        return f"{start:%Y}"
    return f"{start.isoformat()}/{last.isoformat()}"
