"""Sentences as compared for retrieval echoes: span and words, without attributions ("according to your notes")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.shingles import SHORTEST, words_of
from brain_retrieval.language.sentences import sentences
from brain_retrieval.language.stop_words import question_words

_LEXICON = LEXICONS.read("statements")

# Words of attributions at either end of a sentence, which name where something is known from.
ATTRIBUTION = _LEXICON.words("attribution")
# Function words that change the meaning of a sentence, such as negations and modal verbs.
_MEANT = _LEXICON.words("meant")
FUNCTION_WORDS = question_words() - _MEANT
_LINE = re.compile(r"[^\n]+")
_LABEL = re.compile(r"^[^\W\d_][\w .'’-]{0,40}:\s+")


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of a text; `words` are the words that are compared."""

    start: int
    end: int
    words: tuple[str, ...]


def sentences_to_compare(text: str) -> Iterator[Sentence]:
    """Yield the sentences of at least SHORTEST words, line by line (an answer is often a list)."""
    for line in _LINE.finditer(text):
        for start, end in sentences(text, *line.span()):
            words = without_attribution(words_of(text[start:end]))
            if len(words) >= SHORTEST:
                yield Sentence(start, end, tuple(words))


def whole_sentences(text: str) -> set[tuple[str, ...]]:
    """Return the words of each sentence of a passage, with and without a leading speaker label."""
    found = set()
    for line in _LINE.finditer(text):
        bare = _LABEL.sub("", line.group().strip())
        for piece in (line.group(), bare):
            found |= {tuple(words_of(piece[a:b])) for a, b in sentences(piece)}
    return found


def without_attribution(words: list[str]) -> list[str]:
    """Return the words without "according to your notes" and the like at either end.

    At each end, the longest run of function and attribution words that stops at an attribution word is removed.
    """
    start = _attribution(words)
    return words[start : len(words) - _attribution(words[start:][::-1])]


def _attribution(words: list[str]) -> int:
    cut = 0
    for place, word in enumerate(words, start=1):
        if word in ATTRIBUTION:
            cut = place
        elif word not in FUNCTION_WORDS:
            break
    return cut


def says_more(words: tuple[str, ...], covered: list[bool]) -> bool:
    """Return whether a content word is not covered."""
    return any(not seen and word not in FUNCTION_WORDS for word, seen in zip(words, covered, strict=True))
