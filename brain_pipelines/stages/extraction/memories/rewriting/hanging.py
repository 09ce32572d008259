"""Whether a sentence hangs on another one: by what it begins with, by words that point elsewhere, by how it ends."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.lexicon import ENGLISH, NOTHING, code_of
from brain_retrieval.language.stop_words import function_words

_CLOSED = tuple(".!?…\"'”’»)")
_LAST = re.compile(r"[^\W\d_]{1,20}$")
_WORD = re.compile(r"[^\W\d_]{2,10}")
_LEAD = re.compile(r"[\W_]{0,8}")  # quotation marks and dashes before the first word


def hangs(sentence: Sentence, start: int = 0, *, states_value: bool = False) -> bool:
    """Return whether a sentence is only understood with the one before it, or with what the text shows beside it.

    Args:
        sentence: of any language; one without a list of its own is read by the English list.
        start: where it begins once its openers are cut.
        states_value: whether it states a day, a number or an attribute: "Then the launch is on 3 May" is enough.
    """
    text = sentence.text.replace("’", "'")
    lead = _LEAD.match(text, start)
    first = lead.end() if lead else start
    code = code_of(sentence.language)
    begins, outside = _patterns(code if LEXICONS.has("rewriting", code) else ENGLISH)
    if not states_value and _concluding(code).match(text, first):
        return True
    points = begins.match(text, first) or outside.search(text, start)
    return points is not None or _means_a_person(sentence) or _breaks_off(sentence)


def _means_a_person(sentence: Sentence) -> bool:
    """Return whether "he" or "she" in a sentence without a parse has no name of a person before it."""
    if sentence.words:
        return False
    code = code_of(sentence.language)
    pronouns = LEXICONS.read("rewriting", code if LEXICONS.has("rewriting", code) else ENGLISH).words("persons")
    named = min((name.end for name in sentence.names if name.type == "Person"), default=len(sentence.text))
    return any(word.group().lower() in pronouns for word in _WORD.finditer(sentence.text, 0, named))


def _breaks_off(sentence: Sentence) -> bool:
    """Return whether the last word of an open line needs another one after it: "I reach it by means of a"."""
    text = sentence.text.rstrip()
    if text.endswith(_CLOSED) or sentence.words:  # the tags of a parse tell it better
        return False
    last = _LAST.search(text)
    return last is not None and last.group() in function_words(sentence.language)


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what the beginning of a hanging sentence matches, and what points elsewhere in it."""
    lexicon = LEXICONS.read("rewriting", code)
    begins = re.compile(rf"(?:{lexicon.pattern('hanging')})(?!\w)", re.IGNORECASE)
    return begins, re.compile(lexicon.expression("outside"), re.IGNORECASE)


@cache
def _concluding(code: str) -> re.Pattern[str]:
    """Return what begins a sentence that says what follows from the one before."""
    lexicon = LEXICONS.read("rewriting", code if LEXICONS.has("rewriting", code) else ENGLISH)
    words = lexicon.pattern("concluding") if lexicon.listed("concluding") else NOTHING
    return re.compile(rf"(?:{words})(?!\w)", re.IGNORECASE)
