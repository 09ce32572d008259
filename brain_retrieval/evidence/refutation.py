"""What a sentence calls false, with its scope: "Although there is no evidence that X, Y" says nothing against Y."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from brain_retrieval.evidence.lexicons import known, listed, pattern
from brain_retrieval.evidence.words import Clause, content_forms, tokens_of
from brain_retrieval.language.plain import lowered

Refutation = Literal["none", "sure", "unclear"]
_COMMA = re.compile(r",\s")
_END = re.compile(r"[;:!?.]\s|\s[—–-]\s")


class Scope(NamedTuple):
    """Characters `start` to `end` of a text that are called false; not `sure`: perhaps they are."""

    start: int
    end: int
    sure: bool = True


def refutation_of(text: str, language: str | None, place: Clause | None) -> Refutation:
    """Return whether a sentence calls what one of its clauses says false; without a clause, whether any of it."""
    scopes = refuted_scopes(text, language)
    here = [one.sure for one in scopes if place is None or one.start <= place.start < one.end]
    return "none" if not here else "sure" if any(here) else "unclear"


@lru_cache(maxsize=1 << 12)
def refuted_scopes(text: str, language: str | None) -> tuple[Scope, ...]:
    """Return what a text calls false: the part of the sentence in which it does so, as far as that goes.

    A part ends at a word of contrast, a semicolon, a dash or a colon. One that says nothing else ("but that is not
    true", "Myth: …") is about the part before it, or else the one behind. A part that is opened by a concession
    ends at its comma; behind a comma of another one it is not clear whether it goes on.
    """
    own, low = known(language), lowered(text)
    found = [match.span() for match in pattern("refutations", own).finditer(low)]
    if not found:
        return ()
    parts, scopes = _parts(low, own), list[Scope]()
    for start, end in found:
        here = next(number for number, part in enumerate(parts) if part[0] <= start < part[1])
        begin, stop = parts[here]
        if not _says_more(text, begin, stop, found, own):
            if here:
                scopes.append(Scope(parts[here - 1][0], stop))
            else:
                scopes.append(Scope(begin, parts[min(here + 1, len(parts) - 1)][1]))
        else:
            scopes += _up_to_commas(text, (begin, stop), end, found, own)
    return tuple(dict.fromkeys(scopes))


def _up_to_commas(
    text: str, part: tuple[int, int], behind: int, found: list[tuple[int, int]], language: str
) -> list[Scope]:
    """Return a part up to its first comma as refuted, and what follows as perhaps refuted.

    A comma before "that", or one before which nothing is said yet, ends nothing. What a concession opens ends at the
    last comma at the latest.
    """
    begin, stop = part
    opened = pattern("concessive", language).match(lowered(text), begin) is not None
    commas = [
        match.end()
        for match in _COMMA.finditer(text, behind, stop)
        if not _goes_on(text, match.end(), language) and _says_more(text, begin, match.start(), found, language)
    ]
    if not commas:
        return [Scope(begin, stop)]
    last = commas[-1] if opened else stop
    return [Scope(begin, commas[0]), *([Scope(commas[0], last, sure=False)] if commas[0] < last else [])]


def _parts(low: str, language: str) -> list[tuple[int, int]]:
    """Return the parts of a sentence between words of contrast and concession, semicolons, colons and dashes."""
    cuts = {match.end() for match in _END.finditer(low)}
    cuts |= {match.start() for key in ("contrasting", "concessive") for match in pattern(key, language).finditer(low)}
    edges = [0, *sorted(cut for cut in cuts if 0 < cut < len(low)), len(low)]
    return list(pairwise(edges))


def _goes_on(text: str, place: int, language: str) -> bool:
    """Return whether "that" stands at a place: German puts a comma before it."""
    first = next(iter(tokens_of(text[place : place + 40])), None)
    return first is not None and first.low in listed("that", language)


def _says_more(text: str, start: int, end: int, found: list[tuple[int, int]], language: str) -> bool:
    """Return whether a part has words of content beside those that call something false."""
    tokens = [token for token in tokens_of(text[start:end]) if not any(a <= token.start + start < b for a, b in found)]
    quiet = listed("copulas", language) | listed("claimed", language)
    return any(token.low not in quiet for token in content_forms(tokens, language))
