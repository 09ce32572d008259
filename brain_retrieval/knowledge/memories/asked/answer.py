"""A memory that may answer a question, with what of it may be the answer, and what a question asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from brain_retrieval.knowledge.memories.concept_groups import VAGUE
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import has_one_of
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import lowered, plain, word_expression, word_pattern
from brain_retrieval.language.stance import affirmed_parts, says_steady

LONGEST_PARTICLE = 2  # letters: "de", "el"
_MOMENTS = frozenset({"date", "time", "month", "year"})  # dimensions of values
MOMENT, AMOUNT, PERSON, NAME, PLACE = "moment", "amount", "person", "name", "place"  # kinds of answers
# What is asked for -> keys of the lexicon `questions`.
_ASKED = {
    PERSON: ("who", "person_nouns"),
    NAME: ("where", "place_nouns"),
    MOMENT: ("when", "time_nouns"),
    AMOUNT: ("how_many", "number_nouns"),
    PLACE: ("where", "place_nouns"),
}
STATED = frozenset({MOMENT, AMOUNT})  # kinds of answers that are surely found where they are
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WRITTEN = re.compile(r"\w+")
_NAMED = re.compile(r"[^\W\d_][\w'’-]*")
_IN_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?\[[^\]]*\]")  # dates that a rewriting has added
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")
_SENTENCE_ENDS = (".", "!", "?", ":", '"')

Match = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Answer:
    """A memory that matches a question, with what of it may be the answer.

    Args:
        facet: the memory.
        match: words of the question with their parts of the score; none if it only shares words with one that matches.
        topic: words of the question.
    """

    facet: Facet
    match: Match
    topic: frozenset[str]

    @cached_property
    def score(self) -> float:
        return sum(self.match.values())

    @cached_property
    def has_word(self) -> bool:
        """Whether it has a word of the question, and not only what one stands for, or the "de" of a name."""
        return has_one_of([word for word in self.topic if len(word) > LONGEST_PARTICLE], self.facet)

    @cached_property
    def text(self) -> str:
        return _IN_BRACKETS.sub("", self.facet.row["text"])

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(_NUMBER.findall(self.text))

    @cached_property
    def is_denial(self) -> bool:
        """Whether it denies something, and affirms nothing of what is asked for in another part of its sentence.

        "The blood is not good enough, so a whole tablet" affirms a tablet.
        """
        asked = self.match.keys() - self.facet.names
        if not self.facet.negated:
            return False
        language = self.facet.language
        affirmed = affirmed_parts(self.text, language)
        own = self.facet.concepts - VAGUE
        if any(not own.isdisjoint(concepts_of(part, language)) for part in affirmed):
            return False  # "no need, he's been eating chicken again"
        return asked.isdisjoint(word_form(plain(word)) for part in affirmed for word in WORD.findall(part))

    @cached_property
    def is_steady(self) -> bool:
        """Whether it only says that something is as it was: "Mia stays at St Anne's"."""
        return self.facet.cue == "none" and says_steady(lowered(self.text), self.facet.language)

    @cached_property
    def wording(self) -> frozenset[str]:
        """All its words and numbers as they are written."""
        return frozenset(_WRITTEN.findall(self.text.lower()))

    @cached_property
    def fillers(self) -> dict[str, frozenset[str]]:
        """What may fill the place that a question asks for, by its kind, without words of the question."""
        people = frozenset().union(*self.facet.people) - self.topic - self.facet.voice
        others = {PERSON: people, NAME: self._capitalised, PLACE: self._places}
        return self.stated | {kind: frozenset(words) for kind, words in others.items() if words}

    @cached_property
    def stated(self) -> dict[str, frozenset[str]]:
        """Those of its fillers that are surely found where they are: days and times, amounts."""
        values = self.facet.values
        days = {form for word in WORD.findall(self.text) if (form := word_form(plain(word))) in _weekdays()}
        moments = {value for dimension in values.keys() & _MOMENTS for value in values[dimension]} | days | self.clock
        others = ((dimension, value) for dimension in values.keys() - _MOMENTS for value in values[dimension])
        amounts = {f"{dimension} {value}" for dimension, value in others if value not in self.clock}
        if values.keys().isdisjoint(_MOMENTS):
            amounts |= self.numbers
        found = {MOMENT: moments, AMOUNT: amounts}
        return {kind: frozenset(words) for kind, words in found.items() if words}

    @cached_property
    def clock(self) -> frozenset[str]:
        """The times of day that it states or may state: "7:35" of "the bus leaves 7:35" is one, and "52:40" is none."""
        stated = self.facet.values.get("time", frozenset())
        return stated | {value for value in self.facet.values.get("duration", ()) if _CLOCK.fullmatch(value)}

    @cached_property
    def _places(self) -> frozenset[str]:
        """The words behind a preposition of place: "bakery" and "cellar" of "in the bakery cellar"."""
        pattern = _in_places(self.facet.language)
        found = (content_words(match["place"]) for match in pattern.finditer(plain(self.text)))
        days = _weekdays() | _months()
        return frozenset(word for words in found for word in words if word not in days) - self.topic - self.facet.voice

    @cached_property
    def _capitalised(self) -> set[str]:
        """The words with a capital letter that begin no sentence."""
        words: set[str] = set()
        for match in _NAMED.finditer(self.text):
            before = self.text[: match.start()].rstrip()
            if match.group()[0].isupper() and before and not before.endswith(_SENTENCE_ENDS):
                words.update(content_words(match.group()))
        return words - self.topic - self.facet.voice

    @cached_property
    def named(self) -> frozenset[str]:
        """The words of its names, besides those of the question and of who says it."""
        return frozenset(self._capitalised).union(*self.facet.people) - self.topic - self.facet.voice

    @cached_property
    def own(self) -> frozenset[str]:
        """Its telling words besides those of the question and of who says it."""
        return self.facet.telling - self.topic - self.facet.voice


def replies(a: Answer, b: Answer) -> bool:
    """Return whether `a` has the words of the question from the one it was a reply to, and `b` has the same ones."""
    return bool(a.match) and a.match.keys() <= b.match.keys() & (a.facet.words - a.facet.written)


def of_one_slot(a: Facet, b: Facet) -> bool:
    """Return whether both state the same attribute of the same subject."""
    if a.slot is None or b.slot is None or a.slot[0] != b.slot[0]:
        return False
    return a.slot[1] <= b.slot[1] or b.slot[1] <= a.slot[1]


def of_other_subject(a: Facet, b: Facet) -> bool:
    """Return whether each has a subject that the other one does not name."""
    if not (a.telling_heads and b.telling_heads):
        return False
    return a.telling_heads.isdisjoint(b.words) and b.telling_heads.isdisjoint(a.words)


def kinds_asked(about: str) -> frozenset[str]:
    """Return the kinds of what a question asks for: a person, a name, a moment, an amount.

    >>> sorted(kinds_asked("when is the launch"))
    ['moment']
    """
    return frozenset(kind for kind, pattern in _asking().items() if pattern.search(lowered(about)))


@cache
def _asking() -> dict[str, re.Pattern[str]]:
    lexicon = SHARED.every_language("questions")
    found = {kind: word_pattern(word for key in keys for word in lexicon.listed(key)) for kind, keys in _ASKED.items()}
    amounts = word_expression(lexicon.listed("number_nouns"), lowered)  # "day rate" asks for an amount, and for no day
    found[MOMENT] = re.compile(rf"{found[MOMENT].pattern}(?!\s(?:{amounts})(?!\w))")
    return found


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(word_form(plain(word)) for word in SHARED.every_language("dates").listed("weekdays"))


@cache
def _in_places(language: str) -> re.Pattern[str]:
    """Return a pattern of plain text for a preposition of place with up to three words behind it that are no number."""
    known = language if SHARED.has("questions", language) else ENGLISH
    words = word_expression(SHARED.read("questions", known).listed("before_places"))
    return re.compile(rf"(?<!\w)(?:{words})\s(?P<place>[^\W\d][\w'-]*(?:\s[^\W\d][\w'-]*){{0,2}})")


@cache
def _months() -> frozenset[str]:
    """Return the names of the months of all languages, as words are compared."""
    return frozenset(word_form(plain(word)) for word in SHARED.every_language("dates").listed("months"))
