"""Cues of change: whether a sentence says that something is no longer as it was."""

from functools import cache
from re import Pattern

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered, word_pattern

STRONG, WEAK, NONE = "strong", "weak", "none"


def read_cue(sentence: Sentence) -> str:
    """Return "strong", "weak" or "none"; what a sentence says to be still so is no change."""
    text = lowered(sentence.text)
    strong, weak, steady = (_pattern(key, sentence.language or ENGLISH) for key in ("strong", "weak", "steady"))
    if strong.search(text):
        return STRONG
    return WEAK if weak.search(text) and not steady.search(text) else NONE


def is_best(sentence: Sentence) -> bool:
    """Return whether a sentence states the best of something, which outlives what is worse."""
    return bool(_pattern("best", sentence.language or ENGLISH).search(lowered(sentence.text)))


@cache
def _pattern(key: str, language: str) -> Pattern[str]:
    known = language if LEXICONS.has("changes", language) else ENGLISH
    return word_pattern(LEXICONS.read("changes", known).listed(key))
