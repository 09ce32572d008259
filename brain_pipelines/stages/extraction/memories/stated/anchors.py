"""Anchors: content words of a sentence, the concepts it speaks of, the kinds of its values and what is new in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from re import Pattern

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.sentence import Sentence, StatedDate, Value
from brain_retrieval.language.concepts import MARK, NEW, PART, concepts_of
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.folding import PLAIN_MARKS
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered, plain, word_pattern

_KINDS = {
    "length": ("cm", "m", "mm"),
    "weight": ("kg", "g"),
    "price": ("eur", "usd", "gbp", "chf", "cent", "jpy", "brl", "%"),
    "version": ("version",),
    "medicine": ("mg", "ml", "µg"),
    "rank": ("rank",),
}
_PARTS = re.compile(r"[,;:()](?=\s|$)")
_NOUNS = {"NOUN", "PROPN"}
_NEAR = 2  # words after "new" that it belongs to; "coche nuevo" has it after the noun


def read_anchors(sentence: Sentence, dates: Iterable[StatedDate], values: Iterable[Value]) -> tuple[str, ...]:
    """Return the words by which a sentence is found and compared; concepts and kinds are marked with a colon."""
    text = sentence.text
    for each in dates:
        text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    language = sentence.language or ENGLISH
    words = content_words(text, language)
    kinds = [kind for value in values if (kind := _kinds().get(plain(value.dimension.partition(" ")[0].split("/")[0])))]
    coming = [MARK + "schedule" for each in dates if each.iso[:10] > sentence.said_on.isoformat()]
    parts = [(word, head) for word, head in _compounds(sentence) if word in words and head in words]
    fresh = [word for word in _beside_new(sentence.text, language) if word in words]
    new = [NEW + word for word in fresh if all(head not in fresh for part, head in parts if part == word)]
    compounds = [f"{PART}{word}{MARK}{head}" for word, head in parts]
    concepts = concepts_of(_titled().sub("", text), language)
    return tuple(dict.fromkeys((*words, *concepts, *kinds, *coming, *new, *compounds)))


def _compounds(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield the words of compounds with their heads: "car" and "key" of "the car key".

    A new car key is no new car.
    """
    for word in sentence.words:
        head = sentence.words[word.head]
        if word.dep == "compound" and {word.pos, head.pos} <= _NOUNS and word.start < head.start:
            yield word_form(plain(word.text)), word_form(plain(head.text))


def _beside_new(text: str, language: str) -> Iterator[str]:
    """Yield the words beside "new", which name what has come in place of another."""
    for part in _PARTS.split(text.translate(PLAIN_MARKS)):  # "new brakes, Hollis quotes 285" calls no Hollis new
        yield from _beside_new_in([match.group() for match in WORD.finditer(part)], language)


def _beside_new_in(words: Sequence[str], language: str) -> Iterator[str]:
    large = writes_nouns_large(language)
    for place, word in enumerate(words):
        new, acquired = (_listed(key, language).fullmatch(lowered(word)) for key in ("new", "acquired"))
        if new or acquired:
            # "coche nuevo" has the noun before it, and so has "das Auto gekauft".
            back = _NEAR + 1 if acquired and large else 0 if large or language == ENGLISH or acquired else 1
            before = [other for other in words[max(0, place - back) : place] if other.islower() or large]
            yield from (word_form(plain(other)) for other in (*before, *words[place + 1 : place + 2 + _NEAR]))


@cache
def _listed(key: str, language: str) -> Pattern[str]:
    known = language if LEXICONS.has("changes", language) else ENGLISH
    return word_pattern(LEXICONS.read("changes", known).listed(key))


@cache
def _titled() -> Pattern[str]:
    """Return a pattern for a title with the name behind it: "Miss Price" speaks of no price."""
    titles = "|".join(map(re.escape, sorted(LEXICONS.every_language("plain_names").words("titles"))))
    return re.compile(rf"\b(?i:{titles})\b\.?\s[A-Z]\w{{1,30}}")


@cache
def _kinds() -> dict[str, str]:
    return {unit: MARK + kind for kind, units in _KINDS.items() for unit in units}
