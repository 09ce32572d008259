"""Removal of disfluencies from a transcript: fillers, repetitions, restarts: "um", "I I think", ", you know,".

Words are only removed, never changed except for a capital at the start of a sentence, so each kept word has its own
time. The word lists are English; in another or an unknown language nothing is removed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.models.speech.protocol import Word

_WORDS = LEXICONS.read("disfluency")

FILLED_PAUSES = _WORDS.words("filled_pauses")
# A repetition of these is a false start; other repetitions ("very very", "no, no") may be intended and are kept.
STUTTERED = _WORDS.words("stuttered")
ASIDES = (("you", "know"), ("i", "mean"))  # only between commas
LONGEST_RESTART = 4  # words: "we should we should"
_EDGES = re.compile(r"^\W+|[^\w-]+$")
_SENTENCE_END = re.compile(r"[.?!…][\"'”’)]*$")


@dataclass(frozen=True)
class _Token:
    word: Word
    plain: str  # lower case, without punctuation

    @property
    def text(self) -> str:
        return self.word.text.strip()


def without_disfluencies(words: Sequence[Word], language: str | None) -> list[Word]:
    """Return the words without disfluencies; all of them unless the language is English."""
    if language != "en":
        return list(words)
    tokens = [_Token(word, _EDGES.sub("", word.text.strip().casefold())) for word in words]
    tokens = _drop(tokens, {i for i, token in enumerate(tokens) if token.plain in FILLED_PAUSES})
    tokens = _drop(tokens, _asides(tokens))
    tokens = _drop(tokens, _cut_off(tokens))
    for length in range(LONGEST_RESTART, 0, -1):
        tokens = _drop(tokens, _restarts(tokens, length))
    return [token.word for token in tokens]


def _asides(tokens: Sequence[_Token]) -> set[int]:
    dropped: set[int] = set()
    for i in range(1, len(tokens) - 1):
        pair = (tokens[i].plain, tokens[i + 1].plain)
        if pair in ASIDES and tokens[i - 1].text.endswith(",") and tokens[i + 1].text.endswith(","):
            dropped |= {i, i + 1}
    return dropped


def _cut_off(tokens: Sequence[_Token]) -> set[int]:
    """Return indexes of words that break off in a hyphen and are then said in full: "wha- what"."""
    return {
        i
        for i, (token, following) in enumerate(pairwise(tokens))
        if len(token.plain) > 1 and token.plain.endswith("-") and following.plain.startswith(token.plain.strip("-"))
    }


def _restarts(tokens: Sequence[_Token], length: int) -> set[int]:
    """Return indexes of runs of `length` words that are repeated immediately within one sentence."""
    dropped: set[int] = set()
    for i in range(len(tokens) - 2 * length + 1):
        first, second = tokens[i : i + length], tokens[i + length : i + 2 * length]
        same = [token.plain for token in first] == [token.plain for token in second]
        if same and first[0].plain in STUTTERED and not any(_SENTENCE_END.search(token.text) for token in first):
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
