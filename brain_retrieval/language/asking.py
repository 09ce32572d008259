"""Words with which a language asks: those of its question words, and those that stand in every question."""

from functools import cache

from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import question_words

QUESTIONS = "questions"
_INTERROGATIVES = ("who", "where", "when", "how_many", "why", "what")  # keys of the lexicon
_HAPPENING, _MODALS, _COUNTED = "happening", "modals", "counted"


@cache
def said_in_asking(language: str) -> frozenset[str]:
    """Return the words that ask, as they are written: "wie", "hoch" of "wie hoch", "anything"."""
    return frozenset(word.lower() for word in _words(language, *_INTERROGATIVES, _HAPPENING))


@cache
def asking_words(language: str) -> frozenset[str]:
    """Return the words with which a language asks, in the form of content words."""
    words = _words(language, *_INTERROGATIVES, _MODALS, _HAPPENING)
    return frozenset(word_form(plain(word)) for word in (*words, *question_words(language)))


@cache
def interrogatives(language: str) -> frozenset[str]:
    """Return the words that only ask, which no answer has, in the form of content words: "quanto", "wie viel"."""
    lexicon = SHARED.read(QUESTIONS, _known(language))
    single = (phrase for key in _INTERROGATIVES for phrase in lexicon.listed(key) if " " not in phrase)
    phrases = (*single, *lexicon.listed(_COUNTED))
    return frozenset(word_form(plain(match.group())) for phrase in phrases for match in WORD.finditer(phrase))


def _words(language: str, *keys: str) -> list[str]:
    lexicon = SHARED.read(QUESTIONS, _known(language))
    return [match.group() for key in keys for phrase in lexicon.listed(key) for match in WORD.finditer(phrase)]


def _known(language: str) -> str:
    return language if SHARED.has(QUESTIONS, language) else ENGLISH
