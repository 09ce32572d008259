"""First days of ranges, whose month stands behind the last day: "del 3 al 9 de mayo", "the 3rd and the 9th of May"."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_expression

_DAY = re.compile(r"(?P<day>\d{1,2})(?P<rest> [a-z].*)")  # of `Phrase.text`, with its month
_ALONE = re.compile(r"day (?P<day>\d{1,2})")  # of a day of the month without it
_BESIDE = 8  # characters between two days that share a month
_FRONT = 40  # characters before the last day in which the first one stands


def first_days(text: str, language: str, found: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield the first days of ranges, "3" of "del 3 al 9 de mayo", with the month of the last one.

    A first day that is no lower than the last one is a number of something else.
    """
    if not (LEXICONS.has("stated_dates", language) and SHARED.has("dates", language)):
        return
    low = plain(text)
    for last in found:
        dated = _DAY.fullmatch(last.text)
        before = low[max(0, last.start - _FRONT) : last.start] if dated and last.marker in ("to", "until") else ""
        match = _leading(language).search(before)
        if dated is None or match is None or not 0 < int(match["day"]) < int(dated["day"]):
            continue
        start = max(0, last.start - _FRONT) + match.start("day")
        yield Phrase(start, start + len(match["date"]), "from", match["day"] + dated["rest"])


def with_month_behind(found: Sequence[Phrase], text: str) -> list[Phrase]:
    """Give a day alone the month of a later day right behind it, unless a mark parts them."""
    phrases = list(found)
    for place, (first, last) in enumerate(pairwise(found)):
        alone, dated = _ALONE.fullmatch(first.text), _DAY.fullmatch(last.text)
        between = text[first.end : last.start]
        joined = 0 < len(between) <= _BESIDE and between.replace(" ", "").isalpha()
        if alone and dated and joined and int(alone["day"]) < int(dated["day"]):
            phrases[place] = first._replace(text=alone["day"] + dated["rest"])
    return phrases


@cache
def _leading(language: str) -> re.Pattern[str]:
    """Return a pattern for a day in front of a word for "to" or "until", at the end of plain text."""
    own, dates = LEXICONS.read("stated_dates", language), SHARED.read("dates", language)
    leads = word_expression(own.listed("from"))
    toward = word_expression([*own.listed("toward"), *own.listed("until")])
    ordinal = word_expression(dates.listed("ordinals"))
    return re.compile(rf"(?<![\w.,/:-])(?:{leads})\s?(?P<date>(?P<day>\d{{1,2}})(?:{ordinal})?)\s(?:{toward})\s?$")
