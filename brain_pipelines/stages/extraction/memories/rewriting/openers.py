"""What a sentence may begin with before it says something: greetings, fillers, and the name of the listener."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.word_features import is_addressed
from brain_retrieval.language.lexicon import ENGLISH, code_of

_MARKS = r"\s*(?:[,!…–—-]+(?:\s+|$)|\.\.+\s*)"
MIN_REST = 2  # words
_END_MARKS = re.compile(r"[\s.!?…]*$")


@cache
def _opener(language: str | None) -> re.Pattern[str]:
    code = code_of(language)
    lexicon = LEXICONS.read("rewriting", code if LEXICONS.has("rewriting", code) else ENGLISH)
    return re.compile(rf"(?:(?:{lexicon.pattern('openers')})(?!\w)\s*+)++", re.IGNORECASE)


_MARK = re.compile(_MARKS)


def opened_at(sentence: Sentence) -> int:
    """Return the offset at which a sentence begins once its openers are cut."""
    text, start = sentence.text, 0
    while True:
        after = _one_opener(sentence, start)
        if after == start or len(text[after:].split()) < MIN_REST:
            return start
        start = after


def _one_opener(sentence: Sentence, start: int) -> int:
    """Return the end of an opener at `start`, with its mark; `start` if there is none."""
    text, place = sentence.text, start
    if word := _opener(sentence.language).match(text, start):
        place = word.end()
    for name in sentence.names:
        begins = name.start == start or name.start >= place > start and not text[place : name.start].strip()
        if begins and name.type == "Person" and is_addressed(sentence, name):
            place = name.end
    mark = _MARK.match(text, place)
    return mark.end() if mark and place > start else start


def called_at_end(sentence: Sentence) -> tuple[int, int] | None:
    """Return the span of the listener's name called at the end, with the comma before it: "…, Mira"."""
    for name in sentence.names[-1:]:
        before = sentence.text[: name.start].rstrip()
        called = before.endswith(",") and _END_MARKS.match(sentence.text, name.end)
        if called and is_addressed(sentence, name):
            return len(before) - 1, name.end
    return None
