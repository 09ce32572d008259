"""Removal of disfluencies from a transcript: fillers, repetitions, restarts: "um", "I I think", ", you know,".

Words are only removed, never changed except for a capital at the start of a sentence, so each kept word has its own
time. In a language without a word list, and in an unknown one, nothing is removed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.language.lexicon import code_of
from brain_retrieval.models.speech.protocol import Word

LONGEST_RESTART = 4  # words: "we should we should"
_EDGES = re.compile(r"^\W+|[^\w-]+$")
_SENTENCE_END = re.compile(r"[.?!…][\"'”’)]*$")


@dataclass(frozen=True)
class _Words:
    """The words of a language: a repetition of `stuttered` is a false start; others ("very very") may be intended."""

    filled_pauses: frozenset[str]
    stuttered: frozenset[str]
    asides: frozenset[tuple[str, ...]]


@cache
def _words_of(language: str) -> _Words:
    lexicon = LEXICONS.read("disfluency", language)
    asides = frozenset(tuple(aside.casefold().split()) for aside in lexicon.listed("asides"))
    return _Words(lexicon.words("filled_pauses"), lexicon.words("stuttered"), asides)


@dataclass(frozen=True)
class _Token:
    word: Word
    plain: str  # lower case, without punctuation

    @property
    def text(self) -> str:
        return self.word.text.strip()


def without_disfluencies(words: Sequence[Word], language: str | None) -> list[Word]:
    """Return the words without disfluencies; all of them if the language has no list of them."""
    if language is None or not LEXICONS.has("disfluency", language):
        return list(words)
    known = _words_of(code_of(language))
    tokens = [_Token(word, _EDGES.sub("", word.text.strip().casefold())) for word in words]
    tokens = _drop(tokens, {i for i, token in enumerate(tokens) if token.plain in known.filled_pauses})
    tokens = _drop(tokens, _asides(tokens, known))
    tokens = _drop(tokens, _cut_off(tokens))
    for length in range(LONGEST_RESTART, 0, -1):
        tokens = _drop(tokens, _restarts(tokens, length, known))
    return [token.word for token in tokens]


def _asides(tokens: Sequence[_Token], known: _Words) -> set[int]:
    dropped: set[int] = set()
    for aside in known.asides:
        size = len(aside)
        for i in range(1, len(tokens) - size + 1):
            said = tuple(token.plain for token in tokens[i : i + size])
            if said == aside and tokens[i - 1].text.endswith(",") and tokens[i + size - 1].text.endswith(","):
                dropped |= set(range(i, i + size))
    return dropped


def _cut_off(tokens: Sequence[_Token]) -> set[int]:
    """Return indexes of words that break off in a hyphen and are then said in full: "wha- what"."""
    return {
        i
        for i, (token, following) in enumerate(pairwise(tokens))
        if len(token.plain) > 1 and token.plain.endswith("-") and following.plain.startswith(token.plain.strip("-"))
    }


def _restarts(tokens: Sequence[_Token], length: int, known: _Words) -> set[int]:
    """Return indexes of runs of `length` words that are repeated immediately within one sentence."""
    dropped: set[int] = set()
    for i in range(len(tokens) - 2 * length + 1):
        first, second = tokens[i : i + length], tokens[i + length : i + 2 * length]
        same = [token.plain for token in first] == [token.plain for token in second]
        if same and first[0].plain in known.stuttered and not any(_SENTENCE_END.search(token.text) for token in first):
            dropped.update(range(i, i + length))
    return dropped


def _drop(tokens: Sequence[_Token], dropped: set[int]) -> list[_Token]:
    """Remove tokens; final punctuation moves to the word before, a sentence's capital to the word behind."""
    kept: list[_Token] = []
    capital = False
    for i, token in enumerate(tokens):
        starts = not kept or bool(_SENTENCE_END.search(kept[-1].text))
        if i in dropped:
            capital |= starts and token.text[:1].isupper()
            end = _SENTENCE_END.search(token.text)
            if end and kept and not starts:
                kept[-1] = _with_text(kept[-1], kept[-1].word.text.rstrip(" ,;:") + end[0])
            continue
        if capital and starts:
            body = token.word.text.lstrip()
            space = token.word.text[: len(token.word.text) - len(body)]
            token = _with_text(token, space + body[:1].upper() + body[1:])
        capital = False
        kept.append(token)
    return kept


def _with_text(token: _Token, text: str) -> _Token:
    return replace(token, word=replace(token.word, text=text))
