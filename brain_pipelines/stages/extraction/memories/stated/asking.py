"""Whether a sentence asks although no mark says so, as in chats: "is Katla still in Bergen", "what do you do there"."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.main_clause import SUBJECTS
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word
from brain_retrieval.language.lexicon import ENGLISH, NOTHING, SHARED
from brain_retrieval.language.plain import lowered, word_expression, word_pattern

_MARKS = ",;:!?."
_OPENING = ("CCONJ", "INTJ", "PUNCT")  # "and", "so", "oh"
_ASKING = ("WP", "WRB", "WDT")  # "what", "where", "which"
_MOST_ASKED = 3  # words between "how" and the verb: "how much of it"


def asks(sentence: Sentence) -> bool:
    """Return whether a parsed sentence has its subject behind its first verb, and nothing in front but "what".

    In talk "how is work" asks as well, where the grammar finds no subject. Without a parse one of talk asks that begins
    as only questions do ("dónde es", "wann kommst du"), and has no mark at all.
    """
    words = sentence.words
    if not words:
        return sentence.listener is not None and _begins_question(sentence)
    first = next((place for place, word in enumerate(words) if word.pos not in _OPENING), len(words))
    verb = _first_verb(words, first)
    if verb is None or _had_done(words, verb):
        return False
    if any(words[verb].head in (place, word.head) or word.head == verb for place, word in _subject_behind(words, verb)):
        return True
    return verb > first and sentence.listener is not None


def _had_done(words: tuple[Word, ...], verb: int) -> bool:
    """Return whether a sentence leaves out who had something done: "Had the tyres changed", not "had you seen it"."""
    behind = words[verb + 1 : verb + 2]
    return lowered(words[verb].text) == "had" and bool(behind) and behind[0].pos != "PRON"


def _begins_question(sentence: Sentence) -> bool:
    text = sentence.text.strip()
    if not text[-1:].isalnum() or any(mark in text for mark in _MARKS):
        return False
    return _unmarked(sentence.language or ENGLISH).match(lowered(text)) is not None


@cache
def _unmarked(language: str) -> re.Pattern[str]:
    if not LEXICONS.has("clause_splits", language):
        return re.compile(NOTHING)
    own = LEXICONS.read("clause_splits", language)
    if not own.listed("asks_unmarked"):
        return re.compile(NOTHING)
    keys = ("calls", "asks_unmarked", "asks_not_before")
    calls, words, others = (word_expression(own.listed(key), lowered) for key in keys)
    return re.compile(rf"(?:(?:{calls})\s){{0,2}}(?:{words})(?!\w)(?!\s(?:{others})(?!\w))")


def asks_for_something(sentence: Sentence) -> bool:
    """Return whether a question has an interrogative near its beginning, and so asks for more than yes or no."""
    if sentence.words:
        opening = sentence.words[:_MOST_ASKED]
        return any(word.tag in _ASKING for word in opening)
    opening = " ".join(sentence.text.split()[:_MOST_ASKED])
    return _interrogatives(sentence.language or ENGLISH).search(lowered(opening)) is not None


@cache
def _interrogatives(language: str) -> re.Pattern[str]:
    words = SHARED.read("questions", language if SHARED.has("questions", language) else ENGLISH)
    return word_pattern([word for key in ("who", "where", "when", "how_many", "what") for word in words.listed(key)])


def supposes(sentence: Sentence) -> bool:
    """Return whether a parsed sentence begins with a verb of what may be and has no subject: "Could share the flat"."""
    words = sentence.words
    if not words or words[0].tag != "MD" or any(word.dep in SUBJECTS for word in words[:_MOST_ASKED]):
        return False
    return lowered(words[0].text) in SHARED.read("stance", ENGLISH).words("supposing")


def _first_verb(words: tuple[Word, ...], first: int) -> int | None:
    """Return the place of a helping verb that begins the sentence, or stands behind "what" or "how much"."""
    if first < len(words) and words[first].pos == "AUX":
        return first
    if first >= len(words) or words[first].tag not in _ASKING:
        return None
    behind = range(first + 1, min(len(words), first + 2 + _MOST_ASKED))
    verb = next((place for place in behind if words[place].pos in ("AUX", "VERB")), None)
    if verb is None:
        return None
    shortened = verb == first + 1 and words[verb].text == "s"  # "whats the code", which the parser takes for a verb
    return verb if words[verb].pos == "AUX" or shortened else None


def _subject_behind(words: tuple[Word, ...], verb: int) -> list[tuple[int, Word]]:
    """Return the subject right behind a verb, with only its own words ("the new") between both."""
    for place in range(verb + 1, len(words)):
        word = words[place]
        if word.dep in SUBJECTS:
            return [(place, word)] if all(words[one].head in (place, one + 1) for one in range(verb + 1, place)) else []
        if word.pos in ("VERB", "AUX", "PUNCT"):
            break
    return []
