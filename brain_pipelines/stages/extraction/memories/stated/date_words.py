"""Date expressions of a language in plain text, put into the English form that `date_ranges.period_of` reads.

English has its own grammar in `time_expressions.py`; here are the forms of the other languages with a lexicon:
"12 de junio de 2025", "am 27. März", "lundi dernier", "la semana pasada", "vor drei Wochen", "dal 3 maggio".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import SHARED, number_of
from brain_retrieval.language.plain import plain, word_expression
from brain_retrieval.language.values import is_release

_ENGLISH = SHARED.read("dates")
_MONTHS = _ENGLISH.listed("months")
_WEEKDAYS = _ENGLISH.listed("weekdays")
_YEAR = r"(?:19|20|21)\d\d"
_YEAR_BESIDE = r"(?:1[5-9]|20|21)\d\d"  # behind a month
_SHORT_YEAR = 2  # digits: "11.05.18"
_FRONT = 24  # characters before a word in which its article stands
_YEARLESS = re.compile(r"\d{1,2}[./]\d{1,2}\.?")


class Phrase(NamedTuple):
    """A date expression at characters `start` to `end`, with the class of the word before it, in English."""

    start: int
    end: int
    marker: str  # since | from | until | to | at ("a fine maggio": to or at) | for | figures ("13.8.") | ""
    text: str


@dataclass(frozen=True)
class _Words:
    """The words of a language, each with its English counterpart."""

    months: dict[str, str]
    weekdays: dict[str, str]
    numbers: dict[str, str]
    steps: dict[str, str]
    units: dict[str, str]
    days: dict[str, str]
    since: frozenset[str]
    articles: frozenset[str]  # with prepositions that may stand before a day
    parts: frozenset[str]  # of these days that are parts of a day too: "mañana"
    pattern: re.Pattern[str]
    part_before: re.Pattern[str]
    part_after: re.Pattern[str]


def phrases(text: str, language: str) -> Iterator[Phrase]:
    """Yield the date expressions of `text` from left to right; none of a language without dates."""
    if not (SHARED.has("dates", language) and LEXICONS.has("stated_dates", language)):
        return
    words = _words(language)
    low = plain(text)
    for match in words.pattern.finditer(low):
        figures = match["dotted"] or match["slashed"]
        if match["dotted"] and "/" not in match["dotted"] and is_release(text, match.start(), language):
            continue  # "Version 4.2." at the end of a sentence
        if match["word"] and match.start("word") and text[match.start("word")].isupper():
            continue  # a noun: "den ganzen Morgen"
        if match["word"] in words.parts and _is_part_of_day(low, match, words):
            continue
        if match["month2"] in words.numbers and not (match["year2"] or _is_led(match)):
            continue  # "sept personnes"
        if english := _in_english(match.groupdict(), words):
            # A day and a month in figures are written for an appointment, whatever form the verb has.
            marker = _marker(match, words) or ("figures" if figures and _YEARLESS.fullmatch(figures) else "")
            yield Phrase(match.start("date"), match.end("date"), marker, english)


def _marker(match: re.Match[str], words: _Words) -> str:
    if match["from"]:
        return "since" if match["from"] in words.since else "from"
    if match["until"]:
        return "until"
    if match["to"]:
        return "at" if match["edge"] and match["to"] in words.articles else "to"
    return "for" if match["for"] else ""


def _is_led(match: re.Match[str]) -> bool:
    """Return whether a word stands before a month that a month alone may have: "en sept", "depuis sept"."""
    before = match.string[match.start() : match.start("date")].split()
    return bool(match["lead"] or match["month_step"] or match["from"] or match["until"]) or before[-1:] == ["en"]


def _step_of(word: str | None, words: _Words) -> str:
    return f"{words.steps[word]} " if word else ""


def _is_part_of_day(text: str, match: re.Match[str], words: _Words) -> bool:
    """Return whether "mañana" is the morning: "por la mañana", "una mañana de septiembre"."""
    start, end = match.span("word")
    return bool(words.part_before.search(text, max(0, start - _FRONT), start) or words.part_after.match(text, end))


def _in_english(part: dict[str, str | None], words: _Words) -> str:
    year = f" {part['year'] or part['year2']}" if part["year"] or part["year2"] else ""
    if part["iso"]:
        return part["iso"]
    if figures := part["dotted"] or part["slashed"]:
        day, month, *rest = re.split(r"[./]", figures.rstrip("."))
        in_full = f"20{rest[0]}" if rest and len(rest[0]) == _SHORT_YEAR else "".join(rest)
        return f"{int(day)} {_MONTHS[int(month) - 1]} {in_full}".strip() if 0 < int(month) < 13 else ""
    if part["day_name"]:
        return f"{words.weekdays[part['day_name']]} {int(part['number'] or 0)}"
    if part["month"]:
        named = f"{words.weekdays[part['named']]} " if part["named"] else ""
        step = "" if year or named else _step_of(part["day_step"] or part["day_after"], words)
        return f"{step}{named}{int(part['day'] or 0)} {words.months[part['month']]}{year}"
    if part["month2"]:
        step = "" if year else _step_of(part["month_step"] or part["month_after"], words)
        return f"{step}{words.months[part['month2']]}{year}"
    if part["word"]:
        return words.days[part["word"]]
    if part["ago"] or part["ago2"]:
        count, unit = part["count"] or part["count2"], part["unit"] or part["unit2"]
        return f"{words.numbers.get(count or '', count)} {words.units[unit or '']}s ago"
    step = words.steps.get(part["before"] or part["after"] or "", "")
    what = words.units.get(part["what"] or "") or words.weekdays.get(part["what"] or "", "")
    if part["bare"]:
        return part["bare"]
    return f"{step} {what}".strip() if step or part["what"] in words.weekdays else ""


@cache
def _words(language: str) -> _Words:
    dates, own = SHARED.read("dates", language), LEXICONS.read("stated_dates", language)
    named = {**number_of(dates.listed("months")), **dates.table("short_months")}
    months = {plain(name): _MONTHS[number - 1] for name, number in named.items()}
    weekdays = {plain(name): _WEEKDAYS[n - 1] for name, n in number_of(dates.listed("weekdays")).items()}
    weekdays |= {name.removesuffix("-feira"): day for name, day in weekdays.items()}
    steps, units, days = (_plain_table(own.table(key)) for key in ("steps", "units", "days"))
    since, articles = (frozenset(plain(word) for word in own.listed(key)) for key in ("since", "articles"))
    numbers = {plain(word): str(value) for word, value in dates.table("numbers").items()}
    parts = frozenset(plain(word) for word in own.listed("morning_too"))
    before = re.compile(rf"(?<!\w)(?:{word_expression(own.listed('before_morning'))})\s$")
    after = re.compile(rf"\s(?:{word_expression(dates.listed('of'))})\s(?:{word_expression(months)}|{_YEAR})")
    return _Words(
        months, weekdays, numbers, steps, units, days, since, articles, parts, _grammar(language), before, after
    )


def _plain_table(table: dict[str, str]) -> dict[str, str]:
    return {plain(word): value for word, value in table.items()}


@cache
def _grammar(language: str) -> re.Pattern[str]:
    dates, own = SHARED.read("dates", language), LEXICONS.read("stated_dates", language)

    def any_of(*words: str) -> str:
        return word_expression(words)

    def step_before(name: str) -> str:
        return rf"(?:(?P<{name}>{step})\s)?"

    month = any_of(*dates.listed("months"), *dates.table("short_months"))
    weekdays = [short for day in dates.listed("weekdays") for short in (day, day.removesuffix("-feira"))]
    weekday, step, unit = any_of(*weekdays), any_of(*own.table("steps")), any_of(*own.table("units"))
    count = rf"\d{{1,3}}|{any_of(*dates.table('numbers'))}"
    of = rf"(?:(?:{any_of(*dates.listed('of'), *own.listed('articles'))})\s)?"
    edge = rf"(?:(?P<edge>{any_of(*own.listed('ends_of'), *own.listed('begins_of'))})\s{of})?"
    ordinal = rf"(?:{any_of(*dates.listed('ordinals'))})?"
    year = rf",?\s{of}(?P<year>{_YEAR_BESIDE})"
    led = rf"(?:{any_of(*dates.listed('before_a_month'), *own.listed('ends_of'), *own.listed('begins_of'))})[ -]"
    # "martes de 18 a 20" are hours, and "martes 18 a 20 de junio" are days.
    ranging = any_of("-", "–", *own.listed("toward"), *own.listed("until"))
    hours = rf"(?:\s?(?:{ranging})\s?\d{{1,2}}(?!\d|{ordinal}\s{of}(?:{month})))"
    clock = any_of("h", *SHARED.read("values", language).listed("clock_after"))
    no_day = rf"[.:/]?\d|\s?(?:(?:{clock})(?![a-z])|[%€$])|\s{unit}|{hours}"
    part_of_day = rf"(?:\s(?:{any_of(*own.listed('parts_of_day'))}))?"  # "heute morgen" is no tomorrow
    named = rf"(?:(?P<named>{weekday}),?\s{of})?"
    day_after, month_after = (rf"\s(?P<{name}>{step})(?!\s(?:{unit}))" for name in ("day_after", "month_after"))
    before, after = any_of(*own.listed("ago_before")), any_of(*own.listed("ago_after"))
    forms = (
        r"(?P<iso>\d{4}-\d\d-\d\d)",
        rf"(?:(?:{weekday}),?\s{of})?(?P<dotted>\d{{1,2}}[./]\d{{1,2}}(?:[./](?:{_YEAR}|\d\d)|\.))(?!\d)",
        rf"(?:{weekday}),?\s{of}(?P<slashed>\d{{1,2}}/\d{{1,2}})(?![\d/])",
        rf"{step_before('day_step')}{named}(?P<day>\d{{1,2}}){ordinal}\s{of}(?P<month>{month})(?:{year}|{day_after})?",
        rf"(?:(?:{step})\s)?(?P<day_name>{weekday}),?\s{of}(?P<number>\d{{1,2}})(?!{no_day})",
        rf"{step_before('month_step')}(?P<lead>{led})?(?P<month2>{month})(?:\s{of}(?P<year2>{_YEAR_BESIDE})|{month_after})?",
        rf"(?P<word>{any_of(*own.table('days'))}){part_of_day}",
        rf"(?P<ago>{before})\s(?P<count>{count})\s(?P<unit>{unit})",
        rf"(?P<count2>{count})\s(?P<unit2>{unit})\s(?P<ago2>{after})",
        rf"(?:(?P<before>{step})\s)?(?P<what>{weekday}|{unit})(?:\s(?P<after>{step}))?{part_of_day}",
        rf"(?P<bare>{_YEAR})(?!\s?\w)",
    )
    marker = rf"(?:(?:(?P<from>{any_of(*own.listed('from'))})|(?P<until>{any_of(*own.listed('until'))})"
    marker += rf"|(?P<to>{any_of(*own.listed('toward'))})|(?P<for>{any_of(*own.listed('appointed'))}))(?:\s|(?<=')))?"
    lead = rf"(?<![\w.,]){marker}{of}{edge}"
    return re.compile(rf"{lead}(?P<date>{'|'.join(f'(?:{form})' for form in forms)})(?!\w)")
