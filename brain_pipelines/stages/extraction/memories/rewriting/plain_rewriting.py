"""What is rewritten in every language: dates in brackets; and the words that point outside a sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.rewriting.edits import Edit
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals, StatedDate
from brain_pipelines.stages.extraction.memories.word_features import tokens_of
from brain_retrieval.language.lexicon import ENGLISH, code_of

_MARKS = ".,;:!? "
_BEHIND = ("-ci", "'s", "’s")  # of the word they end: "ce mois-ci", "today's plan"
_FIRST_TWO = re.compile(r"\W{0,4}(?P<first>[^\W\d_]{1,8}) (?P<second>[^\W\d_]\w*)")
FRONT = 2  # words at the beginning, where a pronoun is the subject


def dated(sentence: Sentence, signals: Signals) -> Iterator[Edit]:
    """Yield the insertion of the ISO date behind each date expression that does not state the year itself.

    One is dated once ("today (Friday)"), and a length of time that is not exact is not ("the past few weeks").
    """
    shown: set[str] = set()
    for date in _ranges_joined(signals.dates, sentence.text):
        said = sentence.text[date.start : date.end]
        if date.iso[:4] not in said and date.iso not in shown and not _is_vague(said, sentence.language):
            shown.add(date.iso)
            ends_here = date.end >= len(sentence.text.rstrip())  # elsewhere the full stop of "10.05." is of the date
            end = date.start + len(said.rstrip(_MARKS if ends_here else None))
            behind = (mark for mark in _BEHIND if sentence.text.startswith(mark, end))
            end += len(next(behind, ""))
            yield Edit(end, end, f" [{date.iso}]")


def _ranges_joined(dates: Sequence[StatedDate], text: str) -> Iterator[StatedDate]:
    """Yield dates, the first and last day of a range with one month as one: "1-8 August", "August 1-8"."""
    last = None
    for one, after in pairwise((*dates, None)):
        if one is None or one is last:
            continue
        if after and _is_range(one, after, text):
            last = after
            yield replace(one, end=after.end, iso=f"{one.iso}/{after.iso}")
        else:
            yield one


def _is_range(one: StatedDate, after: StatedDate, text: str) -> bool:
    named = [any(map(str.isalpha, text[date.start : date.end])) for date in (one, after)]
    return 0 <= after.start - one.end <= 1 and one.iso < after.iso and not all(named)


def _is_vague(said: str, language: str | None) -> bool:
    code = code_of(language)
    words = LEXICONS.read("stated_dates", code if LEXICONS.has("stated_dates", code) else ENGLISH).words("vague")
    return not words.isdisjoint(said.casefold().split())


def refers_outside(sentence: Sentence) -> bool:
    """Return whether a sentence without a parse begins with a word that stands for something before it."""
    if _begins_with_article(sentence):
        return False
    tokens = tokens_of(sentence.text, sentence.language)[:FRONT]
    words = _words(sentence.language, "rewriting", "things") | _words(sentence.language, "memorable", "he")
    return bool(tokens) and (tokens[0] in words or len(tokens) > 1 and tokens[1] in words and len(tokens[0]) <= FRONT)


def _begins_with_article(sentence: Sentence) -> bool:
    """Return whether a word for "that" is the article of a noun with a capital: "Das Sommerfest ist am 3. Mai"."""
    if not writes_nouns_large(sentence.language or ENGLISH):
        return False
    found = _FIRST_TWO.match(sentence.text)
    articles = _words(sentence.language, "plain_names", "definite")
    return found is not None and found["first"].casefold() in articles and found["second"][0].isupper()


def speaks_of(sentence: Sentence) -> bool:
    """Return whether a sentence has a word of the first person, singular or plural."""
    tokens = set(tokens_of(sentence.text, sentence.language))
    return bool(tokens & (_words(sentence.language, "memorable", "i") | _words(sentence.language, "memorable", "we")))


@cache
def _words(language: str | None, subject: str, key: str) -> frozenset[str]:
    code = code_of(language)
    return LEXICONS.read(subject, code if LEXICONS.has(subject, code) else ENGLISH).words(key)
