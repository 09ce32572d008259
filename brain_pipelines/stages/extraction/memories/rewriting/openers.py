"""What a sentence may begin with before it says something: greetings, fillers, the name of the listener, "And"."""

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


@cache
def _conjunction(language: str | None) -> re.Pattern[str]:
    code = code_of(language)
    lexicon = LEXICONS.read("rewriting", code if LEXICONS.has("rewriting", code) else ENGLISH)
    return re.compile(rf"(?:{lexicon.pattern('conjunctions')})\s+(?=[^\W_])", re.IGNORECASE)


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
    if mark and place > start:
        return mark.end()
    joined = _conjunction(sentence.language).match(text, start)
    return joined.end() if joined and _leads(sentence, start) else start


def _leads(sentence: Sentence, start: int) -> bool:
    """Return whether a conjunction at `start` only ties the sentence to the one before it: not "But for the rain"."""
    places = (place for place, word in enumerate(sentence.words) if word.start == start)
    place = next(places, None)
    if not sentence.words or place is None:
        return not sentence.words
    return sentence.words[place].dep == "cc" and all(
        word.pos != "ADP" for word in sentence.words[place + 1 : place + 2]
    )


def called_at_end(sentence: Sentence) -> tuple[int, int] | None:
    """Return the span of the listener's name called at the end, with the comma before it: "…, Mira"."""
    for name in sentence.names[-1:]:
        before = sentence.text[: name.start].rstrip()
        called = before.endswith(",") and _END_MARKS.match(sentence.text, name.end)
        if called and is_addressed(sentence, name):
            return len(before) - 1, name.end
    return None
