"""Words of claims and of statements: tokens, families of words with their opposites, and clauses with their denials.

A family is a key of `opposites.toml`: "increase" holds what says that there is more, "increase_not" that there is
less. A mention has the sign +1 or -1.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from brain_retrieval.evidence.kinds_of_words import base_form
from brain_retrieval.evidence.lexicons import CLAIMS, LEXICONS, OPPOSITES, known, listed, pattern
from brain_retrieval.language.lexicon import ENGLISH, alternatives
from brain_retrieval.language.negation import negation, not_denials
from brain_retrieval.language.plain import lowered, plain
from brain_retrieval.language.stop_words import function_words

NOT, NONE = "_not", "none"
_TOKEN = re.compile(r"[^\W_]{1,40}(?:['’][^\W_]{1,3})?")
_REPLY = re.compile(r"[^\w]{0,5}(\w{1,10})\s?[,!.;–—-]")
_BREAK = re.compile(r"[,;:()]\s|\s[—–-]\s")
MOST_TOKENS = 400


class Token(NamedTuple):
    """A word at characters `start` to `end`; `form` is what it is compared by."""

    text: str
    low: str
    form: str
    start: int
    end: int

    @property
    def is_capital(self) -> bool:
        return self.text[:1].isupper()


class Mention(NamedTuple):
    """A word of a family at characters `start` to `end`, with sign -1 if it is of the opposite."""

    family: str
    sign: int
    start: int
    end: int


class Clause(NamedTuple):
    """Characters `start` to `end` of a sentence, and whether they are denied."""

    start: int
    end: int
    denied: bool


def tokens_of(text: str) -> list[Token]:
    """Return the words of a text; at most 400.

    >>> [token.form for token in tokens_of("Bob's flats")]
    ["bob", "flat"]
    """
    found = []
    for match in _TOKEN.finditer(text):
        low = lowered(match.group())
        found.append(Token(match.group(), low, form_of(low), match.start(), match.end()))
        if len(found) == MOST_TOKENS:
            break
    return found


@lru_cache(maxsize=1 << 16)
def form_of(low: str) -> str:
    """Return a lowered word without its genitive and inflection."""
    bare = low[:-2] if low.endswith(("'s", "’s")) else low
    return base_form(plain(bare))


@lru_cache(maxsize=1 << 12)
def mentions_in(text: str, language: str | None = None) -> tuple[Mention, ...]:
    """Return the words of families in a text, the longest entries first where they overlap, in their order."""
    entries, longest = _entries(_with_opposites(language))
    tokens = tokens_of(text)
    found: list[Mention] = []
    place = 0
    while place < len(tokens):
        for length in range(min(longest, len(tokens) - place), 0, -1):
            here = tokens[place : place + length]
            of = entries.get(tuple(token.low for token in here)) or entries.get(tuple(token.form for token in here))
            if of is not None:
                found += [Mention(*family, here[0].start, here[-1].end) for family in of if family[0] != NONE]
                place += length
                break
        else:
            place += 1
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def clauses_of(text: str, language: str | None = None) -> tuple[Clause, ...]:
    """Return the clauses of a sentence, each with whether an odd number of denials stands in it."""
    own = known(language)
    low = lowered(text)
    cuts = {match.end() for match in _BREAK.finditer(low)}
    cuts |= {match.start() for match in pattern("clause_breaks", own).finditer(low)}
    edges = sorted({0, len(text), *(cut for cut in cuts if 0 < cut < len(text))})
    spans = [(start, end) for start, end in pairwise(edges) if text[start:end].strip()]
    denied = denials_of(text, language)
    return tuple(Clause(a, b, sum(a <= place < b for place in denied) % 2 == 1) for a, b in spans)


def denials_of(text: str, language: str | None = None, *, claimed: bool = False) -> list[int]:
    """Return where a text denies: words of negation, without "not only" and a first "No,", and what says that it ended.

    "used to" denies in a source, which speaks of now, but not where it is `claimed`.
    """
    low = lowered(text)
    quiet = not_denials(language).sub(lambda match: " " * len(match.group()), low)
    places = _once(
        [(match.start(), match.group()) for match in negation(language, absence=True).finditer(quiet)], language
    )
    over = ("ended",) if claimed else ("ended", "was")
    ended = [match.span() for key in over for match in pattern(key, known(language)).finditer(quiet)]
    inside = [*ended, *((mention.start, mention.end) for mention in mentions_in(text, language))]
    quiet_keys = ("refutations", "at_least", "at_most")  # "no more than 40" denies nothing
    inside += [match.span() for key in quiet_keys for match in pattern(key, known(language)).finditer(quiet)]
    if (reply := _REPLY.match(low)) and reply[1] in listed("replies", known(language)):
        inside.append(reply.span())
    places = [place for place in places if not any(start <= place < end for start, end in inside)]
    return sorted([*places, *(start for start, _ in ended)])


def _once(found: Sequence[tuple[int, str]], language: str | None) -> list[int]:
    """Return the places of denials, of "neither … nor" the first alone."""
    second = listed("second_denial", known(language))
    return [place for number, (place, word) in enumerate(found) if not (number and word in second)]


@lru_cache(maxsize=1 << 14)
def opposite_by_prefix(one: str, other: str, language: str = ENGLISH) -> bool:
    """Return whether two word forms differ by a prefix of denial alone: "effectiv" and "ineffectiv"."""
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in listed("prefixes", language))


def without_lack(text: str, language: str | None) -> str:
    """Return a text in which what is lacking is denied in plain words: "lacks" as "has no"."""
    return _lacking(known(language)).sub(lambda match: _lack_of(known(language))[match.group().lower()], text)


@cache
def _lack_of(language: str) -> dict[str, str]:
    return {long.lower(): str(short) for long, short in LEXICONS.read(CLAIMS, language).table("lacking").items()}


@cache
def _lacking(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w)(?:{alternatives(_lack_of(language))})(?!\w)")


def content_forms(tokens: Sequence[Token], language: str | None) -> list[Token]:
    """Return the tokens that carry content: no function words, no single letters."""
    stop = _stop(language)
    loud = all(token.text.isupper() for token in tokens)  # a text in capitals
    return [
        token
        for token in tokens
        if (token.low not in stop or (len(token.low) > 1 and token.text.isupper() and not loud))  # "US" is no "us"
        and (len(token.low) > 1 or token.low.isdecimal())
    ]


@cache
def _stop(language: str | None) -> frozenset[str]:
    own = function_words(language) or function_words(ENGLISH)
    return frozenset(lowered(word) for word in own)


def _with_opposites(language: str | None) -> str:
    return known(language) if LEXICONS.has(OPPOSITES, known(language)) else ENGLISH


@cache
def _entries(language: str) -> tuple[dict[tuple[str, ...], tuple[tuple[str, int], ...]], int]:
    """Return families and signs by the forms of an entry, and the number of words of the longest one."""
    lexicon = LEXICONS.read(OPPOSITES, language)
    entries: dict[tuple[str, ...], tuple[tuple[str, int], ...]] = {}
    for key in lexicon.keys:
        family = (key.removesuffix(NOT), -1 if key.endswith(NOT) else 1)
        for entry in lexicon.listed(key):
            tokens = tokens_of(entry)
            for forms in {tuple(token.low for token in tokens), tuple(token.form for token in tokens)}:
                known_as = entries.get(forms, ())
                if not any(other[0] == family[0] for other in known_as):
                    entries[forms] = (*known_as, family)
    return entries, max(map(len, entries), default=1)
