"""Recognisers of dates of birth and street addresses, by words of eight languages."""

import re
from collections.abc import Iterator
from functools import cache

from brain_pipelines.landing.redaction.cues import ends_of, lowered, word_set, words_of
from brain_pipelines.landing.redaction.found import Found
from brain_retrieval.language.lexicon import alternatives

_DATE = re.compile(
    r"(?P<gap>[^\d\n]{0,30}?)(?P<date>"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
    r"|\d{1,2}(?:st|nd|rd|th|er|º|°|\.)?(?: de| of)? [^\W\d_]{3,12}\.?(?: de|,)? \d{4}"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?!\w|[.,/-]\d)"
)
_NAME = r"[A-ZÀ-ÖØ-ÞŁŚŻŹĆŃ][\w'’.]{0,24}"
_ROOM = r"(?:,? ?(?:#|(?:{rooms})\.?) ?\w{{1,6}}|,? ?\d{{1,2}} ?[º°ª](?: ?[A-Z](?!\w))?)?"
_TOWN = (
    r"(?:,? (?:[A-Z]{1,2}-)?(?:\d{4,5}(?:-\d{3,4})?|\d{2}-\d{3})(?: [A-Z]{2}(?= [A-Z]))?"
    rf"(?: {_NAME}){{1,3}}"
    rf"|,(?: {_NAME}){{1,3}},? (?:[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}|[A-Z]{{2}} \d{{5}}(?:-\d{{4}})?)(?!\w))?"
)
_NUMBER = re.compile(
    r"\d(?<![\w.,:/-]\d)\d{0,3}(?:[/-]\d{1,4}|-?[A-Za-z](?!\w)|-[IVX]{1,4}(?!\w))?(?![\w%€$]|[.,:/]\d)"
)
_TOKEN = re.compile(r"[^\W\d_][\w'’/-]{0,30}\.?|c/")
REACH = 60  # characters before a house number in which its street stands


def find_births(text: str) -> Iterator[Found]:
    """Yield the dates that follow a word such as "born"."""
    for end, word in ends_of(lowered(text), words_of("birth"), inside=1000):
        if text[end - len(word) : end].isupper() and word == "nato":
            continue
        match = _DATE.match(text, end)
        if match and ". " not in match["gap"][3:]:
            yield Found(match.start("date"), match.end("date"), "BIRTH_DATE", match["date"].lower())


def find_streets(text: str) -> Iterator[Found]:
    """Yield street addresses and post boxes."""
    for pattern in _number_first():
        for match in pattern.finditer(text):
            yield _found(text, match.start(), match.end())
    tail = _tail()
    for match in _NUMBER.finditer(text):
        start = _street_before(text, match.start())
        if start is not None:
            after = tail.match(text, match.end())
            yield _found(text, start, after.end() if after else match.end())
    for match in _boxes().finditer(text):
        yield _found(text, match.start(), match.end())


def _found(text: str, start: int, end: int) -> Found:
    end -= len(text[start:end]) - len(text[start:end].rstrip(" ,."))
    return Found(start, end, "ADDRESS", " ".join(text[start:end].lower().replace(",", " ").split()))


def _street_before(text: str, position: int) -> int | None:
    """Return where the name of a street starts that ends before a house number at `position`, else None."""
    begin = max(0, position - REACH)
    before = text[begin:position]
    joint = before[len(before.rstrip(" ,")) :]
    if joint not in (" ", ", ", ","):
        return None
    line = before.rpartition("\n")[2]
    begin += len(before) - len(line)
    tokens = list(_TOKEN.finditer(line.rstrip(" ,")))
    if not tokens or tokens[-1].end() != len(line.rstrip(" ,")):
        return None
    if _is_compound(tokens[-1][0]):
        return begin + tokens[-1].start()
    types, particles = word_set("streets_before"), word_set("particles")
    named = False
    for token in reversed(tokens[-6:]):
        word = token[0]
        if named and word.lower() in types:
            return begin + token.start() if word[0].isupper() or _is_street(line[: token.start()], word) else None
        if word[0].isupper():
            named = True
        elif word.lower().rstrip("'’") not in particles:
            return None
    return None


def _is_street(before: str, word: str) -> bool:
    """Return whether a word in lower case names the kind of a street and is no other language's preposition."""
    last = before.split()[-1:]
    return word not in word_set("streets_ambiguous") or (last != [] and last[0] in word_set("street_prepositions"))


@cache
def _endings() -> tuple[str, ...]:
    return words_of("street_endings")


def _is_compound(word: str) -> bool:
    """Return whether a word is the name of a street in one word, as "Lindenstraße" and "Keizersgracht"."""
    low = word.lower().rstrip(".")
    ending = next((e for e in _endings() if low.endswith(e)), None)
    return ending is not None and word[0].isupper() and len(low) >= len(ending) + 3


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(_ROOM.format(rooms=alternatives(words_of("rooms"))) + _TOWN)


@cache
def _number_first() -> tuple[re.Pattern[str], ...]:
    """Return the expressions of "221B Baker Street" and "12 rue des Lilas"."""
    tail = _ROOM.format(rooms="(?i:" + alternatives(words_of("rooms")) + ")") + _TOWN
    after, first = alternatives(words_of("streets_after")), alternatives(words_of("streets_number_first"))
    particles = alternatives(words_of("particles"))
    house = r"\d(?<![\w.,:/$€£-]\d)\d{0,4}"
    return (
        re.compile(
            rf"{house}(?:-\d{{1,4}}|[A-Za-z])? (?:[NSEW]\.? )?(?:{_NAME} ){{1,3}}(?:{after})\.?"
            r"(?: [NSEW]{1,2}\b)?(?![\w'’-])" + tail
        ),
        re.compile(
            rf"{house}(?: ?(?:bis|ter|quater|[A-D]))?,? (?i:{first})(?: (?:{particles})(?![\w])['’]?){{0,3}} ?{_NAME}"
            rf"(?:[ -]{_NAME}){{0,3}}" + tail
        ),
    )


@cache
def _boxes() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?i:{alternatives(words_of('boxes'))}) \d{{1,6}}(?!\w)" + _TOWN)
