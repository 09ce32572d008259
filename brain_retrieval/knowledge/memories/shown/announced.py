"""What people who share something announce to one another in talk, and a member of a group wants to be reminded of.

A day some way ahead ("Term 2 starts on 22 April"), what is to be brought or done every week, what someone must not eat,
and who someone's family is. Such sentences look ordinary: they are short, name no one, and are often said as requests.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from typing import Any

from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_expression, word_pattern

SUBJECT = "announcements"
DAY, WEEKLY, NOT_EATEN, KIN = "day", "weekly", "not eaten", "kin"
# What is arranged for today or tomorrow is past when it is read again; what is announced earlier, people plan with.
AHEAD = timedelta(days=3)
LEAST_KEEP, LEAST_KEEP_DAY = 0.15, 0.25
LONGEST = 300  # characters: longer ones are texts that someone passed on
LEAST_SUBJECT = 2  # content words before the day
_NUMBER = re.compile(r"\d")
_ISO_DAY = len("2026-01-31")
_NAME = r"[A-ZÀ-ÖØ-Þ][^\W\d_]{1,20}"

Row = Mapping[str, Any]


def announced(row: Row) -> str | None:
    """Return what a sentence of talk announces, DAY, WEEKLY, NOT_EATEN or KIN; None: nothing of the kind.

    Args:
        row: of MEMORIES.
    """
    words = row["evidence"]
    if row["modality"] != "asserted" or row["keep"] < LEAST_KEEP or len(words) > LONGEST or words.rstrip()[-1:] == "?":
        return None
    low = lowered(words)
    if _tells_what_is_not_eaten(low):
        return NOT_EATEN
    if _names_relative(words, low) or _names_family(words, low, row):
        return KIN
    if row["polarity"] == "negated":
        return None
    if row["kind"] == "instruction" and row["self_contained"] and _listed("weekly").search(low):
        return WEEKLY
    return DAY if row["keep"] >= LEAST_KEEP_DAY and _names_day_ahead(row) else None


def _tells_what_is_not_eaten(low: str) -> bool:
    """Return whether someone is said not to eat something; "I can't eat any more" is of a meal."""
    found = _listed("not_eaten").search(low)
    return found is not None and _sated().match(low, found.end()) is None


def _names_relative(words: str, low: str) -> bool:
    """Return whether a speaker names a relative: "my husband is Tom", "our daughter Ida"."""
    return any(re.match(_NAME, words[found.end() :]) for found in _relative().finditer(low))


def _names_family(words: str, low: str, row: Row) -> bool:
    """Return whether two people are named as the family of a third: "This is Leo, we are Ann and Tom"."""
    pairs = (_two_names().match(words, found.end()) for found in _listed("are").finditer(low))
    pair = next((each.group() for each in pairs if each), None)
    people = (one for one in row["entities"] or () if one["type"] == "Person" and one["role"] != "speaker")
    return pair is not None and any(one["name"] not in pair for one in people)


def _names_day_ahead(row: Row) -> bool:
    """Return whether a sentence that stands by itself states one day of something, AHEAD or more after it was said.

    What a person is to do on a day ("Ann leaves on 27 May"), and a day of nothing ("Start on 16 May"), is none.
    """
    if row["kind"] != "fact" or not row["self_contained"] or not _subject_before_day(row["evidence"]):
        return False
    if any(one["type"] == "Person" and one["role"] == "subject" for one in row["entities"] or ()):
        return False
    days = [one["value"] for one in row["values"] or () if one["dimension"] == "date"]
    said = row["said_at"].date()
    return bool(days) and all(len(day) == _ISO_DAY and date.fromisoformat(day) >= said + AHEAD for day in days)


def _subject_before_day(words: str) -> bool:
    """Return whether at least two words with a meaning stand before the first number of a sentence."""
    first = _NUMBER.search(words)
    return first is not None and len(content_words(words[: first.start()])) >= LEAST_SUBJECT


@cache
def _listed(key: str) -> re.Pattern[str]:
    """Return a pattern for the words of a list, in all languages."""
    return word_pattern(SHARED.every_language(SUBJECT).listed(key))


@cache
def _sated() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{word_expression(SHARED.every_language(SUBJECT).listed('sated'), lowered)})(?!\w)")


@cache
def _relative() -> re.Pattern[str]:
    """Return a pattern for what stands before the name of a relative: "my little sister is ", "our daughter "."""
    lexicon = SHARED.every_language(SUBJECT)
    owners, kin, naming = (word_expression(lexicon.listed(key), lowered) for key in ("owners", "kin", "naming"))
    return re.compile(rf"(?<!\w)(?:{owners})(?:\s(?:{kin})){{1,3}}(?:\s(?:{naming})|,|\s?[-–:])?\s")


@cache
def _two_names() -> re.Pattern[str]:
    """Return a pattern for two first names behind "we are", with nothing behind them."""
    joined = word_expression(SHARED.every_language(SUBJECT).listed("joined"), lowered)
    return re.compile(rf"\s{_NAME}\s?(?:{joined})\s?{_NAME}(?=\W*\Z|\s?[.!,–-])")
