"""Whether the words of a fact deny it or leave it open, looked up in the text itself: a model that overlooks "not"
must not turn a denial into a fact.

Only words are looked at, so this can set a fact to negated or possible, never back.
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
# Where another clause begins whose denials are its own.
_CLAUSE = re.compile(
    r"(?i)[.!?…](?=\s)|[;:()—]|\b(?:but|whereas|although|though|because|aber|sondern|obwohl|weil|mais|pero|sino|però|mas|maar|но)\b"
    r"|,\s*(?=(?:who|which|whose|she|he|they|it|we|i|you|so|while)\b)|(?<=\w),\s*(?=und |et |y )"
)
_RELATIVE = re.compile(r"(?i),\s*(?:who|which|whose|der|die|das|qui|que|che|die)\b[^,]*,")
_AND = re.compile(r"(?i)\b(?:and|und|et|y|e|en|и)\b")


def is_denied(text: str, span: tuple[int, int], subject: str, obj: str, language: str | None) -> bool:
    """Tell whether an odd number of negations bears on a fact stated at `span` of `text`."""
    clause = not_denials(language).sub(" ", _NUMBERED.sub(" ", clause_of(text, span, subject, obj)))
    return len(negation(language).findall(clause.replace("’", "'"))) % 2 == 1


def is_hedged(text: str, span: tuple[int, int], subject: str, obj: str, language: str | None) -> bool:
    """Tell whether the clause of a fact holds a word of doubt."""
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
    """Tell whether the sentence that holds `span` ends with a question mark."""
    _, end = sentence_of(text, span)
    return text[:end].rstrip("\"'”’) ").endswith(("?", "？"))


def sentence_of(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the span of the sentence, or sentences, or line that hold a span."""
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
    """Return the words between the clause's beginning and the object: what can deny a fact stands there."""
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
