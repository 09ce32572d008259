"""A sentence shortened to a headline of a few words, by its punctuation and word lists; None rather than a fragment.

A sentence is cut only before a word that begins another clause or phrase, never inside a name or a number.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_retrieval.language.lexicon import Lexicon, code_of

SUBJECT = "headlines"
MOST_WORDS = 9
LONG_WORDS = 13  # where nothing shorter is left
FEWEST_WORDS = 3
FEWEST_BEFORE_CUT = 4  # "Version 3, which …" is no headline
MOST_CHARS = 80, 100
LEAST_CLAUSE = 3  # words of a clause, with the one that begins it
_DOING = "ing"
# How a sentence became short enough, best first.
WHOLE, CLAUSE, PHRASE = 0, 1, 2

_BRACKETS = re.compile(r" ?(?:\[[^\[\]]{0,200}\]|\([^()]{0,200}\))")
_MARKS = re.compile(r"^[\s>*#\-–—•·]+|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")
_LABEL = re.compile(r"^(?:[^\W\d_][\w .'’-]{0,40}:|@\w[\w.-]{0,40}(?::|\s+[-–—]{1,2}))\s+")
_END = re.compile(r"[.!?…](?=\s|$)|[;:–—](?=\s)| - |\s?--\s?")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:(?:\w\.){0,4}\w|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|approx|ca|vs|z\.\s?B)$",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?://|www\.|\w@\w", re.IGNORECASE)
_TOKEN = re.compile(r"\S+")
_LISTED = re.compile(r"^\d+\.\d|\s[/|]\s|(?<!\w)@\w")  # a numbered heading, a line of several things


@dataclass(frozen=True)
class Headline:
    """A headline and how it was cut. `vague`: of "we", "I", "it", "them"; `habitual`: of what is always so."""

    text: str
    cut: int = WHOLE
    vague: bool = False
    habitual: bool = False


def headline(text: str, language: str | None, names: Collection[str] = (), most: int = MOST_WORDS) -> Headline | None:
    """Return a sentence as a headline of at most `most` words, None if it cannot be one.

    Args:
        text: a sentence readable on its own; dates in brackets and a leading "Speaker: " are left out.
        language: of the text; None means English. There are no headlines of languages without a lexicon.
        names: that are not cut.
        most: MOST_WORDS or LONG_WORDS.
    """
    if not LEXICONS.has(SUBJECT, language) or _LINK.search(text):
        return None
    words = _Words.of(code_of(language))
    bare = _LABEL.sub("", _BRACKETS.sub("", _MARKS.sub("", " ".join(text.split())))).strip()
    if text.rstrip(" \"'”»)]").endswith(("?", "？")) or _LISTED.search(bare):
        return None
    clause = words.without_times(words.without_second_clause(words.without_opening(_first_clause(bare))))
    named = frozenset(_key(word) for name in names for word in name.split())
    found = (made for cut, end in words.ends(clause, names) if (made := words.finished(clause[:end], cut, most)))
    return next((made for made in found if not words.only_names(made.text, named)), None)


def without_label(text: str) -> str:
    """Return a text without "Speaker: " in front."""
    return _LABEL.sub("", text, count=1)


def stands_alone(text: str, language: str | None) -> bool:
    """Return whether a note, with a verb or without, is understood alone: of several words, pointing to nothing."""
    bare = without_label(_BRACKETS.sub("", " ".join(text.split())))
    tokens = [_key(token) for token in bare.split()]
    if len(tokens) < FEWEST_WORDS or text.rstrip().endswith((":", ",", "?")) or not LEXICONS.has(SUBJECT, language):
        return False
    return tokens[0] not in LEXICONS.read(SUBJECT, code_of(language)).words("pointing")


def _first_clause(text: str) -> str:
    """Return the text up to the first mark that ends a clause, but not one of an abbreviation or number."""
    for match in _END.finditer(text):
        if match.group() == "." and _ABBREVIATED.search(text[: match.start()]):
            continue
        if len(text[: match.start()].split()) >= FEWEST_WORDS or match.group() in ".!?":
            return text[: match.start()]
    return text


class _Words:
    """The word lists of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        bare = lexicon.pattern("joining_bare")
        self._joining = re.compile(rf"^(?:(?:{lexicon.pattern('joining')})\s*,\s+|(?:{bare})\s+)", re.IGNORECASE)
        self._begins = re.compile(rf"^(?:{lexicon.expression('times_first')})\s+(?=\w)", re.IGNORECASE)
        self._announces = re.compile(rf"^(?:{lexicon.expression('announcing')})\s*(?=\w)", re.IGNORECASE)
        self._second = re.compile(rf",?\s+(?:{bare})\s", re.IGNORECASE)
        self._times = re.compile(rf",?\s+(?:{lexicon.expression('times')})$", re.IGNORECASE)
        names = "when_first clauses prepositions dangling pointing second_person first_person vague droppable"
        names += " auxiliaries habits droppable_being"
        self._lists = {name: lexicon.words(name) for name in names.split()}

    @staticmethod
    @cache
    def of(code: str) -> "_Words":
        return _Words(LEXICONS.read(SUBJECT, code))

    def without_opening(self, text: str) -> str:
        """Return a sentence without words that join it to the one before and without a leading time or clause."""
        while (match := self._joining.match(text)) and match.end() < len(text):
            text = text[match.end() :]
        text = self._announces.sub("", text, count=1)
        first, comma, rest = text.partition(", ")
        if comma and self._is(first, "when_first", "clauses") and len(first.split()) <= 2 * FEWEST_WORDS:
            text = rest
        text = self._begins.sub("", text, count=1)
        tokens = text.split(" ", 2)
        if len(tokens) == 3 and self._in(tokens[0], "droppable") and not self._in(tokens[1], "auxiliaries"):
            return " ".join(tokens[1:])
        if len(tokens) == 3 and self._in(tokens[0], "droppable_being") and _key(tokens[1]).endswith(_DOING):
            return " ".join(tokens[1:])
        return text

    def without_second_clause(self, text: str) -> str:
        """Return a sentence up to ", and …" or "and we …"."""
        for match in self._second.finditer(text):
            rest = text[match.end() :].split(" ", 1)[0]
            opens = match.group().startswith(",") or self._in(rest, "pointing", "first_person", "second_person")
            if opens and len(text[: match.start()].split()) >= FEWEST_BEFORE_CUT:
                return text[: match.start()]
        return text

    def without_times(self, text: str) -> str:
        """Return a sentence without the times at its end that say nothing beside a date."""
        text = text.rstrip(" .,;:!…")
        while (match := self._times.search(text)) and len(text[: match.start()].split()) >= FEWEST_WORDS:
            text = text[: match.start()].rstrip(" ,")
        return text

    def ends(self, text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Yield (cut, end) of the beginnings of a sentence that may be headlines, best first."""
        yield WHOLE, len(text)
        inside = [(m.start(), m.end()) for name in names if name for m in re.finditer(re.escape(name), text)]
        found: list[tuple[int, int]] = []
        for number, token in enumerate(_TOKEN.finditer(text)):
            end = token.start()
            if number < FEWEST_BEFORE_CUT or any(start < end < stop for start, stop in inside):
                continue
            before = text[:end].rstrip()
            if before.endswith(",") or self._in(token.group(), "clauses"):
                found.append((CLAUSE, len(before.rstrip(","))))
            elif self._in(token.group(), "prepositions"):
                found.append((PHRASE, len(before)))
        yield from sorted(found, key=lambda one: (one[0], -one[1]))

    def finished(self, text: str, cut: int, most: int) -> Headline | None:
        """Return a text as a headline, None if it is too long or short or cannot stand alone."""
        tokens = text.split()
        keys = [_key(token) for token in tokens]
        if not FEWEST_WORDS <= len(tokens) <= most or len(text) > MOST_CHARS[most > MOST_WORDS] or text.isupper():
            return None
        if self._in(tokens[0], "pointing", "clauses") or _dangles(
            tokens[-1], self._lists["dangling"] | self._lists["clauses"]
        ):
            return None
        if "--" in text or (cut != WHOLE and self._is_part(tokens)):
            return None
        if any(key in self._lists["second_person"] for key in keys) or not _is_balanced(text):
            return None
        if not any(key.isalpha() and len(key) > 1 for key in keys):
            return None
        vague = any(key in self._lists["first_person"] | self._lists["vague"] for key in keys)
        return Headline(text[0].upper() + text[1:], cut, vague, any(key in self._lists["habits"] for key in keys))

    def only_names(self, text: str, named: frozenset[str]) -> bool:
        """Return whether a headline lists names or is one: "Ann and Bob", "The Independent System Operator"."""
        tokens = [(token, _key(token)) for token in text.split()]
        words = [(token, key) for token, key in tokens if key.isalpha() and key not in self._lists["dangling"]]
        begins = bool(words) and words[0] == tokens[0]
        return all(key in named or (token[0].isupper() and (n or not begins)) for n, (token, key) in enumerate(words))

    def _is_part(self, tokens: Sequence[str]) -> bool:
        """Return whether a cut sentence ends before its main clause, or just after a dependent one has begun."""
        opens = self._in(tokens[0], "prepositions")
        for one, other in pairwise(tokens):
            opens = opens or (self._in(one, "clauses") and self._in(other, "prepositions"))
        return opens or any(self._in(token, "clauses") for token in tokens[-LEAST_CLAUSE:])

    def _is(self, phrase: str, *lists: str) -> bool:
        return bool(phrase) and self._in(phrase.split(" ", 1)[0], *lists)

    def _in(self, token: str, *lists: str) -> bool:
        key = _key(token)
        return any(key in self._lists[name] for name in lists)


def _key(token: str) -> str:
    return token.casefold().replace("’", "'").strip('.,;:!?"“”«»()[]…')


def _dangles(token: str, dangling: frozenset[str]) -> bool:
    """Return whether a headline cannot end with a word; in capitals it may be a name ("May")."""
    return _key(token) in dangling and (token[0].islower() or len(token) == 1)


def _is_balanced(text: str) -> bool:
    quotes = text.count('"') % 2 == 0 and text.count("“") == text.count("”") and text.count("«") == text.count("»")
    return quotes and text.count("(") == text.count(")") and text.count("[") == text.count("]")
