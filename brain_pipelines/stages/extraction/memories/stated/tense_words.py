"""The words by which `tenses.py` tells what has happened from what is to come, as patterns for each language."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import NOTHING, SHARED
from brain_retrieval.language.plain import lowered, word_expression, word_pattern


@cache
def intending() -> frozenset[str]:
    """Return the words before "to" and what is still to come: "agreed to meet"."""
    return LEXICONS.read("stated_dates").words("intending")


@cache
def planned() -> frozenset[str]:
    """Return the verbs whose participle is of what is to come: "expected in May"."""
    return LEXICONS.read("stated_dates").words("planned")


@cache
def tenses(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for forms of the past and of the future."""
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING), re.compile(NOTHING)
    own = LEXICONS.read("stated_dates", language)
    ranks = SHARED.read("values", language).listed("ranks") if SHARED.has("values", language) else ()
    forms = rf"(?!(?:{word_expression(ranks, lowered)})(?!\w))(?:{own.expression('past_forms')})"  # not "zweiten"
    past = rf"(?<!\w)(?:{word_expression(own.listed('past'), lowered)}|{forms})(?!\w)"
    future = rf"(?<!\w)(?:{word_expression(own.listed('future'), lowered)})(?!\w)"
    return re.compile(past), re.compile(future)


@cache
def leading(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for words before a date by which what they name is to come, or is past."""
    coming, gone, compared = (word_expression(listed(key, language), lowered) for key in ("coming", "gone", "compared"))
    unlike = "".join(rf"(?<!\b{word}\s)" for word in compared.split("|"))
    return re.compile(rf"{unlike}(?<!\w)(?:{coming})(?!\w)"), re.compile(rf"(?<!\w)(?:{gone})(?!\w)")


@cache
def before_now(language: str) -> re.Pattern[str]:
    """Return a pattern for "was" alone before a day that another one has replaced."""
    return re.compile(rf"[.,;:!?(]\s{{1,3}}(?:{word_expression(listed('before_now', language), lowered)})\s{{0,3}}\Z")


@cache
def reported_plan(language: str) -> re.Pattern[str]:
    """Return a pattern for a plan that is reported: "said that she was moving"."""
    said, planned = (word_expression(listed(key, language), lowered) for key in ("reporting", "reported_plans"))
    if not listed("reporting", language):
        return re.compile(NOTHING)
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)[^.;!?]{{1,60}}?(?<!\w)(?:{planned})(?!\w)")


@cache
def from_then(language: str) -> re.Pattern[str]:
    """Return a pattern for the end of a text before a day from which something begins to hold: "ab", "à partir de"."""
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    return re.compile(rf"(?<!\w)(?:{word_expression(listed('from_then', language), lowered)})\s?\Z")


@cache
def by_now(language: str) -> re.Pattern[str]:
    """Return a pattern for the words right before the day that has come in place of another one."""
    return re.compile(rf"(?<!\w)(?:{word_expression(listed('by_now', language), lowered)})\s*\Z")


@cache
def may_begin(language: str) -> re.Pattern[str]:
    """Return a pattern for the words right before a day since which, or from which, something is so."""
    words = (word_expression(listed(key, language), lowered) for key in ("since_or_from", "articles"))
    return re.compile(rf"(?<!\w)(?:{next(words)})\s*(?:(?:{next(words)})\s*)?\Z")


@cache
def has_end(language: str) -> re.Pattern[str]:
    """Return a pattern for what stands between the day from which something is moved and its new day."""
    return re.compile(rf"\s(?:{word_expression(listed('toward', language), lowered)})\s")


@cache
def settled(language: str) -> re.Pattern[str]:
    """Return a pattern for what is arranged: a participle beside a verb of the present, "ist gebucht"."""
    arranged, present = (word_expression(listed(key, language), lowered) for key in ("settled", "settled_by"))
    return re.compile(rf"(?<!\w)(?:{present})\s(?:\w{{1,12}}\s){{0,3}}(?:{arranged})(?!\w)(?!\s(?:worden|gewesen))")


@cache
def hoped(language: str) -> re.Pattern[str]:
    """Return a pattern for words by which what has no verb is to come."""
    return word_pattern(listed("hoped", language))


@cache
def lasting(language: str) -> re.Pattern[str]:
    """Return a pattern for the past of verbs of what lasts."""
    return word_pattern(listed("lasting", language))


@cache
def settling(language: str) -> re.Pattern[str]:
    """Return a pattern for the past of verbs by which people settle on a day that is to come."""
    return word_pattern(listed("settling", language))


@cache
def agreed(language: str) -> re.Pattern[str]:
    """Return a pattern for what people have agreed to do, which is to come: "combinado decidir"; none of English."""
    if not listed("infinitives", language):
        return re.compile(NOTHING)
    forms = LEXICONS.read("stated_dates", language).expression("infinitives")
    verbs = word_expression(listed("settling", language), lowered)
    return re.compile(rf"(?<!\w)(?:{verbs})(?!\w)(?:\s\w{{1,10}})?\s(?:{forms})(?!\w)")


@cache
def reported(language: str) -> re.Pattern[str]:
    """Return a pattern for the words up to what is reported: "disseram que"."""
    said, that = (word_expression(listed(key, language), lowered) for key in ("reporting", "that"))
    if not listed("that", language):
        return re.compile(NOTHING)
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)[^.,;:!?]{{0,30}}?\s(?:{that})(?!\w)")


@cache
def enrolling(language: str) -> re.Pattern[str]:
    """Return a pattern for what leads to a day on which one will take part: "signed up for"."""
    return word_pattern(listed("enrolling", language))


@cache
def present(language: str) -> re.Pattern[str]:
    """Return a pattern for the present of the verbs that tell when something is."""
    return word_pattern(listed("present", language))


@cache
def joining(language: str) -> re.Pattern[str]:
    """Return a pattern for the conjunctions between two clauses of one subject: "und", "et"."""
    return word_pattern(
        LEXICONS.read("rewriting", language).listed("conjunctions") if LEXICONS.has("rewriting", language) else ()
    )


def listed(key: str, language: str) -> tuple[str, ...]:
    """Return the words of one key, none for a language without a list."""
    return LEXICONS.read("stated_dates", language).listed(key) if LEXICONS.has("stated_dates", language) else ()
