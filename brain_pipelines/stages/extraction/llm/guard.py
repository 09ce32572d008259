"""Polarity guard: checks the text itself for negation, hedges and questions, in case the model overlooked them.

Works on words only, so it can change a fact to negated, possible or question, never back to asserted.
"""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.llm.quotes import Quotable
from brain_retrieval.language.lexicon import NOTHING, code_of
from brain_retrieval.language.negation import negation, not_denials
from brain_retrieval.language.sentences import sentences

NEAR = 600  # characters around a span in which its sentence is looked for
_LINE = re.compile(r"[^\n]+")
_NUMBERED = re.compile(r"(?i)\bno\. ?\d")  # "no. 5" denies nothing
_WORDS = LEXICONS.every_language("clause_ends")
# Clause boundaries: negations before one do not apply after it.
_CLAUSE = re.compile(
    rf"(?i)[.!?…](?=\s)|[;:()—]|\b(?:{_WORDS.pattern('conjunctions')})\b"
    rf"|,\s*(?=(?:{_WORDS.pattern('clause_heads')})\b)|(?<=\w),\s*(?=(?:{_WORDS.pattern('comma_ands')}) )"
)
_RELATIVE = re.compile(rf"(?i),\s*(?:{_WORDS.pattern('relatives')})\b[^,]*,")
_AND = re.compile(rf"(?i)\b(?:{_WORDS.pattern('ands')})\b")


def is_denied(text: str, span: tuple[int, int], subject: str, obj: str, language: str | None) -> bool:
    """Return whether an odd number of negations applies to a fact stated at `span` of `text`."""
    clause = not_denials(language).sub(" ", _NUMBERED.sub(" ", clause_of(text, span, subject, obj)))
    return len(negation(language).findall(clause.replace("’", "'"))) % 2 == 1


def is_hedged(text: str, span: tuple[int, int], subject: str, obj: str, language: str | None) -> bool:
    """Return whether the clause of a fact contains a hedge."""
    return bool(_hedges(language).search(clause_of(text, span, subject, obj)))


@cache
def _hedges(language: str | None) -> re.Pattern[str]:
    if not LEXICONS.has("modality", language):
        return re.compile(NOTHING)
    words = LEXICONS.read("modality", code_of(language))
    # "may" is a month, too: only in lower case and before a word.
    return re.compile(
        rf"\b(?:(?i:{words.pattern('hedges', 'hedging_verbs')})\b|(?:{words.pattern('hedges_before_words')})(?= \w))"
    )


def is_asked(text: str, span: tuple[int, int]) -> bool:
    """Return whether the sentence that contains `span` ends with a question mark."""
    _, end = sentence_of(text, span)
    return text[:end].rstrip("\"'”’) ").endswith(("?", "？"))


def sentence_of(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the span extended to whole sentences, within its line."""
    near = max(0, span[0] - NEAR), min(len(text), span[1] + NEAR)
    start, end = span
    for line in _LINE.finditer(text, *near):
        for first, last in sentences(text, *line.span()):
            if first <= span[0] < last:
                start = first
            if first < span[1] <= last:
                end = last
    return start, end


def clause_of(text: str, span: tuple[int, int], subject: str, obj: str) -> str:
    """Return the words from the beginning of the clause to the object, where negations of the fact stand."""
    start, _ = sentence_of(text, span)
    words = Quotable(_RELATIVE.sub(", ", text[start : span[1]]))
    last = words.text
    place = max(words.every(obj), default=None)
    if place is not None:
        last = words.text[: place[1]]
    begins = [match.end() for match in _CLAUSE.finditer(last)]
    named = max(Quotable(last).every(subject), default=None)
    if named is not None:
        # "Bob does not, and Alice does": a clause with a subject of its own begins after "and".
        begins += [
            match.end() for match in _AND.finditer(last, 0, named[0]) if not last[match.end() : named[0]].strip()
        ]
    return last[max(begins, default=0) :]
