"""What a question asks for: a person, a time, a place, a number, a reason or a thing; a list; yes or no."""

import re
from functools import cache

from brain_retrieval.query.analysis.grammar import QUESTIONS, expression, has, pattern, raw_pattern, words
from brain_retrieval.query.analysis.question import Wants

_BY_WORD: dict[str, Wants] = {"how_many": "number", "why": "reason", "when": "time", "where": "place", "who": "person"}
_BY_NOUN: dict[str, Wants] = {
    "person_nouns": "person",
    "place_nouns": "place",
    "time_nouns": "time",
    "number_nouns": "number",
    "reason_nouns": "reason",
}
_BY_HEAD: dict[str, Wants] = {"time_heads": "time", "number_heads": "number"}
MOST_REQUESTS = 3
NOUN_WITHIN = 60  # characters after "which" or "what is the"


def without_request(text: str, language: str) -> str:
    """Return plain `text` without what only makes it polite: "can you tell me where …" is "where …"."""
    polite = pattern("requests", language)
    for _ in range(MOST_REQUESTS):
        text = text.lstrip(" ¿¡\"'-,.:")
        if not (match := polite.match(text)):
            break
        text = text[match.end() :]
    return text


def wants(asked: str, language: str, *, yes_no: bool) -> Wants:
    """Return what the question `asked`, of `without_request`, asks for."""
    if yes_no:
        return "thing"
    found = [(match.start(), -match.end(), kind) for kind, match in _interrogatives(asked, language)]
    first = min(found)[2] if found else "what"
    if first in _BY_WORD:
        return _BY_WORD[first]
    if has("number_verbs", asked, language):  # "what does it cost", "was kostet das"
        return "number"
    return _by_noun(asked[-min(found)[1] :] if found else asked, language)


def _interrogatives(asked: str, language: str) -> list[tuple[str, re.Match[str]]]:
    kinds = (*_BY_WORD, "what")
    return [(kind, match) for kind in kinds if (match := pattern(kind, language).search(asked))]


def _by_noun(rest: str, language: str) -> Wants:
    near = rest[:NOUN_WITHIN]
    if stop := pattern("noun_stops", language).search(near):
        near = near[: stop.start()]
    found = [(match.start(), -match.end(), key) for key in _BY_NOUN if (match := pattern(key, language).search(near))]
    if found:
        return _BY_NOUN[_head(sorted(found))]
    headed: list[Wants] = [kind for key, kind in _BY_HEAD.items() if _headed(key, language).search(near)]
    return headed[0] if headed else "thing"


@cache
def _headed(key: str, language: str) -> re.Pattern[str]:
    """Return a pattern for compounds with one of the heads of `key`: "Abgabetermin" is a day."""
    return re.compile(rf"\w(?:{expression(language, QUESTIONS, key)})(?!\w)")


def _head(found: list[tuple[int, int, str]]) -> str:
    """Return the key of the first of some nouns, or of the one right behind it: a day rate is a rate.

    Args:
        found: start, negative end and key of each, sorted.
    """
    (_, end, key), *others = found
    for start, behind, other in others:
        if start == 1 - end:
            end, key = behind, other
    return key


def asks_list(asked: str, language: str) -> bool:
    """Return whether a list or a count is asked for."""
    if has("lists", asked, language):
        return True
    return raw_pattern("plural", language).search(asked) is not None and not has("no_list", asked, language)


def is_yes_no(asked: str, language: str) -> bool:
    """Return whether the question can be answered by yes or no.

    Languages that begin such a question with the verb list those; in others it is one without an interrogative.
    """
    if has("or", asked, language) and has("degrees", asked, language):
        return False
    starts = words("yes_no", language)
    if starts:
        return _starts(language).match(asked) is not None
    is_open = _interrogatives(asked, language) or has("lists", asked, language) or has("explores", asked, language)
    return asked.rstrip().endswith("?") and not is_open and not _begins_with_noun(asked, language)


def _begins_with_noun(asked: str, language: str) -> bool:
    """Return whether a question is put as a topic: "loyer ?", "sueldo de Ana?"."""
    return any(pattern(key, language).match(asked.lstrip(" ¿")) for key in _BY_NOUN)


@cache
def _starts(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{expression(language, QUESTIONS, 'yes_no')})(?!\w)")
