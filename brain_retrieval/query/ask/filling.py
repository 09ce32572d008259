"""What a memory has of the kind that a question asks for: an amount, a moment, a person, a name, a place.

The numbers of the question itself are no answer ("how much is the rent of Unit 4"), and a name behind a preposition of
place says more of where something is than another name does. A capital letter is no name in German.
"""

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import takewhile

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT, MOMENT, NAME, PERSON, Answer
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import ENGLISH, SHARED, code_of
from brain_retrieval.language.plain import plain, word_expression
from brain_retrieval.language.values import LIMIT
from brain_retrieval.query.ask.coverage import Wanted, known_code

PLACE = "place"
KINDS = {"time": MOMENT, "number": AMOUNT, "person": PERSON, "place": PLACE}  # of what a question wants
GERMAN = "de"
CALLED = ":name"  # concept of words that say how something is called
BARE, _CODE = "number", 3  # dimension of numbers of nothing, and letters of a currency
_OF_A_TITLE = 2  # words of the question that make a title one of what is asked about
_PLACES = "location"  # type of entities
_WORD = re.compile(r"[^\W\d_]+")
_LENGTH = re.compile(r"\d{1,3}")  # of a time: "3 months" is no moment
_TELEPHONE = re.compile(r"(?<![\d.,])[+0]\d(?:[\s()/-]{0,2}\d){5,13}(?![\d.,]\d)")  # is no amount
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = r"(?:[^\W\d_]{1,4}\s)?(?P<name>[^\W\d_][\w'’-]{1,40}(?:\s[^\W\d_][\w'’-]{1,40}){0,3})"  # "the Royal Hotel"


@dataclass(frozen=True)
class Filling:
    """What a question asks for, of whose `kind` a memory may have something; `kind` is None for anything."""

    wanted: Wanted
    kind: str | None
    _known: dict[int, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)  # by memory, asked often

    def of(self, facet: Facet) -> frozenset[str]:
        """Return what a memory has of that kind; of a place any name, since many stand without a preposition."""
        if (key := id(facet)) not in self._known:
            self._known[key] = self._read(facet)
        return self._known[key]

    def _read(self, facet: Facet) -> frozenset[str]:
        found = Answer(facet, {}, self._topic).fillers.get(NAME if self.kind == PLACE else self.kind or "", frozenset())
        if self.kind == AMOUNT:
            called = _digits(" ".join(_TELEPHONE.findall(facet.row["text"])))
            found = frozenset(one for one in found if one.rpartition(" ")[2] not in self._numbers)
            found = frozenset(one for one in found if not called or _digits(one.rpartition(" ")[2]) not in called)
            if self.wanted.counted:
                return frozenset(one for one in found if _may_count(one))
            return _payable(found) if self.wanted.prices else found
        if self.kind == MOMENT:
            return frozenset(one for one in found if not _LENGTH.fullmatch(one))
        if self.kind == NAME and code_of(self.wanted.language) == GERMAN and CALLED not in facet.concepts:
            return facet.names - self._topic - facet.voice
        return found

    def is_full(self, facet: Facet) -> bool:
        """Return whether a memory has what a question for a person or place surely asks for; True for other kinds.

        Who speaks of himself or herself may be the person.
        """
        if self.kind == PERSON:
            return bool(self.of(facet)) or facet.is_about_oneself
        return self.kind != PLACE or self.is_placed(facet)

    def counts(self, facet: Facet) -> bool:
        """Return whether a memory states a number of what is to be counted: "26 children" of "how many children"."""
        units = (one for one in facet.values if facet.values[one] - self._numbers)
        return any(similarity(word, unit) for unit in units for word in self.wanted.counted)

    def has_price(self, facet: Facet) -> bool:
        """Return whether a memory states an amount of money, or one of nothing, beside a word of what is asked about.

        "Insulation done by Ann, 480" says what the insulation cost; any line below the title "House" is not the house,
        unlike one below "Rent of unit 4", which has two of the words.
        """
        things = self._topic - self.wanted.prices
        titles = {word.removeprefix(TITLED) for word in facet.row["anchors"] if word.startswith(TITLED)}
        apart = things.isdisjoint(facet.words | facet.written | facet.voice)
        if things and apart and len(things & titles) < _OF_A_TITLE:
            return False
        dimensions = (one.partition("/")[0].partition(LIMIT)[0] for one in facet.values)
        return any(one == BARE or (len(one) == _CODE and one.isupper()) for one in dimensions)

    def states_money(self, facet: Facet) -> bool:
        """Return whether a memory states a sum of money with its currency."""
        dimensions = (one.partition("/")[0].partition(LIMIT)[0] for one in facet.values)
        return any(len(one) == _CODE and one.isupper() for one in dimensions)

    def has_figures(self, text: str) -> bool:
        """Return whether a text has a number besides those of the question."""
        return not self._numbers.issuperset(_NUMBER.findall(text))

    def states_amount(self, text: str) -> bool:
        """Return whether a text has an amount in figures or words, besides the numbers of the question."""
        return self.has_figures(text) or self.has_amount_words(text)

    def has_amount_words(self, text: str) -> bool:
        """Return whether a text has a word for an amount: "forty", "free"."""
        words = _amount_words(known_code(self.wanted.language))
        return not words.isdisjoint(_WORD.findall(plain(text)))

    def is_stated_in(self, line: str) -> bool:
        """Return whether a line has a moment, an amount or the name of a place, whichever is asked for."""
        if self.kind == MOMENT:
            return _moment().search(plain(line)) is not None
        if self.kind == AMOUNT:
            return self.states_amount(line)
        return self.kind == PLACE and any(set(content_words(name)) - self._topic for name in _places_in(line))

    def is_placed(self, facet: Facet) -> bool:
        """Return whether a place is asked for, and a memory says so by a preposition or the name of a known one."""
        if self.kind != PLACE:
            return False
        text = facet.row["text"].removeprefix(f"{facet.row['speaker']}: ")
        known = (one["name"] for one in facet.row["entities"] if (one.get("type") or "").casefold() == _PLACES)
        others = self._topic | facet.voice | frozenset().union(*facet.people) | days_and_months()
        return any(set(content_words(name)) - others for name in (*known, *_places_in(text)))

    @cached_property
    def _topic(self) -> frozenset[str]:
        return frozenset(self.wanted.weights)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_NUMBER.findall(self.wanted.text))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _may_count(amount: str) -> bool:
    """Return whether an amount of `Answer.fillers` may be a number of things: no sum of money, and no time of day."""
    dimension, _, value = amount.rpartition(" ")
    return ":" not in value and not (len(dimension) == _CODE and dimension.isupper())


def _payable(amounts: frozenset[str]) -> frozenset[str]:
    """Return those of some amounts that may be a price: no number that another of them has with a unit."""
    paid = frozenset(one for one in amounts if _may_be_paid(one))
    measured = {_digits(one.rpartition(" ")[2]) for one in amounts - paid}
    return frozenset(one for one in paid if " " in one or _digits(one) not in measured)


def _may_be_paid(amount: str) -> bool:
    """Return whether an amount of `Answer.fillers` may be a price: a sum of money, or a number of nothing else."""
    dimension = amount.rpartition(" ")[0].partition("/")[0].partition(LIMIT)[0]
    return dimension in ("", BARE) or (len(dimension) == _CODE and dimension.isupper())


def _places_in(text: str) -> list[str]:
    """Return the names behind a preposition of place."""
    return [" ".join(_capitalised(match["name"])) for match in _placed().finditer(text)]


def _capitalised(words: str) -> list[str]:
    """Return the first of some words, as long as they have capital letters."""
    return list(takewhile(lambda word: word[0].isupper(), words.split()))


@cache
def _placed() -> re.Pattern[str]:
    every = SHARED.every_language("questions")
    words = (*every.listed("before_places"), *every.listed("place_prepositions"))
    # What is behind one may have another one: "a" of "a room in Ghent" is one in Portuguese.
    return re.compile(rf"(?<!\w)(?i:{word_expression(words, str.lower)})(?:\s|['’])(?={_NAME})")


@cache
def _moment() -> re.Pattern[str]:
    """Return a pattern for a day, a month, a weekday or a time of day in plain text."""
    dates = SHARED.every_language("dates")
    words = word_expression(word for key in ("months", "weekdays") for word in dates.listed(key))
    return re.compile(rf"(?<!\w)(?:(?:{words})|\d{{1,2}}[.:/]\d{{1,2}}|(?:19|20)\d\d)(?!\w)")


@cache
def _amount_words(code: str) -> frozenset[str]:
    numbers = SHARED.read("dates", code if SHARED.has("dates", code) else ENGLISH).table("numbers")
    more = SHARED.every_language("questions").listed("amount_words")
    return frozenset(plain(word) for word in (*(word for word, value in numbers.items() if value > 1), *more))


@cache
def days_and_months() -> frozenset[str]:
    """Return the names of months and weekdays in any language, in the form of content words."""
    dates = SHARED.every_language("dates")
    return frozenset(word for key in ("months", "weekdays") for one in dates.listed(key) for word in content_words(one))
