"""Dates that a sentence states, and from when to when it therefore holds.

A date after "from" or "since" begins the validity, one after "until" ends it. A past date without such a word is the
day of what is reported ("left on 31 March", said in June). A future date without such a word is a day that the sentence
is about ("the concert is on 17 May"): it begins the validity only of a sentence of change ("closes on 31 July").
"""

import itertools
import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import Period, period_of
from brain_pipelines.stages.extraction.local.time.time_expressions import find_phrases
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.sentence import Sentence, StatedDate
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase, phrases
from brain_pipelines.stages.extraction.memories.stated.day_order import ordered
from brain_pipelines.stages.extraction.memories.stated.undated import names_no_date
from brain_pipelines.stages.extraction.memories.stated.years import Dated, completed, with_years, with_years_of_events
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.lexicon import ENGLISH, NOTHING
from brain_retrieval.language.plain import lowered, word_expression

_MOST = 20  # dates of a sentence that are read
_SCHEDULE = ":schedule"
_SUPPOSED = frozenset({"could", "would", "might"})  # beside a verb of the past: "he left in May and could have flown"
_MONTH, _RECENT, _ALMOST_A_YEAR = timedelta(days=31), timedelta(days=45), timedelta(days=300)
_SOON = timedelta(days=21)  # a day that is so near is meant, whatever form a verb seems to have without a parse
_VERBS = ("VB", "MD")  # tags
_PRESENT, _HELPERS = frozenset({"VBZ", "VBP"}), frozenset({"aux", "auxpass"})
_LED = 4  # words of a part of a sentence that may only name a day
_MARKS = re.compile(r"[,;:!?()]\s")


def dated(sentence: Sentence) -> list[Dated]:
    """Return the date expressions of a sentence with the days that they mean, as far as they are known."""
    found = []
    for phrase in itertools.islice(_phrases(sentence.text, sentence.language or ENGLISH), _MOST):
        if names_no_date(sentence, phrase):
            continue
        direction = -1 if is_past(sentence, phrase) else 1
        if (text := ordered(phrase.text, sentence.day_first)) is None:
            continue
        phrase = phrase._replace(text=text)
        toward = 1 if phrase.marker in ("until", "to") else -1 if phrase.marker == "since" else direction
        period = period_of(phrase.text, sentence.said_on, toward)
        if phrase.marker == "from":
            period = _nearest(period, period_of(phrase.text, sentence.said_on, -toward), sentence.said_on)
        elif phrase.marker in ("", "for") and not (toward > 0 and is_future(sentence, phrase)):
            other = period_of(phrase.text, sentence.said_on, -toward)
            # "They gave us two more weeks: 14 March" has no verb of that day.
            appointed = phrase.marker == "for" or sentence.text[: phrase.start].rstrip().endswith(":")
            soon = other is not None and not sentence.words and abs(other.start - sentence.said_on) <= _SOON
            period = _likelier(period, other, sentence.said_on, appointed=appointed or soon)
        if period:
            found.append(Dated(phrase, period))
    return completed(with_years_of_events(with_years(found), sentence.text, sentence.said_on))


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
    before = ""
    for phrase, period in found:
        marker, before = phrase.marker, phrase.marker
        if marker == "to":
            end = end or (period.end if opened and change != "strong" else None)
        elif marker in ("from", "since"):
            start, opened = start or period.start, True
        elif marker == "until":
            end = end or period.end
        elif period.start < sentence.said_on:
            start = start or (period.start if is_past(sentence, phrase) else None)
        elif coming and period.start > sentence.said_on:
            start = start or period.start
    if change == "strong" and before == "to":
        return None, None
    return (None, None) if start and end and start >= end else (start, end)


def begins_of_late(found: list[Dated], sentence: Sentence) -> bool:
    """Return whether something is so since a day of the last weeks: "since Monday", "depuis lundi"."""
    since = (period.start for phrase, period in found if phrase.marker in ("since", "from"))
    return any(timedelta(0) <= sentence.said_on - start <= _RECENT for start in since)


def before(day: date, said: date) -> date:
    """Return the end of what was: "until March" of a former state is the last March."""
    return day if day <= said else min(said, day.replace(year=day.year - 1, day=min(day.day, 28)))


def is_past(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether what is said about a date has happened, by the parse or else by the forms of the words around."""
    return _tense(sentence, phrase) == "past"


def is_future(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether what is said about a date is still to come: "will be on", "is going to"."""
    return _tense(sentence, phrase) == "future"


def _tense(sentence: Sentence, phrase: Phrase) -> str:
    start, end = _part_with_verb(sentence, phrase)
    tags = {word.tag for word in sentence.words if start <= word.start < end}
    if _is_intended(sentence, start, phrase.start):
        return "future"
    past, future = _tenses(sentence.language or ENGLISH)
    text = lowered(sentence.text)[start:end]
    if not sentence.words and len(text.split()) <= _LED and not (past.search(text) or future.search(text)):
        start, text = 0, lowered(sentence.text)  # "Lundi 9, j'ai rencontré Claire": the verb is behind the comma
    supposed = all(w.text.casefold() in _SUPPOSED for w in sentence.words if w.tag == "MD" and start <= w.start < end)
    if "MD" in tags and not ("VBD" in tags and supposed) or future.search(text):
        return "future"
    # A large word inside a sentence is no verb ("Liste"), nor one at its beginning where nouns are large: "Gutachten".
    first = -1 if writes_nouns_large(sentence.language or ENGLISH) else 0
    places = ((start + match.start()) for match in past.finditer(text))
    verbs = (place == first or not sentence.text[place].isupper() for place in places)
    return "past" if (_has_past(sentence, start, end) if tags else any(verbs)) else "present"


def _has_past(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether a verb between two characters is of the past: "met", "was moved", "has left", "Left in March".

    A participle beside a verb of the present is not: "is scheduled for May", "the date based on it is 1 May".
    """
    inside = [place for place, word in enumerate(sentence.words) if start <= word.start < end]
    present = any(sentence.words[place].tag in _PRESENT for place in inside)
    for place in inside:
        word = sentence.words[place]
        helpers = [each for each in sentence.words if each.dep in _HELPERS and sentence.words[each.head] is word]
        if (
            word.tag == "VBD"
            or word.tag == "VBN"
            and any(each.tag == "VBD" or each.lemma == "have" for each in helpers)
        ):
            return True
        if word.tag == "VBN" and not helpers and not present:
            return True
    return False


def _is_intended(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether a date belongs to what was agreed or planned: "we agreed to rent the hall on 3 May"."""
    before = [word for word in sentence.words if start <= word.start < end]
    to = next((n for n in range(len(before) - 1, 0, -1) if before[n].tag == "TO"), 0)
    if not to or before[to - 1].text.casefold() not in _intending():
        return False
    verbs = [word for word in before[to + 1 :] if word.tag.startswith(("VB", "MD"))]
    return bool(verbs) and all(word.tag == "VB" for word in verbs)


@cache
def _intending() -> frozenset[str]:
    return LEXICONS.read("stated_dates").words("intending")


def _likelier(period: Period | None, other: Period | None, said: date, *, appointed: bool) -> Period | None:
    """Return the reading of a day without its year, which the verb alone puts almost a year away from a near one.

    "The test of 16 January shows …", said ten days later, is about the last one; "booked the room for 18 February",
    said two weeks before, about the next one. A day of the past that is not `appointed` stays in the past.
    """
    if period is None or other is None or period.end - period.start > _MONTH or (period.end <= said and not appointed):
        return period
    far, near = abs(period.start - said), abs(other.start - said)
    return other if near <= _RECENT and far >= _ALMOST_A_YEAR else period


def _nearest(one: Period | None, other: Period | None, said: date) -> Period | None:
    """Return the reading of a date that lies nearer: "from 1 May" says itself whether it is past."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda period: abs(period.start - said))


def _part(text: str, phrase: Phrase) -> tuple[int, int]:
    """Return the part of a sentence between the marks around a date expression."""
    before = [mark.end() for mark in _MARKS.finditer(text, 0, phrase.start)]
    after = _MARKS.search(text, phrase.end)
    return before[-1] if before else 0, after.start() if after else len(text)


def _part_with_verb(sentence: Sentence, phrase: Phrase) -> tuple[int, int]:
    """Return the part around a date, to the next verb where it has none: "On Thursday, Ann and Bo have met Cleo"."""
    start, end = _part(sentence.text, phrase)
    verbs = [place for place, word in enumerate(sentence.words) if word.tag.startswith(_VERBS)]
    if not verbs or any(start <= sentence.words[place].start < end for place in verbs):
        return start, end
    after = next((place for place in verbs if sentence.words[place].start >= end), None)
    if after is None:
        return sentence.words[verbs[-1]].start, end
    while after + 1 < len(sentence.words) and sentence.words[after + 1].tag.startswith((*_VERBS, "RB")):
        after += 1
    return start, sentence.words[after].end


def _phrases(text: str, language: str) -> Iterator[Phrase]:
    if language != ENGLISH:
        yield from phrases(text, language)
        return
    own = LEXICONS.read("stated_dates")
    from_words, until_words, appointed = own.words("from"), own.words("until"), own.words("appointed")
    for found in find_phrases(text):
        before = text[max(0, found.start - 4) : found.start].casefold().split()
        marker = "to" if found.marker == "to" or before[-1:] == ["to"] else ""
        marker = "for" if {found.marker, *before[-1:]} & appointed else marker
        marker = "since" if found.marker == "since" else "from" if found.marker in from_words else marker
        marker = "until" if found.marker in until_words or found.marker in "-–—" and found.marker else marker
        yield Phrase(found.start, found.end, marker, found.text)


def _iso(period: Period) -> str:
    start, last = period.start, period.end - timedelta(days=1)
    if start == last:
        return start.isoformat()
    if start.day == 1 and period.end.day == 1 and (last.year, last.month) == (start.year, start.month):
        return f"{start:%Y-%m}"
    if (start.month, start.day, last.month, last.day) == (1, 1, 12, 31) and start.year == last.year:
        return f"{start:%Y}"
    return f"{start.isoformat()}/{last.isoformat()}"


@cache
def _tenses(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING), re.compile(NOTHING)
    own = LEXICONS.read("stated_dates", language)
    past = rf"(?<!\w)(?:{word_expression(own.listed('past'), lowered)}|{own.expression('past_forms')})(?!\w)"
    future = rf"(?<!\w)(?:{word_expression(own.listed('future'), lowered)})(?!\w)"
    return re.compile(past), re.compile(future)
