"""Noun phrases of a text in six languages.

There is no parser: a phrase begins and ends with a content word, and stands behind a word that nouns follow.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from brain_pipelines.knowledge.lexicons import LEXICONS as NAMES
from brain_pipelines.stages.enrichment.lexicons import LEXICONS
from brain_pipelines.stages.enrichment.words import Word, empty_words, vague_words, words_of
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.plain import plain

MOST_WORDS = 4
LEAST_LETTERS = 3
Key = tuple[str, ...]
_ELIDED = 5  # letters before an apostrophe at most: "dell'analisi"
_ENDS = frozenset(".!?:…")
_ADVERBS = ("ly", "mente")
_ADDED = re.compile(r" ?\[[^\[\]]{0,200}\]")


def without_context(text: str) -> str:
    """Return a memory's text without what was added in brackets: dates, and the heading or meeting it was said in.

    >>> without_context("We chose Postgres [2024-03-01] [Meeting of the data team].")
    'We chose Postgres.'
    """
    return _ADDED.sub("", text)


def phrases(text: str, language: str | None) -> Iterator[tuple[Key, str, bool]]:
    """Yield the phrases of a text: the forms of their words, as they are written, and whether nouns stand there."""
    code = code_of(language)
    openers, objects, joints = _around(code)
    empty = empty_words(code) | vague_words()
    words = [_bare(word) for word in words_of(text)]
    carries = [_carries(word, empty) for word in words]
    for first, word in enumerate(words):
        if not carries[first]:
            continue
        noun = _after_opener(text, words, first, openers)
        key: list[str] = []
        for last in range(first, min(len(words), first + 2 * MOST_WORDS - 1)):
            if last > first and text[words[last - 1].end : words[last].start] not in (" ", "-", ""):
                break
            if not carries[last]:
                if words[last].key not in joints:
                    break
                continue
            key.append(word_form(plain(words[last].key)))
            if len(key) > MOST_WORDS:
                break
            after = words[last + 1].key if last + 1 < len(words) else ""
            yield tuple(key), text[word.start : words[last].end], noun and after not in objects


def _after_opener(text: str, words: Sequence[Word], place: int, openers: frozenset[str]) -> bool:
    """Return whether a word stands behind one that nouns follow, or has a capital that its place does not explain."""
    if not place:
        return False
    word, before = words[place], words[place - 1]
    if before.end == word.start - 1 and text[before.end] in "'’":
        return True
    if text[before.end : word.start] == " " and before.key in openers:
        return True
    return word.surface[:1].isupper() and text[: word.start].rstrip()[-1:] not in _ENDS


def _bare(word: Word) -> Word:
    """Return a word without an article that an apostrophe joins to it, and without the ending of a genitive."""
    at = word.key.find("'")
    if 0 < at <= _ELIDED and len(word.key) - at > 3:
        return Word(word.start + at + 1, word.end, word.surface[at + 1 :], word.key[at + 1 :])
    if word.key.endswith("'s"):
        return Word(word.start, word.end - 2, word.surface[:-2], word.key[:-2])
    return word


def _carries(word: Word, empty: Collection[str]) -> bool:
    if word.key in empty or len(word.key) < LEAST_LETTERS or not word.key[0].isalpha():
        return len(word.key) == 2 and word.surface.isupper() and word.surface.isalpha()
    return not (word.surface.islower() and word.key.endswith(_ADVERBS))


@cache
def _around(code: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    lexicon = LEXICONS.read("keywords", code if LEXICONS.has("keywords", code) else ENGLISH)
    joints = lexicon.words("joints") | LEXICONS.read("keywords").words("joints")
    if NAMES.has("matters", code):
        joints |= NAMES.read("matters", code).words("linking")
    return lexicon.words("openers"), lexicon.words("objects"), joints
