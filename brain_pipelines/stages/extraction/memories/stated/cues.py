"""Cues of change: whether a sentence says that something is no longer as it was."""

import re
from collections.abc import Iterator
from functools import cache
from re import Pattern

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.lexicon import ENGLISH, NOTHING, SHARED, code_of
from brain_retrieval.language.negation import not_denials
from brain_retrieval.language.plain import lowered, word_expression, word_pattern
from brain_retrieval.language.stance import says_steady

_COMPOUND = re.compile(r"-[^\W\d_]")
_PARTS = re.compile(r"[,;:](?=\s)")
_NEAR = 32  # characters before a cue in which a denial of it stands
_TITLED = re.compile(r"(?<![^\s(])[A-Z][a-z]{2,24} (?P<last>[A-Z][a-z]{2,24})\b")

STRONG, WEAK, NONE = "strong", "weak", "none"


def read_cue(sentence: Sentence, *, recurs: bool = False) -> str:
    """Return "strong", "weak" or "none"; what a sentence says to be still so is no change.

    `recurs` is whether it is about a weekday of every week.
    """
    language = sentence.language or ENGLISH
    text = _pattern("no_change", language).sub(_blank, lowered(_without_titles(sentence)))
    strong, weak = (_pattern(key, language) for key in ("strong", "weak"))
    found = [match for match in _said(strong, text) if not _is_denied(text, match, language)]
    said = [match.group() for match in found if not _at_hour(language).match(text, match.start())]
    if recurs:  # "shut on Wednesdays": hours, and no change
        said = [cue for cue in said if not _hours(language).fullmatch(cue)]
    if said and not (says_steady(text, language) and all(map(_pattern("refuting", language).fullmatch, said))):
        return STRONG
    if _puts_right(language).search(text):
        return STRONG
    parts = [part for part in _PARTS.split(text) if not says_steady(part, language)]  # "900 now, the deposit stays"
    now = (not _is_denied(part, match, language) for part in parts for match in _said(weak, part))
    return WEAK if any(now) else NONE


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _said(cue: Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield where a text has a cue that is no part of a compound or a name: "left-wing", "Performance.Now()"."""
    return (
        match for match in cue.finditer(text) if not _COMPOUND.match(text, match.end()) and not _is_named(text, match)
    )


def _is_named(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].endswith(".") and text[match.start() - 2 : match.start() - 1].isalnum()


def _is_denied(text: str, cue: re.Match[str], language: str) -> bool:
    """Return whether what a cue says has not happened: "it hasn't changed", "er hört nicht auf", "no increase"."""
    start = cue.start()
    if not _pattern("strong", language, parted=False).fullmatch(cue.group()):
        inside = (match.start() > start for match in _denying(language).finditer(text, start, cue.end()))
        if any(inside):
            return True
    behind = _denied_behind(language).match(text, cue.end())
    if behind and not not_denials(language).match(text, cue.end() + 1):
        return True
    return _denials(language).search(text, max(0, start - _NEAR), start) is not None


def is_correction(sentence: Sentence) -> bool:
    """Return whether a sentence only puts right what was said before: "misread the card, it's the 19th"."""
    text, language = lowered(_without_titles(sentence)), sentence.language or ENGLISH
    said = [match.group() for match in _said(_pattern("strong", language), text)]
    refuting = _pattern("refuting", language)
    return bool(said) and all(map(refuting.fullmatch, said)) or _puts_right(language).search(text) is not None


def _without_titles(sentence: Sentence) -> str:
    """Return the text without capitalised words behind others: "Sheffield Transformed" changes nothing."""
    if code_of(sentence.language) != ENGLISH:
        return sentence.text  # German writes its nouns like this
    return _TITLED.sub(lambda match: match.group().replace(match["last"], "_" * len(match["last"])), sentence.text)


def is_steady(sentence: Sentence) -> bool:
    """Return whether a sentence says that something is as it was."""
    return says_steady(lowered(sentence.text), sentence.language or ENGLISH)


@cache
def _denials(language: str) -> Pattern[str]:
    """Return a pattern for a denial right before a verb, or before its helping verb."""
    if not SHARED.has("negation", language):
        return re.compile(NOTHING)
    words = SHARED.read("negation", language)
    denying = "|".join(map(re.escape, (*words.listed("adverbs"), *words.listed("pronouns"))))
    endings = "|".join(map(re.escape, words.listed("endings"))) or NOTHING
    none = "|".join(map(re.escape, words.listed("determiners"))) or NOTHING
    helping = word_expression(LEXICONS.read("changes", _known(language)).listed("helping"), lowered)
    before_verb = rf"(?:(?<!\w)(?:{denying})|(?:{endings}))\s(?:(?:{helping})\s){{0,2}}"
    return re.compile(rf"(?:{before_verb}|(?<!\w)(?:{none})\s)$")


@cache
def _denying(language: str) -> Pattern[str]:
    """Return a pattern for a word that denies, inside a cue of two parts: "hört nicht auf"."""
    if not SHARED.has("negation", language):
        return re.compile(NOTHING)
    words = SHARED.read("negation", language)
    return word_pattern([*words.listed("adverbs"), *words.listed("determiners")])


@cache
def _denied_behind(language: str) -> Pattern[str]:
    """Return a pattern for a denial right behind a verb: "steigt nicht", "ne ferme pas"."""
    own = LEXICONS.read("changes", _known(language)) if LEXICONS.has("changes", language) else None
    words = word_expression(own.listed("denied_behind"), lowered) if own else NOTHING
    return re.compile(rf"\s(?:{words})(?!\w)")


@cache
def _puts_right(language: str) -> Pattern[str]:
    """Return a pattern for a figure or a day beside one that is denied: "not 178 but 184", "Monday, not Tuesday"."""
    if not (LEXICONS.has("changes", language) and SHARED.has("negation", language) and SHARED.has("dates", language)):
        return re.compile(NOTHING)
    own, words, dates = (
        LEXICONS.read("changes", language),
        SHARED.read("negation", language),
        SHARED.read("dates", language),
    )
    days = word_expression([*dates.listed("weekdays"), *dates.listed("months")], lowered)
    stated = rf"[€$£]?(?:\d[\d.,:/]*|{days})(?!\w)"
    lead = r"(?:\w{1,6}\s){0,3}"
    endings = "|".join(map(re.escape, words.listed("endings"))) or NOTHING
    denying = word_expression(words.listed("adverbs"), lowered)
    denial = rf"(?:(?<!\w)(?:{denying})|(?:{endings}))\s"
    instead = word_expression(own.listed("but"), lowered)
    but = rf"{denial}{lead}{stated}[^.;:!?]{{0,24}}\s(?:{instead})\s{lead}{stated}"
    turned = rf"{stated}(?:\s\w{{1,12}})?,?\s(?:{word_expression(own.listed('and_not'), lowered)})\s{lead}{stated}"
    return re.compile(rf"{but}|(?<!\w){turned}")


@cache
def _hours(language: str) -> Pattern[str]:
    """Return a pattern for the words by which a language says when something is open."""
    known = language if SHARED.has("concepts", language) else ENGLISH
    return word_pattern(SHARED.read("concepts", known).listed("opening"))


@cache
def _at_hour(language: str) -> Pattern[str]:
    """Return a pattern for the hour at which something opens or closes every day: "closes at six", "fecha às 19"."""
    if not (LEXICONS.has("changes", language) and SHARED.has("concepts", language)):
        return re.compile(NOTHING)
    own = LEXICONS.read("changes", language)
    before = word_expression(own.listed("before_hours"), lowered)
    opening = word_expression(SHARED.read("concepts", language).listed("opening"), lowered)
    numbers = word_expression([*SHARED.read("dates", language).table("numbers"), *own.listed("hours")], lowered)
    return re.compile(rf"(?:{opening})\s(?:{before})\s?(?:\d|(?:{numbers})(?!\w))")


@cache
def _pattern(key: str, language: str, *, parted: bool = True) -> Pattern[str]:
    """Return a pattern for the words of a key; for none in a language without a list: "now", "left" are English.

    Without `parted` it leaves out expressions of two parts with words between them.
    """
    if not LEXICONS.has("changes", language):
        return re.compile(NOTHING)
    entries = LEXICONS.read("changes", language).listed(key)
    return word_pattern(entry for entry in entries if parted or " .. " not in entry)


def _known(language: str) -> str:
    return language if LEXICONS.has("changes", language) else ENGLISH
