"""Runs of adjacent content words in a text, with the words around them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain_pipelines.stages.enrichment.words import Word, empty_words, function_words, vague_words

LONGEST_WORD = 35  # letters
LEAST_LETTERS = 3  # of a word that is part of a name only
WRAPPED = 55  # characters of a line that an editor may have broken inside a sentence
_JOINS = frozenset({" ", "\n", "-", "/", ""})
_DENSE = re.compile(r"[\u3040-\u309f\u3400-\u9fff]")  # pairs of such characters are mostly no words


@dataclass(frozen=True, slots=True)
class Run:
    """Adjacent content words, with the words before and after it in its sentence, "" at a mark."""

    words: tuple[Word, ...]
    before: str
    after: str


def runs_of(text: str, words: Sequence[Word], language: str | None) -> Iterator[Run]:
    """Yield the maximal runs of adjacent content words, with stop words only inside names."""
    empty, functional = empty_words(language) | vague_words(), function_words(language)
    run: list[Word] = []
    before = ""
    previous: Word | None = None
    for place, word in enumerate(words):
        joined = previous is not None and _joined(text, previous, word)
        carries = _carries(word, empty) or _is_in_name(text, words, place, functional)
        carries = carries and not _is_dotted(text, word)
        if run and not (joined and carries):
            yield Run(tuple(run), before, word.key if joined else "")
            run = []
        if carries:
            if not run:
                before = previous.key if joined and previous else ""
            run.append(word)
        previous = word
    if run:
        yield Run(tuple(run), before, "")


def _is_in_name(text: str, words: Sequence[Word], place: int, functional: frozenset[str]) -> bool:
    """Return whether a word that is no term by itself is part of a name: New York, United States."""
    word = words[place]
    if "'" in word.key or word.key in functional or not word.surface[:1].isupper() or len(word.key) < LEAST_LETTERS:
        return False
    pairs = ((words[place - 1], word) if place else None, (word, words[place + 1]) if place + 1 < len(words) else None)
    beside = [(pair, pair[0] if pair[1] is word else pair[1]) for pair in pairs if pair]
    return any(
        text[left.end : right.start] == " " and one.surface[:1].isupper() and one.key not in functional
        for (left, right), one in beside
    )


def _is_dotted(text: str, word: Word) -> bool:
    """Return whether a word is part of a longer one with dots: "Node.js", "example.org"."""
    before, after = text[max(0, word.start - 2) : word.start], text[word.end : word.end + 2]
    dotted = len(after) > 1 and after[0] == "." and after[1].isalnum()
    return dotted or len(before) > 1 and before[1] == "." and before[0].isalnum()


def _joined(text: str, left: Word, right: Word) -> bool:
    """Return whether nothing but a blank, or the break of a long line, lies between two words."""
    gap = text[left.end : right.start]
    if gap != "\n":
        return gap in _JOINS
    return text.rfind("\n", max(0, left.end - WRAPPED), left.end) < 0 and left.end >= WRAPPED


def _carries(word: Word, empty: frozenset[str]) -> bool:
    key = base_of(word)
    if word.key in empty or key in empty or not key[:1].isalpha() or _DENSE.search(key):
        return False
    if key.isascii() and key.endswith("ly"):
        return False
    if len(key) > LONGEST_WORD:  # encoded data
        return False
    return len(key) > 2 or (word.surface.isascii() and word.surface.isupper() and len(key) == 2)


def base_of(word: Word) -> str:
    """Return the key of a word without the ending of a genitive."""
    return word.key.removesuffix("'s")
