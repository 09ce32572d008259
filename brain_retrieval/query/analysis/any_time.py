"""Whether a question asks for nothing but a time: "what happened last week", "May 2019", "was war letzte Woche los"."""

from functools import cache

from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import plain
from brain_retrieval.query.analysis.question import Question


def only_time(question: Question) -> bool:
    """Return whether a question names known days, and beside them no word but those for what happens at any time."""
    return question.time is not None and question.time.restricts and of_any_time(question.words)


def of_any_time(words: str) -> bool:
    """Return whether words, separated by spaces, are numbers, words for times, or what merely says that something was.

    >>> of_any_time("happened last week"), of_any_time("talks May 2019")
    (True, False)
    """
    forms = (word_form(plain(word.casefold())) for word in words.split())
    return all(form[:1].isdigit() or form in light_words() or form in _happening() for form in forms)


@cache
def _happening() -> frozenset[str]:
    listed = SHARED.every_language("questions").listed("happening")
    return frozenset(word_form(plain(word.casefold())) for word in listed)
