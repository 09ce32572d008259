"""How much of a question a memory has: its words, what they stand for, and the titles that the memory stands under.

Unlike `knowledge/memories/matching.py`, which compares memories with each other, this says how much of the question is
found at all, so that a memory of one word in five is known for what it is.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from brain_retrieval.knowledge.memories.concept_groups import of_slot
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.language.asking import asking_words, interrogatives
from brain_retrieval.language.concepts import TITLED, concepts_of
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED, code_of
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import lowered, plain, word_expression
from brain_retrieval.language.topics import is_relation, topics_in
from brain_retrieval.query.analysis.grammar import form
from brain_retrieval.query.analysis.wants import without_request
from brain_retrieval.query.ask.figures import figures_in
from brain_retrieval.query.ask.word_forms import has_beginning, has_form, of_one_stem

LIGHT = 0.3  # weight of a word that fits any question ("use", "hoch" of "wie hoch") beside one of 1
FIGURE = 2.0  # of a number, without which nothing is about it
# A word found in the sentence before, in another form, in a title, or only by what it stands for.
BEFORE, OTHER_FORM, TITLE, MEANT = 0.8, 0.8, 0.8, 0.6
ONLY_HEAD = 0.5  # of a compound of which only the end is found
LONG_TITLE = 0.25  # in the title of a text of which many lines are looked at: not each is about it
_COUNTED = 2  # words behind "how many" that say what is counted: "demo bikes"
_NUMBERED = re.compile(r"(?<!\w)(?P<word>[^\W\d_]{2,40})\s(?P<number>\d{1,4})(?!\w|[.,:/]\d)")  # "plot 71"
_NAMED = re.compile(r"\s[A-ZÀ-ÖØ-Þ]")
_NAMING = frozenset({":name"})  # concepts of words that only ask how something is called


@dataclass(frozen=True)
class Coverage:
    """What a memory has of a question: the share of all its words, 0 to 1, of its names, and of the words besides.

    Either of these is None if the question has no such words. `most` is how much of one of its telling words
    is found, at most, and `least` how much of each of them, at least.
    """

    share: float
    names: float | None
    topic: float | None
    most: float = 0.0
    least: float = 0.0


@dataclass(frozen=True)
class Wanted:
    """The content words of a question, without `ignored` ones; `names` are those that name people and things."""

    text: str
    language: str | None = None
    ignored: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The weights of the words, in the form of `content_words`."""
        light = ((light_words() | asking_words(code_of(self.language))) - self.names) | self._beside_names
        said = {word: LIGHT if word in light or self.concepts[word] == _NAMING else 1.0 for word in self._words}
        return said | dict.fromkeys(sorted(self._figures), FIGURE)

    @cached_property
    def _figures(self) -> frozenset[str]:
        """The numbers that tell what is asked about, but for those of a thing with a number: "plot 710"."""
        return figures_in(_NUMBERED.sub(" ", self.text))

    @cached_property
    def _beside_names(self) -> frozenset[str]:
        """The words before a name that only say who that is: "brother" of "my brother Ben"."""
        found = topics_in(self.text, known_code(self.language))
        said = (
            self.text[start:end] for start, end, keys in found if _NAMED.match(self.text, end) and is_relation(keys)
        )
        return frozenset(word for text in said for word in content_words(text, self.language))

    @cached_property
    def _words(self) -> tuple[str, ...]:
        left_out = self.ignored | self._polite
        words = tuple(word for word in content_words(self.text, self.language) if word not in left_out)
        telling = tuple(word for word in words if word not in interrogatives(code_of(self.language)))
        return telling or words

    @cached_property
    def _polite(self) -> frozenset[str]:
        """The words that only make a question of it, if others are left: "do you know" before "where Ann lives"."""
        code = known_code(self.language)
        text = form(self.text, code)
        asked = without_request(text, code)
        words = frozenset(content_words(asked, self.language))
        before = frozenset(content_words(text[: len(text) - len(asked)], self.language))
        return before - words if words else frozenset()

    @cached_property
    def concepts(self) -> Mapping[str, frozenset[str]]:
        """What each word stands for in the language of the question; the last one also what all say together."""
        found = dict.fromkeys((*sorted(self._figures), *self._words), frozenset[str]())
        for match in WORD.finditer(lowered(self.text)):
            if (word := word_form(plain(match.group()))) in found:
                found[word] |= frozenset(concepts_of(match.group(), self.language))
        if found:
            together = frozenset(concepts_of(self.text, self.language)).difference(*found.values())
            found[list(found)[-1]] |= together
        return found

    @cached_property
    def naming(self) -> frozenset[str]:
        """The words that ask how something is called."""
        return frozenset(word for word, concepts in self.concepts.items() if concepts == _NAMING)

    @cached_property
    def _telling(self) -> tuple[str, ...]:
        """The words that do not fit any question, or all if there are no others."""
        full = tuple(word for word, weight in self.weights.items() if weight == 1.0)
        return full or tuple(self.weights)

    @cached_property
    def _matter(self) -> tuple[str, ...]:
        """The telling words besides those that only ask for a price, or all if there are no others."""
        return tuple(word for word in self._telling if word not in self.prices) or self._telling

    @cached_property
    def numbered(self) -> Mapping[str, str]:
        """The words of the question with the number behind each: "plot" with "71" of "who has plot 71"."""
        found = {word_form(plain(match["word"])): match["number"] for match in _NUMBERED.finditer(self.text)}
        return {word: number for word, number in found.items() if self.weights.get(word) == 1.0}

    @cached_property
    def counted(self) -> frozenset[str]:
        """The words for what is to be counted: "child" of "how many children are coming"; none if nothing is."""
        match = _before_counted(known_code(self.language)).search(plain(self.text))
        return frozenset(content_words(self.text[match.end() :], self.language)[:_COUNTED]) if match else frozenset()

    def has_of(self, text: str) -> tuple[bool, bool]:
        """Return whether a text has a word of what is asked, and one of the names; in whatever form."""
        own, concepts = {*content_words(text), *figures_in(text)}, frozenset(concepts_of(text, self.language))
        found = [word for word in self._telling if concepts & self.concepts[word] or has_form(word, own)]
        return any(word not in self.names for word in found), any(word in self.names for word in found)

    def is_named_in(self, text: str) -> bool:
        """Return whether a text has one of the telling words in some form, and not only what it stands for."""
        own = {*content_words(text), *figures_in(text)}
        return any(has_form(word, own) for word in self._telling)

    @property
    def telling(self) -> frozenset[str]:
        """The words that do not fit any question, or all if there are no others."""
        return frozenset(self._telling)

    def share_in(self, text: str) -> float:
        """Return how much of the question a text has, in whatever form."""
        own, concepts = {*content_words(text), *figures_in(text)}, frozenset(concepts_of(text))

        def found(word: str) -> float:
            if word in own or (self.weights[word] == 1.0 and any(similarity(word, one) for one in own)):
                return 1.0
            if self.weights[word] == 1.0 and any(of_one_stem(word, one) for one in own):
                return OTHER_FORM
            return MEANT * (not concepts.isdisjoint(self.concepts[word]))

        return self._share({word: found(word) for word in self.weights}, self.weights)

    @property
    def tells_topic(self) -> bool:
        """Whether any word besides the names says what is asked of them: not "since when has Ann worked here"."""
        return any(weight == 1.0 and word not in self.names for word, weight in self.weights.items())

    @cached_property
    def prices(self) -> frozenset[str]:
        """The words that only ask for a price."""
        return frozenset(self.weights) & _price_words()

    def opposed(self, text: str) -> frozenset[str]:
        """Return the words that a text has only without what the question wants, or with it: "with" and "without"."""
        wanted, denied = _beside(self.text)
        have, lack = _beside(text)
        return ((wanted & lack) - have | (denied & have) - lack).intersection(self.weights)

    def in_memory(
        self, facet: Facet, known: Mapping[str, float], title: float = TITLE, *, meant: Collection[str] = ()
    ) -> Coverage:
        """Return how much of the question a memory has.

        Args:
            facet: the memory.
            known: how much it has of some words, where that is not to be looked up.
            title: how much of a word it has that only a title above it has.
            meant: words of which it has at least what they stand for.
        """
        titles = frozenset(word.removeprefix(TITLED) for word in facet.row["anchors"] if word.startswith(TITLED))
        found = {
            word: known[word] if word in known else self._found(word, facet, titles, title) for word in self.weights
        }
        found |= {word: max(found[word], MEANT) for word in meant if word not in known}
        names = [word for word in self.weights if word in self.names]
        others = [word for word in self.weights if word not in self.names]
        topic = [word for word in others if self.weights[word] == 1.0 or self.concepts[word] - _NAMING]
        return Coverage(
            self._share(found, self.weights) * min(1.0, sum(self.weights.values())),  # "work" alone is no question
            names=self._share(found, names) if names else None,
            topic=self._share(found, topic) if topic else None,
            most=max((found[word] for word in self._telling), default=0.0),
            least=min((found[word] for word in self._matter), default=0.0),
        )

    def is_attribute(self, facet: Facet) -> bool:
        """Return whether a memory states the attribute that a word of the question asks for: "lives in", to "live"."""
        stated = of_slot(facet.row["slot_attribute"])
        return any(not concepts.isdisjoint(stated) for concepts in self.concepts.values())

    def _share(self, found: Mapping[str, float], words: Iterable[str]) -> float:
        words = tuple(words)
        return sum(self.weights[word] * found[word] for word in words) / (
            sum(self.weights[word] for word in words) or 1
        )

    def _found_numbered(self, word: str, facet: Facet) -> float:
        """Return how much of a word with a number is written, which with another number is another thing."""
        same = [match["number"] for match in _NUMBERED.finditer(facet.row["text"]) if _is_word(match, word)]
        return float(self.numbered[word] in same) if same else MEANT

    def _found(self, word: str, facet: Facet, titles: Collection[str], title: float) -> float:
        if word in self.numbered and word in facet.written:
            return self._found_numbered(word, facet)
        if word in self._figures:
            return float(word in figures_in(facet.row["text"]))
        if word in facet.written | facet.voice:
            return 1.0
        concepts = self.concepts[word]
        if not concepts.isdisjoint(of_slot(facet.row["slot_attribute"])):
            return 1.0
        found = MEANT * (not concepts.isdisjoint(facet.concepts))
        if word in facet.words:
            found = BEFORE
        if word in titles:
            found = max(found, title)
        if self.weights[word] < 1.0:  # "work" is no part of "Workday"
            return found
        if alike := [own for own in facet.written | facet.voice if similarity(word, own)]:
            whole = any(has_beginning(word, own, (*facet.words, *titles)) for own in alike)
            return 1.0 if whole else max(found, ONLY_HEAD)
        if any(of_one_stem(word, own) for own in facet.written):
            found = max(found, OTHER_FORM)
        if any(similarity(word, own) or of_one_stem(word, own) for own in titles):
            found = max(found, title)
        return max(found, BEFORE) if any(similarity(word, own) for own in facet.words) else found


def known_code(language: str | None) -> str:
    """Return the code of a language of whose questions there are rules, else that of English."""
    code = code_of(language)
    return code if SHARED.has("questions", code) else ENGLISH


def _is_word(match: re.Match[str], word: str) -> bool:
    return word_form(plain(match["word"])) == word


def _beside(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the content words behind a word for "with", and those behind one for "without"."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for match in _with().finditer(lowered(text)):
        behind = content_words(match["behind"])[:1]
        found[match["absence"] is None].update(behind)
    return frozenset(found[True]), frozenset(found[False])


@cache
def _with() -> re.Pattern[str]:
    words = SHARED.every_language("negation")
    absence, presence = (word_expression(words.listed(key), lowered) for key in ("absence", "presence"))
    return re.compile(rf"(?<!\w)(?:(?P<absence>{absence})|{presence})\s(?P<behind>\w{{1,40}}(?:\s\w{{1,40}}){{0,2}})")


@cache
def _before_counted(code: str) -> re.Pattern[str]:
    words = word_expression(SHARED.read("questions", code).listed("counted"))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")


@cache
def _price_words() -> frozenset[str]:
    words = SHARED.every_language("questions").listed("price_words")
    return frozenset(word_form(plain(word)) for word in words)
