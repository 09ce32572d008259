"""Extractive summary: the one or two sentences of a text with the highest scores, as spans of the text."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from brain_pipelines.stages.enrichment.lexicons import LEXICONS
from brain_pipelines.stages.enrichment.runs import LONGEST_WORD
from brain_pipelines.stages.enrichment.sentences import HEAD_CHARS, MAX_CHARS, Sentence, is_item
from brain_pipelines.stages.enrichment.words import empty_words, words_of
from brain_pipelines.stages.prose.statements import is_statement
from brain_retrieval.language.lexicon import ENGLISH, code_of

MOST_CHARS = 400
EARLY, EARLY_IN_ARTICLES = 0.6, 0.9  # what the first sentence has more than the last; and more in a text of MANY
MANY = 20  # sentences
SECOND = 0.7  # share of the best score that a second sentence needs
LEAST_STANDING, FEW = 0.35, 2  # of a sentence in a text of more than a few
SHORT = 4  # sentences of a text that is about each of them
FIRST = 5  # sentences that say what a text is about
STEM = 5  # letters
OF_TITLE = 2  # words of the title in a sentence of a summary
NEAR = 0.25  # of the text, after the best sentence, in which the second may lie
MAX_SENTENCES = 400  # that are compared; more are sampled evenly
GOOD_LENGTH = (35, 240)  # characters
_WORDS = LEXICONS.every_language("summary")  # texts mix languages, most of all in greetings
_GREETING = re.compile(rf"\W*(?:{_WORDS.expression('greetings')})\b[^.!?]{{0,25}}[.!?,]*$", re.I)
_BOILERPLATE = re.compile(_WORDS.expression("boilerplate"), re.I)
# markup, or up to six words
_BROKEN = re.compile(r"^\W{0,2}\[|\]\(|https?://|\{\w+\}|\*\*|__|</?\w|&#?\w+;|^_|^\W*\w+(?:\s+\w+){0,5}\W*$")
_DASH = re.compile(r"[–—-]\s{1,9}(?=\w)")
_OPENING = re.compile(r"[\s\"'“‘«„(\[*_–—-]*")
_FINISHED = ".!…。！\"'”’»)]"
_WHOLE = ".!?…。！？\"'”’»)"
_APART, _CLOSING = "([…", "\"'”’»)"
UNTITLED = "untitled"  # what the text stage calls a text without a title
_STATED = '.。"”»'
_SETTLED = re.compile(rf"\b(?:{_WORDS.expression('settled')})\b", re.I)
_MINUTES = re.compile(_WORDS.expression("minutes"), re.I)
_TELLING = re.compile(rf"\b(?:{_WORDS.expression('telling')})\b", re.I)


def choose_sentences(
    text: str, sentences: Sequence[Sentence], *, title: str = "", language: str | None = None, spoken: bool = False
) -> list[Sentence]:
    """Return one or two sentences of at most MOST_CHARS together, in the order of the text; none if there are none.

    The score rises with the frequency of a sentence's words in the text, an early position, words of the title and
    words of decision; it falls for greetings, boilerplate and sentences that depend on the one before. A sentence has
    words of the title, if there is one, except in what is `spoken`: titles of talks only name the speakers.
    """
    step = max(1, math.ceil(len(sentences) / MAX_SENTENCES))
    candidates = [s for s in sentences[::step] if s.end - s.start <= MAX_CHARS] or list(sentences[:1])
    if len(candidates) > SHORT:
        candidates = _leading(text, candidates, language)
    elif len(candidates) > FEW:
        candidates = [s for s in candidates if standing(text[s.start : s.end], language) >= LEAST_STANDING]
    empty = empty_words(language)
    if title and not spoken:
        candidates = _of_title(text, candidates, title, sentences, empty)
    bags = [[w.key for w in words_of(text, s.start, s.end) if w.key not in empty] for s in candidates]
    weights = _weights(bags)
    in_title = {word.key for word in words_of(title)}
    early = EARLY + EARLY_IN_ARTICLES * min(1.0, len(sentences) / MANY)
    scores = [_score(text, s, bag, weights, in_title, early, language) for s, bag in zip(candidates, bags, strict=True)]
    order = [n for n in sorted(range(len(candidates)), key=lambda n: (-scores[n], n)) if scores[n] > 0]
    if not order:
        return []
    chosen = [order[0]]
    room = MOST_CHARS - _length(candidates[order[0]]) - 1
    near = NEAR if len(sentences) > SHORT else 1.0
    rest = [
        n
        for n in order[1:]
        if _length(candidates[n]) <= room
        and scores[n] >= SECOND * scores[order[0]]
        and abs(candidates[n].place - candidates[order[0]].place) <= near
    ]
    if rest and scores[order[0]] > 0:
        seen = set(bags[order[0]])
        chosen.append(max(rest, key=lambda n: (scores[n] * (1 - _overlap(bags[n], seen)), -n)))
    return [_bounded(text, candidates[n]) for n in sorted(chosen)]


def _leading(text: str, candidates: Sequence[Sentence], language: str | None) -> list[Sentence]:
    """Return the sentences at the beginning, which says what a text is about, that can be read alone.

    Items of a list are none: a list is not about one of them. In a language without a list of the words that make a
    sentence hang on another one there are none either.
    """
    if not LEXICONS.has("summary", language):
        return []
    return [
        sentence
        for sentence in candidates[:FIRST]
        if not is_item(text, sentence) and _stands_alone(text[sentence.start : sentence.end], language)
    ]


def _is_readable(said: str) -> bool:
    """Return whether a sentence is no data: of words, none of them endless; of other scripts than Latin any is."""
    latin = sum(c.isascii() for c in said) * 2 > len(said)
    return not latin or is_statement(said) and max(map(len, said.split())) <= LONGEST_WORD


def is_minutes(title: str) -> bool:
    """Return whether a title is one of minutes: what was discussed one after the other, of which no part is the sum."""
    return bool(_MINUTES.search(title))


def tells(said: str) -> bool:
    """Return whether a sentence of a conversation states what was settled, and can be read alone."""
    return bool(_SETTLED.search(said)) and said[-1] in _STATED and not is_filler(said) and standing(said) >= 1


def is_filler(said: str) -> bool:
    """Return whether a sentence is a greeting or boilerplate."""
    return bool(_GREETING.match(said) or _BOILERPLATE.search(said))


def _length(sentence: Sentence) -> int:
    return sentence.end - sentence.start


def _weights(bags: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the weight of each word: the logarithm of the number of sentences that hold it."""
    counts = Counter(key for bag in bags for key in set(bag))
    return {key: math.log2(1 + count) for key, count in counts.items()}


def _score(
    text: str,
    sentence: Sentence,
    bag: Sequence[str],
    weights: dict[str, float],
    in_title: set[str],
    early: float,
    language: str | None,
) -> float:
    said = text[sentence.start : sentence.end]
    if not bag or said[0] in _APART or is_filler(said) or not _is_readable(said):
        return 0.0
    keys = set(bag)
    score = sum(weights[key] for key in keys) / (len(keys) + 3)  # a smoothed mean: short sentences do not win by it
    score *= 1 + early * math.exp(-12 * sentence.place)
    score *= 1 + 0.4 * len(keys & in_title) / (len(in_title) or 1)
    return score * standing(said, language)


@cache
def _hanging(code: str) -> re.Pattern[str]:
    """Return the beginnings of sentences that hang on the one before, in a language and in English."""
    codes = dict.fromkeys((ENGLISH, code if LEXICONS.has("summary", code) else ENGLISH))
    words = "|".join(LEXICONS.read("summary", one).expression("hanging") for one in codes)
    return re.compile(rf"(?:{words})\b", re.I)


def _of_title(
    text: str, candidates: Sequence[Sentence], title: str, sentences: Sequence[Sentence], empty: frozenset[str]
) -> list[Sentence]:
    """Return the candidates with OF_TITLE words of the title, or all it has; one that repeats the title says nothing.

    Of a long text without a title only the first sentence is one, and where a file's name stands for it none.
    """
    if title == UNTITLED:
        return [s for s in candidates if len(sentences) <= SHORT or s.start == sentences[0].start]
    named = {_stem(word.key) for word in words_of(title) if word.key not in empty}
    if named.isdisjoint(_stem(word.key) for word in words_of(text, 0, HEAD_CHARS)):
        return list(candidates) if len(sentences) <= SHORT else []
    least = max(1, min(OF_TITLE, len(named)))
    found = []
    for sentence in candidates:
        said = text[sentence.start : sentence.end]
        shared = len(named & {_stem(word.key) for word in words_of(said)})
        if shared >= least and said.strip(".!").casefold() != title.strip(".!").casefold():
            found.append(sentence)
    return found


def _stem(key: str) -> str:
    """Return what forms of a word have in common, roughly: its first letters."""
    return key[:STEM]


def _stands_alone(said: str, language: str | None) -> bool:
    if (
        said[-1] not in _WHOLE
        or said.rstrip(_CLOSING)[-1:] in "?？"
        or said[0].islower()
        or said[0] in _APART
        or _hangs(said, language)
    ):
        return False
    if _BROKEN.search(said) or any(said.count(one) != said.count(other) for one, other in ("()", "[]")):
        return False  # markup, or cut in the middle: "Lyrics (Ft."
    return standing(said, language) >= LEAST_STANDING


def _hangs(said: str, language: str | None) -> bool:
    begin = _OPENING.match(said)
    return bool(_hanging(code_of(language)).match(said, begin.end() if begin else 0))


def standing(said: str, language: str | None = None) -> float:
    """Return how well a sentence stands by itself, 0.2–1.2: it tells something, is whole, does not hang on another."""
    factor = 1.2 if _TELLING.search(said) else 1.0
    factor *= 0.5 if _hangs(said, language) else 1.0
    factor *= 0.3 if _BROKEN.search(said) else 0.85 if said[0].islower() else 1.0
    factor *= {"?": 0.6, "？": 0.6}.get(said[-1], 1.0 if said[-1] in _FINISHED else 0.7)
    return factor * (1.0 if GOOD_LENGTH[0] <= len(said) <= GOOD_LENGTH[1] else 0.7)


def _overlap(bag: Sequence[str], seen: set[str]) -> float:
    return len(set(bag) & seen) / max(1, len(set(bag)))


def _bounded(text: str, sentence: Sentence) -> Sentence:
    """Return the sentence without a dash before it, cut at a word if it is longer than a summary may be."""
    if (dash := _DASH.match(text, sentence.start, sentence.end)) is not None:
        sentence = Sentence(dash.end(), sentence.end, sentence.place)
    if _length(sentence) <= MOST_CHARS:
        return sentence
    cut = text.rfind(" ", sentence.start + 1, sentence.start + MOST_CHARS)
    return Sentence(sentence.start, cut if cut > sentence.start else sentence.start + MOST_CHARS, sentence.place)
