"""Whether any passage can state what a question asks for, where that has a form of its own: a birthday, a price.

How alike a question and a passage are says little there: all that is said of Ann is like "what is Ann's telephone
number", and every bill is like "what did the sofa cost". What no passage can state is not there.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_expression
from brain_retrieval.language.topics import SUBJECT, topics_in
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.coverage import Wanted, known_code
from brain_retrieval.query.ask.filling import Filling
from brain_retrieval.query.ask.particulars import particular_asked

LOOKED_AT = 50  # best passages: one with the thing and an amount, or with the name and a number, is among them


def may_be_stated(question: Question, texts: Iterable[str], in_own_language: Callable[[Question], bool]) -> bool:
    """Return whether one of the first texts may state what is asked for; True where that has no form of its own.

    Args:
        question: as it was read.
        texts: of passages with their titles, the best first.
        in_own_language: returns whether a question is in a language in which its user writes. In another one the
            texts may have no word of the thing whose price is asked for.
    """
    form = particular_asked(question) or Price.asked(question)
    if form is None or (isinstance(form, Price) and not in_own_language(question)):
        return True
    return any(map(form.may_be_in, islice(texts, LOOKED_AT)))


@dataclass(frozen=True)
class Price:
    """The price of a thing, as the question words it, and a pattern for other words for the thing in any language.

    It has to be a thing with known words: what "fixing the pipes" cost may be on the bill of a plumber.
    """

    filling: Filling
    thing: Wanted
    others: re.Pattern[str]

    @classmethod
    def asked(cls, question: Question) -> "Price | None":
        """Return whose price a question asks for, None if it asks for none, or of something else."""
        wanted = Wanted(question.text, question.language)
        if question.wants != "number" or not wanted.prices:
            return None
        thing = Wanted(question.text, question.language, ignored=wanted.prices)
        if not thing.tells_topic:
            return None
        found = topics_in(question.text, known_code(question.language))
        said = [(frozenset(content_words(question.text[start:end])), keys) for start, end, keys in found]
        known = [(words, keys) for words, keys in said if words.isdisjoint(wanted.prices)]
        if not thing.telling <= frozenset[str]().union(*(words for words, _ in known)):
            return None
        every = SHARED.every_language(SUBJECT)
        others = word_expression(word for _, keys in known for key in keys for word in every.listed(key))
        return cls(Filling(wanted, AMOUNT), thing, re.compile(rf"(?<!\w)(?:{others})"))

    def may_be_in(self, text: str) -> bool:
        """Return whether a text has an amount and any word for the thing, in whatever form."""
        if not self.filling.states_amount(text):
            return False
        return self.thing.is_named_in(text) or self.others.search(plain(text)) is not None
