"""Cues of change: whether a sentence says that something is no longer as it was."""

import re
from functools import cache
from re import Pattern

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.plain import lowered, word_pattern

_COMPOUND = re.compile(r"-[^\W\d_]")
_TITLED = re.compile(r"(?<![^\s(])[A-Z][a-z]{2,24} (?P<last>[A-Z][a-z]{2,24})\b")

STRONG, WEAK, NONE = "strong", "weak", "none"


def read_cue(sentence: Sentence) -> str:
    """Return "strong", "weak" or "none"; what a sentence says to be still so is no change."""
    text = lowered(_without_titles(sentence))
    strong, weak, steady = (_pattern(key, sentence.language or ENGLISH) for key in ("strong", "weak", "steady"))
    if _is_said(strong, text):
        return STRONG
    return WEAK if _is_said(weak, text) and not steady.search(text) else NONE


def _is_said(cue: Pattern[str], text: str) -> bool:
    """Return whether a text has a cue that is no part of a compound: "left-wing"."""
    return any(not _COMPOUND.match(text, match.end()) for match in cue.finditer(text))


def _without_titles(sentence: Sentence) -> str:
    """Return the text without capitalised words behind others: "Sheffield Transformed" changes nothing."""
    if code_of(sentence.language) != ENGLISH:
        return sentence.text  # German writes its nouns like this
    return _TITLED.sub(lambda match: match.group().replace(match["last"], "_" * len(match["last"])), sentence.text)


def is_best(sentence: Sentence) -> bool:
    """Return whether a sentence states the best of something, which outlives what is worse."""
    return bool(_pattern("best", sentence.language or ENGLISH).search(lowered(sentence.text)))


@cache
def _pattern(key: str, language: str) -> Pattern[str]:
    known = language if LEXICONS.has("changes", language) else ENGLISH
    return word_pattern(LEXICONS.read("changes", known).listed(key))
