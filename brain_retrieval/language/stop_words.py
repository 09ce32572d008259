"""Stop words by language, used for questions, topics and keywords."""

from functools import cache

from brain_retrieval.language.lexicon import SHARED, code_of

STOP_WORDS = "stop_words"


@cache
def function_words(language: str | None = None) -> frozenset[str]:
    """Return articles, pronouns, auxiliaries and the like; none of a language without a list."""
    return _of(language, "function")


@cache
def question_words(language: str | None = None) -> frozenset[str]:
    """Return the stop words of questions: function words and verbs of asking and saying."""
    return _of(language, "function", "asking")


@cache
def talk_words(language: str | None = None) -> frozenset[str]:
    """Return the stop words of conversations: function words and fillers."""
    return _of(language, "function", "fillers")


def _of(language: str | None, *keys: str) -> frozenset[str]:
    code = code_of(language)
    if not SHARED.has(STOP_WORDS, code):
        return frozenset()
    lexicon = SHARED.read(STOP_WORDS, code)
    return frozenset[str]().union(*(lexicon.words(key) for key in keys))
